// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

extension PlaceEstimate {
  /// The place as an engine and a line get it: a probability in whole hundredths, rounded down, since 0.949 must not be
  /// read as 0.95.
  package func place(in model: SiteModel) -> BeaconPlace {
    let position: BeaconPlace.Position =
      if let place { .at(model.places[place].name) } else if isAbsent { .absent } else { .unknown }
    return BeaconPlace(
      identity,
      position,
      hundredths: UInt8(clamping: Int((probability * 100).rounded(.down))),
      heard: UInt8(clamping: heard),
      deaf: UInt8(clamping: deaf)
    )
  }
}

/// Adds each beacon's estimated place to the scan inputs, once a second, before the engine sees them.
///
/// The place as of the end of a second comes before the first input of the next one. The place of the last second is not known
/// before a gap, so that an engine sees the same gaps as without places. Places that the inputs contain already are left
/// out.
package struct PlaceFeed: Sendable {
  /// The fusion.
  package private(set) var fusion: SiteFusion
  private let gap: TimeSpan
  /// The time of the latest input; `nil` before the first.
  private var latest: Timestamp?

  /// - Parameters:
  ///   - model: The survey's model of the site.
  ///   - accepts: Which beacons are followed; all if none is named.
  ///   - gap: Two inputs farther apart than this bound a time of which nothing is known.
  package init(
    _ model: SiteModel,
    _ accepts: [IdentityConstraint] = [],
    gap: TimeSpan = TimingConfiguration().gap
  ) {
    fusion = SiteFusion(model, accepts, gap: gap)
    fusion.followOthers()
    self.gap = gap
  }

  /// Starts with what an earlier run learned about the receivers, in decibels.
  package mutating func start(with offsets: [String: Int]) { fusion.start(with: offsets) }

  /// Returns a batch with the places of the seconds that it completes.
  ///
  /// - Parameters:
  ///   - batch: Scan inputs.
  ///   - names: The names of the receivers, by their number in the inputs.
  /// - Returns: The batch.
  package mutating func add(_ batch: ScanBatch, receivers names: [String]) -> ScanBatch {
    var places = fusion.places(batch, receivers: names)[...]
    var result = ScanBatch(bytes: batch.bytes, upTo: batch.upTo)
    result.inputs.reserveCapacity(batch.inputs.count + places.count)
    for input in batch.inputs {
      append(&places, until: input.time, to: &result)
      if case .place = input { continue }
      result.inputs.append(input)
    }
    if let time = batch.upTo { append(&places, until: time, to: &result) }
    return result
  }

  private mutating func append(
    _ places: inout ArraySlice<(place: BeaconPlace, time: Timestamp)>,
    until time: Timestamp,
    to batch: inout ScanBatch
  ) {
    let followsGap = latest.map { time - $0 > gap } ?? false
    latest = max(latest ?? time, time)
    while let next = places.first, next.time <= time {
      places.removeFirst()
      if !followsGap { batch.append(next.place, at: next.time) }
    }
  }
}
