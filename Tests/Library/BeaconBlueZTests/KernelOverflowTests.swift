// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import DBusTestSupport
import Glibc
import Synchronization
import Testing

/// Packets that the kernel drops because nobody reads them are counted, and the silence that this causes is reported.
///
/// No test waits: the kernel stamps packets by the real wall clock, and a test reads them with clocks that it sets
/// itself.
@Suite(.timeLimit(.minutes(1)))
struct KernelOverflowTests {
  private static let buffer: Int32 = 16_384
  /// Longer than the interval of asking the kernel for drops, and than the shortest hole.
  private static let pause = TimeSpan.milliseconds(1100)
  private let pair: MonitorPair

  init() throws {
    pair = try MonitorPair(dropping: Self.buffer)
  }

  private var wall: Timestamp { WallClock.system.now() }

  /// Reads with the timeline ahead of the wall clock, as if so much time had passed since the first reading.
  private func read(
    _ scan: inout KernelReports,
    after passed: TimeSpan = .zero
  ) -> KernelReports.Reading {
    let now = wall
    return scan.read(now: now + passed, wall: now) { $0 == 0 ? 0 : nil }
  }

  /// Reads with both clocks set forward, as if the packets had waited in the kernel's buffer for so long.
  private func read(
    _ scan: inout KernelReports,
    delayedBy delay: TimeSpan
  ) -> KernelReports.Reading {
    let now = wall + delay
    return scan.read(now: now, wall: now) { $0 == 0 ? 0 : nil }
  }

  private func flood(_ count: Int = 500) {
    for _ in 0..<count { pair.send(3, 0, MonitorPair.report(minor: 1)) }
  }

  private func times(_ batch: ScanBatch) -> [Timestamp] { batch.inputs.map(\.time) }

  /// Row B21.
  @Test func `dropped packets are counted once each`() throws {
    var scan = KernelReports(pair.channel)
    _ = read(&scan)
    flood()
    let reading = read(&scan, delayedBy: Self.pause)
    let received = scan.drainBatch().inputs.count
    #expect(received > 0 && received < 500)
    #expect(received + reading.dropped == 500)
    #expect(scan.drainDrops() == 0)
    flood(300)
    let last = scan.drainDrops()
    _ = read(&scan)
    #expect(scan.drainBatch().inputs.count + last == 300)
  }

  @Test func `the silence that dropped packets cause is reported once, from packet to packet`()
    throws
  {
    var scan = KernelReports(pair.channel)
    _ = read(&scan)
    let start = wall
    flood()
    #expect(read(&scan, delayedBy: Self.pause).hole == nil)
    let before = times(scan.drainBatch())
    pair.send(3, 0, MonitorPair.report(minor: 1))
    let hole = try #require(read(&scan, after: Self.pause).hole)
    let after = times(scan.drainBatch())
    #expect(hole.start == before.last && hole.end == after.first)
    #expect(hole.end - hole.start >= KernelReports.shortestHole)
    // The packets that waited kept their times.
    #expect(hole.start >= start && hole.start - start < .milliseconds(500))
    pair.send(3, 0, MonitorPair.report(minor: 1))
    #expect(read(&scan, after: Self.pause + Self.pause).hole == nil)
    let last = try #require(times(scan.drainBatch()).first)
    #expect(try last - #require(after.last) >= KernelReports.shortestHole)
  }

  @Test func `a silence without dropped packets is no hole`() throws {
    var scan = KernelReports(pair.channel)
    pair.send(3, 0, MonitorPair.report(minor: 1))
    _ = read(&scan)
    pair.send(3, 0, MonitorPair.report(minor: 1))
    let reading = read(&scan, after: Self.pause)
    #expect(reading.hole == nil && reading.dropped == 0)
    let times = times(scan.drainBatch())
    #expect(times.count == 2 && times[1] - times[0] >= KernelReports.shortestHole)
  }

  @Test(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"))
  func `a source whose reader was stalled reports it and continues`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    pair.send(0, 0, MonitorPair.newIndex([1, 0, 0, 0xCC, 0xBB, 0xAA]))
    var options = BlueZScanOptions(path: .kernel, bus: bus.address)
    options.openChannel = { [pair] () throws(BlueZUnavailable) in pair.channel }
    let source = try await BlueZSource.start(options)
    #expect(daemon.calls.last == "StartDiscovery")
    var listener = Listener(source)
    pair.send(3, 0, MonitorPair.report(minor: 1))
    await listener.listen { !$0.reports.isEmpty }
    // Faster than any thread reads.
    for _ in 0..<10 { flood(2000) }
    await listener.listen { $0.source.statistics.kernelDropped > 0 }
    await source.stop()
    await listener.listen { _ in false }
    let statistics = source.statistics
    #expect(statistics.kernelDropped > 0)
    #expect(statistics.reports + statistics.kernelDropped == 20_001)
    #expect(
      source.drainDiagnostics().contains { if case .kernelDropped = $0 { true } else { false } }
    )
    // There is no silence between the packets that were read.
    #expect(!listener.radio.contains(.deaf))
  }
}
