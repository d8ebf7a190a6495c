// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The way of reports and receiver states to the ``Outbox``: directly from D-Bus, and through a reordering window where
/// the kernel's monitor channel is open.
///
/// With the channel open, everything goes through the window, since the kernel's stamps may come later than others.
package struct ReportIntake {
  /// What one reading of the monitor channel brought.
  package struct KernelReading {
    /// The reports, not yet added.
    package let reports: ScanBatch
    /// How many packets the kernel dropped.
    package let dropped: Int
    /// The silence that the dropped packets left.
    package let hole: KernelReports.Hole?
    /// Up to when everything has been read and put in order.
    package let settled: Timestamp
  }

  private let outbox: Outbox
  private var kernel: KernelReports?
  private var window = ReorderingWindow()
  /// What came since the last delivery and is not in the window.
  private var received = ScanBatch()

  /// Creates an intake.
  ///
  /// - Parameters:
  ///   - outbox: Where everything goes.
  ///   - channel: The kernel's monitor channel, where it is open.
  package init(outbox: Outbox, channel: MonitorSocket?) {
    self.outbox = outbox
    kernel = channel.map { KernelReports($0) }
  }

  /// Whether the kernel's monitor channel is open.
  package var hasChannel: Bool { kernel != nil }

  /// The monitor channel's descriptor, to wait on.
  package var descriptor: Int32? { kernel?.descriptor }

  /// Whether the last reading of the channel left packets unread.
  package var isBehind: Bool { kernel?.isBehind ?? false }

  /// When ``deliver(upTo:_:)`` is to be called next; `nil` while there is no need to.
  package var nextDelivery: Timestamp? {
    let lag = hasChannel ? ReorderingWindow.length : .zero
    return [outbox.nextDelivery.map { $0 + lag }, window.nextRelease].compactMap(\.self).min()
  }

  /// Returns what the kernel knows of an adapter.
  package func kernelAdapter(_ number: UInt16) -> MonitorAdapter? {
    kernel?.decoder.adapter(number)
  }

  // MARK: In

  /// Adds a report.
  package mutating func add(_ report: AdvertisingReport, payload: [UInt8]) {
    received.append(report, payload: payload)
  }

  /// Adds what a receiver is able to receive from a time on.
  package mutating func add(_ state: RadioState, of receiver: UInt8, at time: Timestamp) {
    received.inputs.append(.radio(receiver: receiver, state, time))
  }

  /// Adds a time in which receivers could receive nothing, so that their silence is no exit.
  package mutating func addSilence(
    of receivers: [UInt8],
    from start: Timestamp,
    to end: Timestamp
  ) {
    received.inputs += Self.silence(of: receivers, from: start, to: end)
  }

  /// Reads the packets that have come through the monitor channel.
  ///
  /// - Parameters:
  ///   - now: Where the timeline stands.
  ///   - wall: What the wall clock shows then; `nil` where that is not known well enough.
  ///   - readClocks: Reads both clocks again.
  ///   - receiver: The number that an adapter has in reports; `nil` for one whose reports are not wanted.
  /// - Returns: What was read; `nil` where the channel is not open. Pass it to ``add(_:silent:)``.
  package mutating func readKernel(
    now: Timestamp,
    wall: Timestamp?,
    readClocks: () -> Timeline.Reading?,
    receiver: (UInt16) -> UInt8?
  ) -> KernelReading? {
    let reading = kernel?.read(
      now: now,
      wall: wall,
      readClocks: readClocks,
      receiver: receiver
    )
    guard let reading, let reports = kernel?.drainBatch() else { return nil }
    let settled = now - ReorderingWindow.length
    return KernelReading(
      reports: reports,
      dropped: reading.dropped,
      hole: reading.hole,
      settled: reading.more.map { min($0, settled) } ?? settled
    )
  }

  /// Adds what was read from the monitor channel, behind the receiver states that it caused.
  ///
  /// - Parameters:
  ///   - reading: What was read.
  ///   - receivers: The receivers whose reports the kernel dropped, where it did.
  package mutating func add(_ reading: KernelReading, silent receivers: [UInt8]) {
    // First that a receiver receives again, then what it received.
    window.add(received)
    received = ScanBatch()
    window.add(reading.reports)
    if let hole = reading.hole {
      let inputs = Self.silence(of: receivers, from: hole.start, to: hole.end)
      window.add(ScanBatch(inputs: inputs))
    }
  }

  /// Returns how many packets the kernel dropped since the last reading.
  package mutating func drainDrops() -> Int { kernel?.drainDrops() ?? 0 }

  private static func silence(
    of receivers: [UInt8],
    from start: Timestamp,
    to end: Timestamp
  ) -> [ScanInput] {
    // In front of what ends it.
    let last = max(start, end - TimeSpan(microseconds: 1))
    return receivers.map { .radio(receiver: $0, .deaf, start) }
      + receivers.map { .radio(receiver: $0, .listening, last) }
  }

  // MARK: Out

  /// Delivers everything that is in order up to a time.
  package mutating func deliver(upTo time: Timestamp, _ statistics: BlueZStatistics) {
    guard hasChannel else { return outbox.deliver(&received, upTo: time, statistics) }
    var ready = window.release(upTo: time)
    outbox.deliver(&ready, upTo: time, statistics)
  }
}
