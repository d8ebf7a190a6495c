// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A source of scan inputs: a radio, a capture or a timeline.
///
/// The session pulls batches from the source. Between two pulls the source keeps new inputs in a bounded buffer, and
/// counts the inputs it had to drop.
public protocol ScanSource: Sendable {
  /// Whether the source continues without waiting for its listeners. A radio does, a capture does not.
  ///
  /// If a source is not live, a session waits for its clients, so that they respond at that point of the timeline
  /// however fast the source is read. A live source cannot wait: deliveries that a client does not process in time are dropped and
  /// counted. Clients that are connected by name to a session over a live source have the account's grants.
  var isLive: Bool { get }

  /// The current time of the source's timeline: the time of the first request of a program that starts now.
  ///
  /// It throws the error because of which the source cannot begin.
  var now: Timestamp { get async throws }

  /// The names of the receivers, by their number in reports.
  var receiverNames: [String] { get async }

  /// How far local time is ahead of UTC: at the source, or at the start of the replayed recording; `nil` if it
  /// is not known.
  var utcOffset: TimeSpan? { get async }

  /// The inputs that the source dropped so far, by reason.
  var drops: Tally<DropReason> { get async }

  /// Whether the inputs are made up. Then clients have no grants of the account, even if the source is live.
  var isSimulated: Bool { get }

  /// Returns the next batch of inputs.
  ///
  /// - Parameter deadline: When the caller must learn that time has passed, even if no input arrives. By then a live
  ///   source returns a batch whose ``ScanBatch/upTo`` is after the deadline, if necessary an empty one. It returns at
  ///   least one batch every 10 s. A capture ignores the deadline.
  /// - Returns: The batch; `nil` when the source has ended.
  /// - Throws: The error because of which the source cannot continue.
  func next(until deadline: Timestamp?) async throws -> ScanBatch?
}

extension ScanSource {
  /// True by default: the session does not hold up the source.
  public var isLive: Bool { true }

  /// Not known by default.
  public var utcOffset: TimeSpan? { nil }

  /// Nothing by default.
  public var drops: Tally<DropReason> { Tally() }

  /// False by default.
  public var isSimulated: Bool { false }

  /// Whether a radio receives the inputs now, so that the grants of the account apply to a session's clients.
  package var usesAccountStore: Bool { isLive && !isSimulated }
}
