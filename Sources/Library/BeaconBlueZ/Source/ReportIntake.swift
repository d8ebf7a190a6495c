// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Passes reports and receiver states to the ``ReportQueue``, through a reordering window if the kernel's monitor channel is
/// open.
///
/// With an open channel everything goes through the window, since packets from the kernel may be read later than other
/// inputs with later stamps.
package struct ReportIntake {
  /// The result of one read of the monitor channel.
  package struct KernelReading {
    /// The reports, not yet added.
    package var reports: ScanBatch
    /// The scans that the host started or ended.
    package let scans: [ScanChange]
    /// How many packets the kernel dropped.
    package let dropped: Int
    /// The silence that the dropped packets caused.
    package let hole: KernelReports.Hole?
    /// The time up to which everything has been read and ordered.
    package let settled: Timestamp
  }

  /// A receiver that stopped listening, which is not passed on yet.
  private struct Pause {
    let receiver: UInt8
    var state: RadioState
    let start: Timestamp

    var end: Timestamp { start + ScanWatch.shortestPause }
  }

  private let outbox: ReportQueue
  private var kernel: KernelReports?
  /// The receivers that were passed on as listening.
  private var listening: Set<UInt8> = []
  /// Scans that stopped for less than ``ScanWatch/shortestPause`` so far, the first one first.
  private var pauses: [Pause] = []
  private var window = ReorderingWindow()
  /// The time up to which everything was delivered.
  private var delivered = Timestamp.earliest
  /// The inputs since the last delivery that are not in the window.
  private var received = ScanBatch()

  /// Creates an intake.
  ///
  /// - Parameters:
  ///   - outbox: Receives all inputs.
  ///   - channel: The kernel's monitor channel; `nil` if it is not open.
  package init(outbox: ReportQueue, channel: MonitorSocket?) {
    self.outbox = outbox
    kernel = channel.map { KernelReports($0) }
  }

  /// Whether the kernel's monitor channel is open.
  package var hasChannel: Bool { kernel != nil }

  /// The monitor channel's descriptor, to wait on.
  package var descriptor: Int32? { kernel?.descriptor }

  /// Whether the last read of the channel left packets unread.
  package var isBehind: Bool { kernel?.isBehind ?? false }

  /// When ``deliver(upTo:_:)`` must be called next; `nil` if it need not be called.
  package var nextDelivery: Timestamp? {
    let lag = hasChannel ? ReorderingWindow.length : .zero
    let next = [outbox.nextDelivery.map { $0 + lag }, window.nextRelease].compactMap(\.self).min()
    guard let end = pauses.first.map({ $0.end + lag }) else { return next }
    return isPaused ? end : next.map { min($0, end) } ?? end
  }

  /// Whether no receiver listens, and it is not known yet whether the scan resumes soon.
  private var isPaused: Bool {
    !pauses.isEmpty
      && listening.allSatisfy { receiver in
        pauses.contains { $0.receiver == receiver }
      }
  }

  /// Returns an adapter as the kernel describes it.
  package func kernelAdapter(_ number: UInt16) -> MonitorAdapter? {
    kernel?.decoder.adapter(number)
  }

  // MARK: In

  /// Adds a report.
  package mutating func add(_ report: AdvertisingReport, payload: [UInt8]) {
    received.append(report, payload: payload)
  }

  /// Adds a receiver's new state from a time on.
  ///
  /// With an open channel, a scan that stops for less than ``ScanWatch/shortestPause`` changes nothing, as in a capture:
  /// a loss is added when it has lasted that long, and until then nothing is delivered if no other receiver listens.
  package mutating func add(_ state: RadioState, of receiver: UInt8, at time: Timestamp) {
    let pause = pauses.firstIndex { $0.receiver == receiver }
    switch (state, pause) {
    case (.listening, let pause?):
      if time >= pauses[pause].end { endPauses(at: time) } else { pauses.remove(at: pause) }
      if !listening.contains(receiver) { pass(state, of: receiver, at: time) }
    case (.off, let pause?), (.gone, let pause?): pauses[pause].state = state
    case (.off, nil) where hasChannel && listening.contains(receiver),
      (.gone, nil) where hasChannel && listening.contains(receiver):
      pauses.append(Pause(receiver: receiver, state: state, start: time))
    default:
      if let pause { pauses.remove(at: pause) }
      pass(state, of: receiver, at: time)
    }
  }

  private mutating func pass(_ state: RadioState, of receiver: UInt8, at time: Timestamp) {
    if state == .listening { listening.insert(receiver) } else { listening.remove(receiver) }
    received.inputs.append(.radio(receiver: receiver, state, time))
  }

  /// Passes on the losses that have lasted long enough at a time.
  ///
  /// What another receiver received since then may be delivered already, so a loss then counts from the latest
  /// delivery on.
  private mutating func endPauses(at time: Timestamp) {
    while let pause = pauses.first, pause.end <= time {
      pauses.removeFirst()
      pass(pause.state, of: pause.receiver, at: max(pause.start, delivered))
    }
  }

  /// Adds a time in which receivers could not receive, so that their silence causes no exit.
  package mutating func addSilence(
    of receivers: [UInt8],
    from start: Timestamp,
    to end: Timestamp
  ) {
    received.inputs += Self.silence(of: receivers, from: start, to: end)
  }

  /// Reads the waiting packets of the monitor channel.
  ///
  /// - Parameters:
  ///   - now: The current time on the timeline.
  ///   - wall: The wall clock's time at `now`; `nil` if it could not be read exactly enough.
  ///   - readClocks: Reads both clocks again.
  ///   - receiver: Returns an adapter's number in reports; `nil` if its reports are not wanted.
  /// - Returns: The result; `nil` if the channel is not open. Pass it to ``add(_:silent:)``.
  package mutating func readKernel(
    now: Timestamp,
    wall: Timestamp?,
    readClocks: () -> SourceTimeline.Reading?,
    receiver: (UInt16) -> UInt8?
  ) -> KernelReading? {
    let reading = kernel?.read(
      now: now,
      wall: wall,
      readClocks: readClocks,
      receiver: receiver
    )
    guard let reading, let reports = kernel?.drainBatch(), let scans = kernel?.drainScans() else {
      return nil
    }
    let settled = now - ReorderingWindow.length
    return KernelReading(
      reports: reports,
      scans: scans,
      dropped: reading.dropped,
      hole: reading.hole,
      settled: reading.more.map { min($0, settled) } ?? settled
    )
  }

  /// Adds the result of a read of the monitor channel, after the receiver states that it caused.
  ///
  /// - Parameters:
  ///   - reading: The result of the read.
  ///   - receivers: The receivers whose reports the kernel may have dropped.
  package mutating func add(_ reading: KernelReading, silent receivers: [UInt8]) {
    // The state "receives again" comes first, then the received reports.
    window.add(received)
    received = ScanBatch()
    window.add(reading.reports)
    if let hole = reading.hole {
      let inputs = Self.silence(of: receivers, from: hole.start, to: hole.end)
      window.add(ScanBatch(inputs: inputs))
    }
  }

  /// Returns how many packets the kernel dropped since the last read.
  package mutating func drainDrops() -> Int { kernel?.drainDrops() ?? 0 }

  private static func silence(
    of receivers: [UInt8],
    from start: Timestamp,
    to end: Timestamp
  ) -> [ScanInput] {
    // It ends just before the input that ends it.
    let last = max(start, end - TimeSpan(microseconds: 1))
    return receivers.map { .radio(receiver: $0, .deaf, start) }
      + receivers.map { .radio(receiver: $0, .listening, last) }
  }

  // MARK: Out

  /// Delivers everything up to a time.
  package mutating func deliver(upTo time: Timestamp, _ statistics: BlueZStatistics) {
    guard hasChannel else { return outbox.deliver(&received, upTo: time, statistics) }
    var time = time
    if !pauses.isEmpty {
      endPauses(at: time)
      window.add(received)
      received = ScanBatch()
      if isPaused, let pause = pauses.max(by: { $0.start < $1.start }) {
        time = min(time, pause.start)
      }
    }
    delivered = max(delivered, time)
    var ready = window.release(upTo: time)
    outbox.deliver(&ready, upTo: time, statistics)
  }
}
