// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons

/// A timeline as a source, for a program that is tested without a radio.
public actor TimelineSource: ScanSource {
  /// Whether it goes on without its listeners, as a radio does.
  public nonisolated let isLive: Bool
  /// The names of its receivers.
  public let receiverNames: [String]

  private let start: Timestamp
  private var batches: ArraySlice<ScanBatch>

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - timeline: What it says.
  ///   - batchSize: How many inputs a batch holds, which no event may depend on.
  ///   - isLive: Whether it goes on without its listeners; it does so without waiting for anything.
  ///   - receiverNames: The names of its receivers.
  ///   - start: When the program starts; `nil` at the timeline's 0.
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

  /// Creates a source from a timeline written as text: a character is a second.
  ///
  /// - Throws: ``TimelineSyntaxError``.
  public init(_ text: String, of beacon: BeaconIdentity = Timeline.beacon)
    throws(TimelineSyntaxError)
  {
    self.init(try Timeline(text, of: beacon))
  }

  /// The timeline's 0, or where the program starts.
  public var now: Timestamp { start }

  /// Returns the next batch at once; the deadline does not matter to what is known beforehand.
  public func next(until deadline: Timestamp?) -> ScanBatch? { batches.popFirst() }
}
