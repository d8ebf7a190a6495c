// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import BeaconTestSupport
import DBus
import DBusTestSupport
import Testing

@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(1)))
struct BlueZRecoveryTests {
  /// A source that listens to a daemon, and the listener that received its first reports.
  private static func begin(
    _ bus: PrivateBus,
    _ clock: ManualClock? = nil
  ) async throws -> (daemon: FakeBlueZ, listener: Listener) {
    let daemon = try await FakeBlueZ.start(on: bus)
    var options = BlueZScanOptions(bus: bus.address)
    if let clock { clock.drive(&options) }
    var listener = Listener(try await BlueZSource.start(options))
    // A batch is delivered after its interval.
    clock?.pass(options.interval)
    await listener.listen { $0.radio == [.listening] }
    return (daemon, listener)
  }

  /// Row B11.
  @Test func `power off and on sets the filter again before it starts`() async throws {
    let bus = try PrivateBus()
    var (daemon, listener) = try await Self.begin(bus)
    daemon.power(false)
    await listener.listen { $0.radio.last == .off }
    daemon.power(true)
    await listener.listen { $0.radio.last == .listening }
    daemon.report(1, -60)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.radio == [.listening, .off, .listening])
    #expect(
      daemon.calls.dropFirst(4) == ["GetDiscoveryFilters", "SetDiscoveryFilter", "StartDiscovery"]
    )
    await listener.source.stop()
  }

  @Test func `a daemon that is killed and started again is followed`() async throws {
    let bus = try PrivateBus()
    var (daemon, listener) = try await Self.begin(bus)
    await daemon.die()
    await listener.listen { $0.radio.last == .gone }
    try await daemon.appear()
    await listener.listen { $0.radio.last == .listening }
    daemon.discover(1, -60)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.radio == [.listening, .gone, .off, .listening])
    #expect(listener.source.drainDiagnostics().contains(.serviceLost))
    await listener.source.stop()
  }

  /// Row B16.
  @Test func `an adapter plugged in under another number is the same receiver`() async throws {
    let bus = try PrivateBus()
    var (daemon, listener) = try await Self.begin(bus)
    daemon.unplug()
    await listener.listen { $0.radio.last == .gone }
    daemon.plug(.init(number: 3, address: "AA:BB:CC:00:00:01"))
    await listener.listen { $0.radio.last == .listening }
    daemon.report(1, -60, adapter: 3)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.reports.map(\.receiver) == [0])
    #expect(listener.source.receiverNames == ["hci0"])
    await listener.source.stop()
  }

  @Test func `discovery that stops by itself is resumed by setting the filter`() async throws {
    let bus = try PrivateBus()
    let clock = ManualClock()
    var (daemon, listener) = try await Self.begin(bus, clock)
    clock.pass(AdapterMachine.steadyTime)
    daemon.stopByItself()
    try await daemon.wait { state in state.calls.count { $0 == "SetDiscoveryFilter" } == 2 }
    await daemon.settle()
    clock.pass(.seconds(1))
    await listener.listen { $0.radio.count == 3 }
    #expect(listener.radio == [.listening, .off, .listening])
    #expect(daemon.calls.dropFirst(4) == ["SetDiscoveryFilter"])
    #expect(listener.source.drainDiagnostics().contains(.discoveryStopped(adapter: "hci0")))
    await listener.source.stop()
  }

  @Test func `two adapters are two receivers`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(
      on: bus,
      [
        .init(number: 0, address: "AA:BB:CC:00:00:01"),
        .init(number: 1, address: "AA:BB:CC:00:00:02"),
      ]
    )
    var listener = Listener(try await BlueZSource.start(BlueZScanOptions(bus: bus.address)))
    await listener.listen { $0.radio.count { $0 == .listening } == 2 }
    daemon.report(1, -60, adapter: 0)
    daemon.report(1, -70, adapter: 1)
    await listener.listen { $0.reports.count == 2 }
    #expect(listener.reports.map(\.receiver) == [0, 1])
    #expect(listener.strengths == [-60, -70])
    #expect(listener.source.receiverNames == ["hci0", "hci1"])
    await listener.source.stop()

    let one = try await BlueZSource.start(
      BlueZScanOptions(adapters: .named("aa:bb:cc:00:00:02"), bus: bus.address)
    )
    #expect(one.receiverNames == ["hci1"])
    await one.stop()
  }

  @Test func `if the bus ends the adapters are gone, and the source still stops`()
    async throws
  {
    let bus = try PrivateBus()
    var (daemon, listener) = try await Self.begin(bus)
    bus.stop()
    await listener.listen { $0.radio.last == .gone }
    #expect(listener.source.drainDiagnostics().contains(.busLost))
    _ = daemon
    await listener.source.stop()
  }

  /// Sends bytes to a source from another program of the bus, and waits until the bus has them.
  private static func send(
    _ size: Int,
    from program: BusProgram,
    to source: BlueZSource
  ) async throws {
    let victim = await withCheckedContinuation { waiter in
      if !source.thread.post({ waiter.resume(returning: $0.uniqueName) }) {
        waiter.resume(returning: nil)
      }
    }
    program.thread.post {
      $0.emit("/x", "x.y", "Z", [.bytes([UInt8](repeating: 0, count: size))], to: victim)
    }
    _ = try await program.thread.call(.bus("GetId"), timeout: .seconds(30))
  }

  // On a busy machine the sanitizers copy the larger ones for longer than a test may take.
  @Test(arguments: Effort.isQuick ? [9 << 20] : [9 << 20, 31 << 20])
  func `a long message of a stranger neither ends the connection nor costs a report`(size: Int)
    async throws
  {
    let bus = try PrivateBus(.system)
    var (daemon, listener) = try await Self.begin(bus)
    let stranger = try await BusProgram.stranger(on: bus)
    let count = size < 10 << 20 ? 2 : 1
    for _ in 0..<count { try await Self.send(size, from: stranger, to: listener.source) }
    daemon.report(1, -51)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.strengths == [-51])
    #expect(listener.radio == [.listening])
    #expect(listener.source.statistics.foreignMessages == count)
    #expect(!listener.source.drainDiagnostics().contains(.busLost))
    await listener.source.stop()
  }

  @Test func `a connection that is lost is made again, and the radio does not change`() async throws
  {
    let bus = try PrivateBus(.system)
    var (daemon, listener) = try await Self.begin(bus)
    // The bus ends a connection that sends more than it passes on.
    let source = listener.source
    source.thread.post {
      $0.emit("/x", "x.y", "Z", [.bytes([UInt8](repeating: 0, count: 33 << 20))])
    }
    try await daemon.wait { state in state.calls.count { $0 == "StartDiscovery" } == 2 }
    daemon.report(1, -51)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.strengths == [-51])
    #expect(listener.radio == [.listening])
    #expect(source.drainDiagnostics().contains(.busLost))
    await source.stop()
  }
}
