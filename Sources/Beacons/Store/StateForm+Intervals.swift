// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension StateForm {
  /// The stored form of the arrival intervals learned for a region's beacons.
  struct IntervalsForm: Codable {
    /// The stored counts of one beacon.
    struct Beacon: Codable {
      var beacon: String
      var counts: [UInt16]
      var excess: [UInt16]
      var observed: UInt32
      var beat: UInt16
      var exit: UInt16
      var target: UInt16
      var lastExceeded: UInt16
      var refreshAt: UInt16
      var shorter: UInt8
      var stage: UInt8

      init(_ intervals: SavedIntervals) {
        beacon = intervals.identity.description
        counts = intervals.counts
        excess = intervals.excess
        observed = intervals.observed
        beat = intervals.estimatedInterval
        exit = intervals.exit
        target = intervals.target
        lastExceeded = intervals.lastExceeded
        refreshAt = intervals.refreshAt
        shorter = intervals.shorter
        stage = intervals.stage
      }

      var value: SavedIntervals {
        get throws(Damage) {
          let intervals = SavedIntervals(
            try identity(beacon),
            counts: counts,
            excess: excess,
            observed: observed,
            estimatedInterval: beat,
            exit: exit,
            target: target,
            lastExceeded: lastExceeded,
            refreshAt: refreshAt,
            shorter: shorter,
            stage: stage
          )
          guard ArrivalIntervals(intervals) != nil else {
            throw Damage(description: "the habits of '\(beacon.prefix(64))' do not hold together")
          }
          return intervals
        }
      }
    }

    var version: Int
    /// Another version may have stored the counts in another form, so they are read only if the version is ours.
    var beacons: [Beacon]?

    init(_ intervals: [SavedIntervals]) {
      version = SavedIntervals.version
      beacons = intervals.map(Beacon.init)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      version = try container.decode(Int.self, forKey: .version)
      guard version == SavedIntervals.version else { return }
      beacons = try container.decode([Beacon].self, forKey: .beacons)
    }

    var value: [SavedIntervals] {
      get throws(Damage) {
        var intervals: [SavedIntervals] = []
        for beacon in beacons ?? [] { intervals.append(try beacon.value) }
        return intervals
      }
    }
  }
}
