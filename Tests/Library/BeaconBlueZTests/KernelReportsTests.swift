// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import Glibc
import Testing

/// The kernel source over a socket pair: reading, time, filter, drops.
struct KernelReportsTests {
  private let pair: MonitorPair
  private var scan: KernelReports
  private static let now = Timestamp(microseconds: 1_700_000_000_000_000)

  init() throws {
    pair = try MonitorPair()
    scan = KernelReports(pair.channel)
  }

  private var wall: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  @discardableResult
  private mutating func read(
    limit: Int = KernelReports.maximumReads,
    delayedBy delay: TimeSpan = .zero
  ) -> KernelReports.Reading {
    scan.read(now: Self.now, wall: wall + delay, limit: limit) { $0 < 2 ? UInt8($0) : nil }
  }

  private func reports(_ batch: ScanBatch) -> [AdvertisingReport] {
    batch.inputs.compactMap { if case .report(let report) = $0 { report } else { nil } }
  }

  @Test mutating func `reports of the wanted adapters come whole, in order`() {
    pair.send(0, 0, MonitorPair.newIndex())
    pair.send(3, 0, MonitorPair.report(minor: 1, rssi: -50))
    pair.send(3, 7, MonitorPair.report(minor: 2))
    pair.send(3, 1, MonitorPair.report(minor: 3, rssi: -70))
    read()
    let batch = scan.drainBatch()
    let received = reports(batch)
    #expect(received.map(\.rssi) == [-50, -70])
    #expect(received.map(\.receiver) == [0, 1])
    #expect(received.map(\.kind) == [.nonConnectable, .nonConnectable])
    #expect(received.allSatisfy { $0.content == .advertisingData && $0.address != nil })
    #expect(received.map { Array(batch.payload(of: $0)).dropLast().last } == [1, 3])
    #expect(scan.decoder.unexpected == 1)
    #expect(scan.drainBatch().inputs.isEmpty)
  }

  @Test mutating func `adapters come, are switched on and off, and go`() {
    pair.send(0, 0, MonitorPair.newIndex([0, 0, 0, 0, 0, 0]))
    pair.send(8)
    read()
    #expect(scan.decoder.adapter(0)?.isOpen == true)
    #expect(scan.decoder.adapter(0)?.address == nil)
    pair.send(10, 0, [6, 5, 4, 3, 2, 1, 0, 0])
    pair.send(9)
    read()
    #expect(scan.decoder.adapter(0)?.isOpen == false)
    #expect(scan.decoder.adapter(0)?.address == 0x0102_0304_0506)
    pair.send(1)
    read()
    #expect(scan.decoder.adapter(0) == nil)
  }

  @Test
  mutating func
    `the filter passes reports, notes, and the starts and ends of scans, and nothing else`()
  {
    let connectionComplete: [UInt8] = [0x3E, 2, 0x01, 0]
    let commandComplete: [UInt8] = [0x0E, 4, 1, 0, 0, 0]
    pair.send(3, 0, connectionComplete)
    pair.send(3, 0, commandComplete)
    pair.send(3, 0, [0x3E])
    pair.send(2, 0, [0x0B, 0x20, 7, 1, 0x10, 0, 0x10, 0, 0, 0])
    pair.send(2, 0, [0x0C, 0x0C, 0])
    pair.send(17, 0, [0, 0, 0, 0])
    pair.send(0x0103, 0, MonitorPair.report(minor: 9))
    for opcode: UInt16 in [0, 1, 8, 9, 10, 12] { pair.send(opcode, 0, [0, 0]) }
    pair.send(3, 0, MonitorPair.report(minor: 1))
    pair.send(2, 0, [0x0C, 0x20, 2, 1, 1])
    pair.send(2, 0, [0x42, 0x20, 6, 0, 0, 0, 0, 0, 0])
    var buffer = [UInt8](repeating: 0, count: MonitorSocket.longestPacket)
    var passed: [UInt8] = []
    while pair.channel.receive(into: &buffer) != nil { passed.append(buffer[0]) }
    #expect(passed == [0, 1, 8, 9, 10, 12, 3, 2, 2])
  }

