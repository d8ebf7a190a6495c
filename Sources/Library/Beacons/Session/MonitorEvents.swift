// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A monitor's events, for `for await`.
///
/// An event counts as handled when the program asks for the next one. Until then ``BeaconMonitor/record(for:)`` holds
/// the event before it. A program that ends before receives the event again when it next opens the monitor.
public struct MonitorEvents: AsyncSequence, Sendable {
  /// An event of a condition.
  public typealias Element = MonitorEvent
  /// It never fails.
  public typealias Failure = Never

  private let events: ClientSequence<MonitorEvent>
  private let monitor: BeaconMonitor

  init(_ events: ClientSequence<MonitorEvent>, of monitor: BeaconMonitor) {
    self.events = events
    self.monitor = monitor
  }

  /// Returns an iterator, which handles the events.
  public func makeAsyncIterator() -> Iterator {
    Iterator(events.makeAsyncIterator(), of: monitor)
  }

  /// Returns events one by one, and marks each as handled.
  public struct Iterator: AsyncIteratorProtocol {
    /// It never fails.
    public typealias Failure = Never

    private var events: ClientSequence<MonitorEvent>.Iterator
    private let monitor: BeaconMonitor
    private var atHand: MonitorEvent?

    init(_ events: ClientSequence<MonitorEvent>.Iterator, of monitor: BeaconMonitor) {
      self.events = events
      self.monitor = monitor
    }

    /// Returns the next event; `nil` when the session has ended or the task was cancelled.
    public mutating func next() async -> MonitorEvent? {
      if let atHand { await monitor.handled(atHand) }
      atHand = await events.next()
      return atHand
    }
  }
}
