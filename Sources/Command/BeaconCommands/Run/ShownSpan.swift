// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// Shows other participants only the deliveries in the span of time that the user chose.
///
/// The replay begins at the start of its captures, so that a crossing in the span is the one that happened, with the times
/// learned before it. It ends with the span.
package final class ShownSpan: RunParticipant {
  private let participants: [any RunParticipant]
  private let span: MomentSpan
  private let io: CommandIO
  private var range = Timestamp.earliest..<Timestamp.latest

  /// - Parameters:
  ///   - participants: The participants that see the span.
  ///   - span: The span.
  ///   - io: The user's clock and zone.
  package init(_ participants: [any RunParticipant], _ span: MomentSpan, io: CommandIO) {
    self.participants = participants
    self.span = span
    self.io = io
  }

  /// The time of the run.
  private var time: ClosedRange<Timestamp>?
  /// Whether a delivery lay in the span.
  package private(set) var hasShown = false

  /// Whether the run had any time of the span.
  package var hasTime: Bool { time.map { $0.overlaps(range) } ?? false }

  /// The time of the run that is next to the span, if the run has no time in it.
  var place: String {
    guard let time, !hasTime else { return "" }
    return range.upperBound <= time.lowerBound
      ? "; the first time is \(RFC3339.string(time.lowerBound))"
      : "; the last time is \(RFC3339.string(time.upperBound))"
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    if case .begins = moment { range = try span.range(io, start: run.now) }
    time = min(time?.lowerBound ?? run.now, run.now)...max(time?.upperBound ?? run.now, run.now)
    var moment = moment
    if case .delivered(let deliveries) = moment {
      let shown = deliveries.filter { range.contains($0.time) }
      if !deliveries.isEmpty, shown.isEmpty { return end(&run) }
      if !shown.isEmpty { hasShown = true }
      moment = .delivered(shown)
    }
    for participant in participants { try participant.handle(moment, &run) }
    end(&run)
  }

  private func end(_ run: inout RunContext) {
    if run.now >= range.upperBound { run.end() }
  }
}
