// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import DBusTestSupport
import Glibc
import Synchronization
import Testing

/// What the kernel drops because nobody reads is counted, and the silence it leaves is nobody's.
@Suite(.timeLimit(.minutes(1)))
struct KernelOverflowTests {
  private static let buffer: Int32 = 16_384
  private let pair: MonitorPair

  init() throws {
    pair = try MonitorPair(dropping: Self.buffer)
  }

  private var wall: Timestamp { WallClock.system.now() }

  private func read(_ scan: inout KernelReports) -> KernelReports.Reading {
    let now = wall
    return scan.read(now: now, wall: now) { $0 == 0 ? 0 : nil }
  }

  private func flood(_ count: Int = 500) {
    for _ in 0..<count { pair.send(3, 0, MonitorPair.report(minor: 1)) }
  }

  private func times(_ batch: ScanBatch) -> [Timestamp] { batch.inputs.map(\.time) }

  @Test func `what was dropped is counted, each once`() throws {
    var scan = KernelReports(pair.channel)
    _ = read(&scan)
    flood()
    // What is dropped is asked for once a second.
    usleep(1_050_000)
    let reading = read(&scan)
    let heard = scan.drainBatch().inputs.count
    #expect(heard > 0 && heard < 500)
    #expect(heard + reading.dropped == 500)
    #expect(scan.drainDrops() == 0)
    flood(300)
    let last = scan.drainDrops()
    _ = read(&scan)
    #expect(scan.drainBatch().inputs.count + last == 300)
  }

  @Test func `the silence that a loss leaves is told once, from packet to packet`() throws {
    var scan = KernelReports(pair.channel)
    _ = read(&scan)
    let start = wall
    flood()
    usleep(1_100_000)
    #expect(read(&scan).hole == nil)
    let before = times(scan.drainBatch())
    pair.send(3, 0, MonitorPair.report(minor: 1))
    let hole = try #require(read(&scan).hole)
    let after = times(scan.drainBatch())
    #expect(hole.start == before.last && hole.end == after.first)
    // What had waited kept its time.
    #expect(hole.start >= start && hole.start - start < .milliseconds(500))
    usleep(1_100_000)
    pair.send(3, 0, MonitorPair.report(minor: 1))
    #expect(read(&scan).hole == nil)
  }

  @Test func `a silence without a loss is the scan's`() throws {
    var scan = KernelReports(pair.channel)
    pair.send(3, 0, MonitorPair.report(minor: 1))
    _ = read(&scan)
    usleep(1_100_000)
    pair.send(3, 0, MonitorPair.report(minor: 1))
    let reading = read(&scan)
    #expect(reading.hole == nil && reading.dropped == 0)
  }

  @Test(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"))
  func `a source whose reader stood still says so, and receives on`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    pair.send(0, 0, MonitorPair.newIndex([1, 0, 0, 0xCC, 0xBB, 0xAA]))
    let source = try await BlueZSource.start(
      via: .kernel,
      bus: bus.address,
      wallClock: .system,
      opening: { pair.channel }
    )
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
    // It was no silence.
    #expect(!listener.radio.contains(.deaf))
  }
}