  @Test mutating func `commands of both generations tell when scans start and end`() {
    pair.send(2, 0, [0x0C, 0x20, 2, 1, 1])
    pair.send(2, 1, [0x42, 0x20, 6, 1, 0, 0, 0, 0, 0])
    pair.send(3, 0, MonitorPair.report(minor: 1))
    pair.send(2, 1, [0x42, 0x20, 6, 0, 0, 0, 0, 0, 0])
    pair.send(2, 0, [0x0C, 0x20, 2, 0, 0])
    pair.send(2, 0, [0x0C, 0x20, 2])
    read()
    let scans = scan.drainScans()
    #expect(scans.map(\.adapter) == [0, 1, 1, 0])
    #expect(scans.map(\.isStart) == [true, true, false, false])
    #expect(scan.drainScans().isEmpty)
  }

  @Test func `the filter of the control channel passes answers, and no report of another's scan`() {
    ChannelFilter.answers.attach(to: pair.channel.descriptor)
    let deviceFound: UInt16 = 0x0012
    let monitorDeviceFound: UInt16 = 0x002F
    for event in [deviceFound, monitorDeviceFound, 0x0101, 0x0014] {
      pair.send(event, 0, [UInt8](repeating: 0, count: 60))
    }
    for event: UInt16 in [0x13, 1, 2, 0x31] { pair.send(event, 0, [0x52, 0, 0]) }
    var buffer = [UInt8](repeating: 0, count: MonitorSocket.longestPacket)
    var passed: [UInt8] = []
    while pair.channel.receive(into: &buffer) != nil { passed.append(buffer[0]) }
    #expect(passed == [0x13, 1, 2, 0x31])
  }

  @Test mutating func `malformed and cut packets are counted, and the next ones are read`() {
    pair.send([3, 0, 0, 0, 9, 0, 0x3E, 1, 2])
    pair.send(3, 0, [0x3E, 200, 2, 1, 0])
    pair.send(3, 0, Array(MonitorPair.report(minor: 1).dropLast(5)))
    let long = [UInt8](repeating: 0, count: 2 * MonitorSocket.longestPacket)
    pair.send(12, 0, long)
    pair.send(3, 0, MonitorPair.report(minor: 4))
    read()
    #expect(reports(scan.drainBatch()).count == 1)
    #expect(scan.decoder.malformed == 4)
  }

  @Test mutating func `a packet has the time at which the kernel received it`() throws {
    read()
    pair.send(3, 0, MonitorPair.report(minor: 1))
    read(delayedBy: .milliseconds(20))
    let time = try #require(reports(scan.drainBatch()).first).time
    #expect(time < Self.now && Self.now - time <= MonitorClock.longestDelay)
  }

  @Test
  mutating func
    `a reader that stands still between the clocks and the packets reads the clocks again`()
    throws
  {
    // The packets have real time stamps, so the test simulates earlier clocks with smaller times.
    let look = wall + .milliseconds(-700)
    pair.send(3, 0, MonitorPair.report(minor: 2))
    pair.send(3, 0, MonitorPair.report(minor: 3))
    var looks = 0
    _ = scan.read(
      now: Self.now,
      wall: look,
      readClocks: { [wall] in
        looks += 1
        return (wall, Self.now + (wall - look))
      },
      receiver: { _ in 0 }
    )
    #expect(looks == 1)
    let times = reports(scan.drainBatch()).map { $0.time - Self.now }
    #expect(times.count == 2)
    // Otherwise they would get the time at which the clocks were read: a silence that did not exist.
    #expect(times.allSatisfy { $0 >= .milliseconds(700) })
  }

  @Test mutating func `the kernel reports that it dropped nothing`() {
    #expect(pair.channel.dropped == 0)
    pair.send(3, 0, MonitorPair.report(minor: 1))
    #expect(read().dropped == 0)
  }

  @Test mutating func `a read that leaves packets reports the time of the last one read`() {
    for minor: UInt8 in 1...5 { pair.send(3, 0, MonitorPair.report(minor: minor)) }
    #expect(read(limit: 3).more != nil)
    #expect(scan.isBehind)
    #expect(reports(scan.drainBatch()).count == 3)
    #expect(read().more == nil)
    #expect(!scan.isBehind)
    #expect(reports(scan.drainBatch()).count == 2)
  }
}

