// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons

/// A source that delivers a timeline, to test a program without a radio.
public actor TimelineSource: ScanSource {
  /// Whether the source continues without waiting for its listeners, as a radio does.
  public nonisolated let isLive: Bool
  /// The names of the source's receivers.
  public let receiverNames: [String]

  private let start: Timestamp
  private var batches: ArraySlice<ScanBatch>

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - timeline: The timeline to deliver.
  ///   - batchSize: How many inputs a batch holds. No event may depend on it.
  ///   - isLive: Whether the source continues without waiting for its listeners. A live timeline source also never
  ///     waits for time to pass.
  ///   - receiverNames: The names of the source's receivers.
  ///   - start: When the program starts; `nil` starts at second 0 of the timeline.
  public init(
    _ timeline: Timeline,
    batchSize: Int = .max,
    isLive: Bool = false,
    receiverNames: [String] = ["test"],
    from start: Double? = nil
  ) {
    self.isLive = isLive
    self.receiverNames = receiverNames
    self.start = timeline.time(start ?? 0)
    batches = timeline.batches(of: batchSize)[...]
  }

  /// Creates a source from a timeline written as text: each character is a second.
  ///
  /// - Throws: ``TimelineSyntaxError`` for an unknown character.
  public init(_ text: String, of beacon: BeaconIdentity = Timeline.beacon)
    throws(TimelineSyntaxError)
  {
    self.init(try Timeline(text, of: beacon))
  }

  /// Always true: a test never reads or changes what a user of the account decided.
  public nonisolated var isSimulated: Bool { true }

  /// The time at which the program starts: second 0 of the timeline, unless set.
  public var now: Timestamp { start }

  /// Returns the next batch at once, whatever the deadline.
  public func next(until deadline: Timestamp?) -> ScanBatch? { batches.popFirst() }
}
