// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Where inputs of the air come from: a radio, a capture, a timeline.
///
/// A source is pulled. It keeps its own bounded buffer of what came meanwhile, and counts what it had to drop.
public protocol ScanSource: Sendable {
  /// Whether the source goes on without its listeners, as a radio does and a capture does not.
  ///
  /// A session waits for its clients on a source that is not live, so that they answer at that point of the timeline
  /// however fast it is read. A live one cannot be held up: what a client does not take in time is dropped and counted.
  var isLive: Bool { get }

  /// Where the source's timeline stands: the time of the first request of a program that starts now.
  var now: Timestamp { get async throws }

  /// The names of the receivers, by their number in reports.
  var receiverNames: [String] { get async }

  /// Returns what was heard next.
  ///
  /// - Parameter deadline: When the caller must hear of time passing, if nothing else comes. A live source returns by
  ///   then a batch whose ``ScanBatch/upTo`` lies behind the deadline, empty if need be, and at least one every 10 s; a
  ///   capture ignores it.
  /// - Returns: The batch, or `nil` when there will be no more.
  /// - Throws: What keeps the source from going on.
  func next(until deadline: Timestamp?) async throws -> ScanBatch?
}

extension ScanSource {
  /// True: a source that does not say otherwise cannot be held up.
  public var isLive: Bool { true }
}