struct MonitorClockTests {
  private func at(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Int64((seconds * 1e6).rounded()))
  }

  @Test func `stamps of the wall clock are converted to the timeline`() {
    var clock = MonitorClock()
    #expect(clock.time(of: at(5), now: at(7)) == at(7))
    #expect(clock.compare(wall: at(1000), timeline: at(10)) == nil)
    #expect(clock.time(of: at(999.5), now: at(10)) == at(9.5))
    // A little jitter between two comparisons moves nothing.
    #expect(clock.compare(wall: at(1001), timeline: at(11.003)) == nil)
    #expect(clock.time(of: at(1000.5), now: at(11.003)) == at(10.5))
    #expect(clock.time(of: nil, now: at(11)) == at(11))
  }

  @Test func `a step of the wall clock is detected and moves nothing`() {
    var clock = MonitorClock()
    _ = clock.compare(wall: at(1000), timeline: at(10))
    #expect(clock.compare(wall: at(4601), timeline: at(11)) == .seconds(3600))
    #expect(clock.time(of: at(4600.5), now: at(11)) == at(10.5))
    // A stamp from before the clock was set gets the current time, not one an hour ago.
    #expect(clock.time(of: at(1000.9), now: at(11)) == at(11))
    #expect(clock.compare(wall: at(1002), timeline: at(12)) == .seconds(-3600))
    // Only a little time passes while other packets are read.
    #expect(clock.time(of: at(1002.2), now: at(12)) == at(12.2))
    #expect(clock.time(of: at(4602.2), now: at(12)) == at(12))
  }

  @Test func `a packet that waited during a stall of the program keeps its time`() {
    var clock = MonitorClock()
    _ = clock.compare(wall: at(1000), timeline: at(10))
    #expect(clock.time(of: at(1000.5), now: at(19)) == at(19))
    #expect(clock.time(of: at(1000.5), now: at(19), notBefore: at(10)) == at(10.5))
    // A stamp long before the channel was last empty belongs to another time of the wall clock.
    #expect(clock.time(of: at(997), now: at(19), notBefore: at(10)) == at(19))
  }
}

struct ReorderingWindowTests {
  private func report(_ milliseconds: Int64, _ byte: UInt8) -> ScanBatch {
    var batch = ScanBatch()
    let time = Timestamp(microseconds: milliseconds * 1000)
    batch.append(
      AdvertisingReport(time: time, rssi: nil, payloadStart: 0, payloadCount: 0),
      payload: [byte]
    )
    return batch
  }

  private func content(_ batch: ScanBatch) -> [UInt8] {
    batch.inputs.map { input in
      if case .report(let report) = input { batch.payload(of: report).first ?? 0 } else { 0xFF }
    }
  }

  @Test func `inputs come out in the order of their times, with their payloads`() {
    var window = ReorderingWindow()
    window.add(report(30, 3))
    window.add(report(10, 1))
    let off = Timestamp(microseconds: 10_000)
    window.add(ScanBatch(inputs: [.radio(receiver: 0, .off, off)]))
    window.add(report(20, 2))
    #expect(window.nextRelease == Timestamp(microseconds: 10_000) + ReorderingWindow.length)
    #expect(content(window.release(upTo: Timestamp(microseconds: 20_000))) == [1, 0xFF, 2])
    window.add(report(25, 4))
    #expect(content(window.release(upTo: Timestamp(microseconds: 24_999))) == [])
    #expect(content(window.release(upTo: Timestamp(microseconds: 99_000))) == [4, 3])
    #expect(window.isEmpty)
    #expect(window.nextRelease == nil)
  }

  @Test func `many inputs are released at intervals`() {
    var window = ReorderingWindow()
    _ = window.release(upTo: Timestamp(microseconds: 100_000))
    window.add(report(101, 1))
    let wait = ReorderingWindow.length + ReorderingWindow.interval
    #expect(window.nextRelease == Timestamp(microseconds: 100_000) + wait)
  }
}
