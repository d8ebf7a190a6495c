// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension StateForm {
  /// The stored form of the arrival intervals learned for a region's beacons.
  struct IntervalsForm: Codable {
    /// The stored form of a period of presence.
    struct Period: Codable {
      var longest: [UInt16]
      var presence: UInt32
      var gaps: UInt32
      var withLosses: UInt32
      var slowest: UInt16

      init(_ period: SavedIntervals.Period) {
        longest = period.longest
        presence = period.presence
        gaps = period.gaps
        withLosses = period.withLosses
        slowest = period.slowest
      }

      var value: SavedIntervals.Period {
        var period = SavedIntervals.Period()
        period.longest = longest
        period.presence = presence
        period.gaps = gaps
        period.withLosses = withLosses
        period.slowest = slowest
        return period
      }
    }

    /// The stored statistics of one beacon.
    struct Beacon: Codable {
      var beacon: String
      var beat: UInt16
      var current: Period
      var previous: Period
      var first: [UInt16]
      var exit: UInt16
      var target: UInt16
      var refreshAt: UInt32
      var doubtUntil: UInt32
      var beyondCap: UInt16
      var shorter: UInt8
      var longer: UInt8
      var needsLongerCap: Bool

      init(_ intervals: SavedIntervals) {
        beacon = intervals.identity.description
        beat = intervals.estimatedInterval
        current = Period(intervals.current)
        previous = Period(intervals.previous)
        first = intervals.first
        exit = intervals.exit
        target = intervals.target
        refreshAt = intervals.refreshAt
        doubtUntil = intervals.doubtUntil
        beyondCap = intervals.beyondCap
        shorter = intervals.shorter
        longer = intervals.longer
        needsLongerCap = intervals.needsLongerCap
      }

      var value: SavedIntervals {
        get throws(Damage) {
          var intervals = SavedIntervals(try identity(beacon))
          intervals.estimatedInterval = beat
          intervals.current = current.value
          intervals.previous = previous.value
          intervals.first = first
          intervals.exit = exit
          intervals.target = target
          intervals.refreshAt = refreshAt
          intervals.doubtUntil = doubtUntil
          intervals.beyondCap = beyondCap
          intervals.shorter = shorter
          intervals.longer = longer
          intervals.needsLongerCap = needsLongerCap
          guard ArrivalIntervals(intervals) != nil else {
            throw Damage(
              description: "the arrival intervals of '\(beacon.prefix(64))' are inconsistent"
            )
          }
          return intervals
        }
      }
    }

    /// The stored form of a region's exit clock.
    struct Clock: Codable {
      struct Presence: Codable {
        var beacon: String
        var remaining: Int64
      }

      var present: [Presence]
      var packetsDue: Int64
      var common: Beacon?

      init(_ clock: SavedExitClock) {
        present = clock.present.map {
          Presence(beacon: $0.identity.description, remaining: $0.remaining.microseconds)
        }
        packetsDue = clock.packetsDue.microseconds
        common = clock.common.map(Beacon.init)
      }

      var value: SavedExitClock {
        get throws(Damage) {
          var found: [SavedExitClock.Presence] = []
          for presence in present {
            let remaining = TimeSpan(microseconds: presence.remaining)
            found.append(.init(try identity(presence.beacon), remaining: remaining))
          }
          return SavedExitClock(
            present: found,
            packetsDue: TimeSpan(microseconds: packetsDue),
            common: try common?.value
          )
        }
      }
    }

    var version: Int
    /// Another version may have stored the statistics in another form, so they are read only if the version is known.
    var beacons: [Beacon]?
    /// What the region's exit clock knew.
    var clock: Clock?

    init?(_ region: SavedRegion) {
      guard !region.intervals.isEmpty || region.clock != nil else { return nil }
      version = SavedIntervals.version
      beacons = region.intervals.map(Beacon.init)
      clock = region.clock.map(Clock.init)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      version = try container.decode(Int.self, forKey: .version)
      guard version == SavedIntervals.version else { return }
      beacons = try container.decode([Beacon].self, forKey: .beacons)
      clock = try container.decodeIfPresent(Clock.self, forKey: .clock)
    }

    var value: [SavedIntervals] {
      get throws(Damage) {
        var intervals: [SavedIntervals] = []
        for beacon in beacons ?? [] { intervals.append(try beacon.value) }
        return intervals
      }
    }

    var clockValue: SavedExitClock? {
      get throws(Damage) { try clock?.value }
    }
  }
}
