// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import DBus

// What comes through the kernel's monitor channel, where it is open. A receiver is heard through it or over D-Bus, never
// both; which of the two is settled when BlueZ tells of the adapter.

extension BlueZHandler {
  /// Waits for packets of the monitor channel, where it is open.
  func watchKernel(_ loop: BusLoop) {
    guard let descriptor = kernelReports?.descriptor else { return }
    loop.watch(descriptor) { [weak self] _ in self?.deliver() }
  }

  /// Settles how a receiver is heard, now that BlueZ has told of its adapter.
  ///
  /// A bus can be another machine's, whose adapters this kernel has not.
  func settlePath(of index: Int, _ adapter: AdapterObject, _ loop: BusLoop) {
    // The kernel told of it before BlueZ could.
    readKernel()
    let known = kernelReports?.decoder.adapter(adapter.number)
    receivers[index].isReceivedByKernel = known?.mayHave(address: adapter.address) ?? false
    guard !receivers[index].isReceivedByKernel, kernelReports != nil else { return }
    guard path == .kernel else { return listenToDevices(loop) }
    if startup.isSettled {
      outbox.add(.notOfThisKernel(adapter: adapter.name))
    } else {
      fail(.notOfThisKernel(adapter: adapter.name), loop)
    }
  }

  /// Asks the bus for the signals of devices, unless every adapter is heard through the kernel.
  func listenToDevices(_ loop: BusLoop) {
    guard !isListeningToDevices else { return }
    isListeningToDevices = true
    loop.add(
      MatchRule(
        sender: Self.service,
        interface: BusName.properties,
        member: "PropertiesChanged",
        pathNamespace: "/org/bluez"
      )
    )
  }

  /// Asks the bus for the signals of adapters alone.
  func listenToAdapters(_ loop: BusLoop) {
    loop.add(
      MatchRule(
        sender: Self.service,
        interface: BusName.properties,
        member: "PropertiesChanged",
        pathNamespace: "/org/bluez",
        firstArgument: "org.bluez.Adapter1"
      )
    )
  }

  /// Reads what came through the kernel into the window.
  ///
  /// - Returns: How far what is in the window may be told.
  @discardableResult
  func readKernel() -> Timestamp {
    let look = timeline.look()
    let now = look?.now ?? timeline.now
    self.look(at: now)
    guard kernelReports != nil else { return now }
    let reading = kernelReports?.read(
      now: now,
      wall: look?.wall,
      lookAgain: { [timeline] in timeline.look() },
      receiver: { [receivers] adapter in
        receivers.first {
          $0.adapter == adapter && $0.isReceivedByKernel && $0.machine.isListening
        }?
        .number
      }
    )
    if let reading { tell(reading) }
    guard let batch = kernelReports?.drainBatch() else { return now }
    receivedByKernel(batch)
    // First that a receiver hears again, then what it heard.
    window.add(heard)
    heard = ScanBatch()
    window.add(batch)
    if let hole = reading?.hole { window.add(silence(of: hole)) }
    let settled = now - ReorderingWindow.length
    return reading?.more.map { min($0, settled) } ?? settled
  }

  private func receivedByKernel(_ batch: borrowing ScanBatch) {
    for index in batch.inputs.indices {
      guard case .report(let report) = batch.inputs[index] else { continue }
      statistics.reports &+= 1
      let start = Int(report.payloadStart)
      let payload = start..<start + Int(report.payloadCount)
      let reading = BeaconDecoder.read(advertisingData: batch.bytes.span, in: payload)
      hear(Int(report.receiver), from: report.address, reading, at: report.time)
      if let address = report.address {
        watchFilter(Int(report.receiver), address.rawValue, at: report.time)
      }
    }
  }

  private func tell(_ reading: KernelReports.Reading) { tell(dropped: reading.dropped) }

  private func tell(dropped: Int) {
    guard dropped > 0 else { return }
    statistics.kernelDropped &+= dropped
    outbox.add(.kernelDropped(dropped))
  }

  /// Tells what the kernel dropped since the last reading; the last thing to do with the channel.
  func tellLastDrops() {
    if let dropped = kernelReports?.drainDrops() { tell(dropped: dropped) }
  }

  /// A hole in what was read as states of the receivers.
  private func silence(of hole: KernelReports.Hole) -> ScanBatch {
    let receiving = receivers.filter { $0.isReceivedByKernel && $0.machine.isReceiving }.map(
      \.number
    )
    return ScanBatch(inputs: silence(of: receiving, from: hole.start, to: hole.end))
  }
}
