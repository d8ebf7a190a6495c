// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import BeaconBlueZ
import BeaconCore
import DBus
import DBusTestSupport
import Synchronization
import Testing

@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(1)))
struct BlueZSourceTests {
  static let plainStart = [
    "GetManagedObjects", "GetDiscoveryFilters", "SetDiscoveryFilter", "StartDiscovery",
  ]

  /// Created again each time, as in the tests of D-Bus values.
  static var fullFilter: DBusValue {
    .properties([
      "Transport": .string("le"), "DuplicateData": .boolean(true), "RSSI": .int16(-127),
      "Pattern": .string(""),
    ])
  }

  /// The time at which the source's thread will wake by itself.
  private static func nextDeadline(of source: BlueZSource) async -> Uptime? {
    await withCheckedContinuation { waiter in
      if !source.thread.post({ waiter.resume(returning: $0.handler.nextDeadline) }) {
        waiter.resume(returning: nil)
      }
    }
  }

  // MARK: Starting

  /// Rows W12, B2, B4.
  @Test func `the start makes its calls in order, with the whole filter`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    #expect(daemon.calls == Self.plainStart)
    #expect(daemon.state.withLock(\.filters) == [Self.fullFilter])
    #expect(source.receiverNames == ["hci0"])
    #expect(source.drainDiagnostics() == [])
    await source.stop()
  }

  @Test func `a source that nobody pulls from checks for stalls, and silence is not one`()
    async throws
  {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    var listener = Listener(try await BlueZSource.start(BlueZScanOptions(bus: bus.address)))
    await listener.listen { $0.radio == [.listening] }
    // Nobody pulls and nothing is received, so only the check for stalls can wake the thread so soon.
    let asked = Uptime.now
    let deadline = try #require(await Self.nextDeadline(of: listener.source))
    #expect(deadline <= asked + StallWatch.interval.duration + .seconds(1))
    daemon.report(1, -60)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.radio == [.listening])
    #expect(listener.source.drainDiagnostics() == [])
    await listener.source.stop()
  }

  @Test func `a key the daemon does not know is not sent`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus) { $0.filterKeys = ["RSSI", "Transport"] }
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    let expected = DBusValue.properties(["Transport": .string("le"), "RSSI": .int16(-127)])
    #expect(daemon.state.withLock(\.filters) == [expected])
    await source.stop()
  }

  /// Rows B7, B8, B10.
  @Test func `a daemon that accepts monitors gets one with thresholds, until the end`()
    async throws
  {
    let bus = try PrivateBus()
    let adapter = FakeBlueZ.Adapter(address: "AA:BB:CC:00:00:01", acceptsMonitors: true)
    let daemon = try await FakeBlueZ.start(on: bus, [adapter])
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    try await daemon.wait { !$0.monitors.isEmpty }
    guard case .dictionary(_, let objects) = daemon.state.withLock(\.monitors).first,
      case .dictionary(_, let interfaces) = objects.first?.value,
      case .dictionary(_, let properties) = interfaces.first?.value
    else {
      Issue.record("there is no monitor")
      return
    }
    #expect(interfaces.first?.key == .string("org.bluez.AdvertisementMonitor1"))
    let names = properties.compactMap(\.key.text)
    #expect(names.contains("RSSIHighThreshold") && names.contains("RSSILowThreshold"))
    let pattern = DBusValue.structure([.byte(0), .byte(0xFF), .bytes([0x4C, 0x00, 0x02, 0x15])])
    #expect(properties.map(\.value).contains(.variant(.array(of: "(yyay)", [pattern]))))
    #expect(source.drainDiagnostics() == [])
    let start = Uptime.now
    await source.stop()
    #expect(Uptime.now - start < .seconds(2))
    #expect(daemon.calls.suffix(2) == ["StopDiscovery", "UnregisterMonitor"])
    // What was received before can still be pulled, then the batches end.
    while await source.next(until: nil) != nil {}
  }

  @Test func `a start that fails has a reason`() async throws {
    await #expect(throws: BlueZUnavailable.self) {
      try await BlueZSource.start(BlueZScanOptions(bus: "unix:path=/nowhere"))
    }
    let bus = try PrivateBus()
    await #expect(throws: BlueZUnavailable.serviceNotRunning) {
      try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    }
    let daemon = try await FakeBlueZ.start(on: bus, [])
    await #expect(throws: BlueZUnavailable.noAdapter) {
      try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    }
    daemon.plug(.init(number: 1, address: "AA:BB:CC:00:00:01", isPowered: false))
    await #expect(throws: BlueZUnavailable.adapterNotFound("hci7", nearest: "hci1")) {
      try await BlueZSource.start(
        BlueZScanOptions(adapters: .named("hci7"), bus: bus.address)
      )
    }
    daemon.power(true)
    daemon.state.withLock { $0.startErrors = ["org.bluez.Error.NotAuthorized"] }
    await #expect(throws: BlueZUnavailable.notPermitted(.bluez("NotAuthorized"))) {
      try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    }
    let denied = "org.freedesktop.DBus.Error.AccessDenied"
    daemon.state.withLock { $0.objectsError = denied }
    await #expect(throws: BlueZUnavailable.notPermitted(.error(name: denied, text: ""))) {
      try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    }
  }

  @Test func `a source waits for an adapter that is off or blocked, with a warning`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus, [.init(isPowered: false)])
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    #expect(source.drainDiagnostics() == [.switchedOff(adapter: "hci0")])
    daemon.state.withLock { $0.startErrors = ["org.bluez.Error.Blocked"] }
    daemon.power(true)
    var listener = Listener(source)
    await listener.listen { $0.radio == [.off, .listening] }
    #expect(source.drainDiagnostics() == [.blocked(adapter: "hci0")])
    daemon.power(false)
    await listener.listen { $0.radio == [.off, .listening, .off] }
    #expect(source.drainDiagnostics() == [.switchedOff(adapter: "hci0")])
    await source.stop()
  }

  // MARK: Time

  /// Rows T1 and H10.
  @Test func `a step of the wall clock is reported and does not move the timeline`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let ahead = Mutex(TimeSpan.zero)
    let clock = WallClock { WallClock.system.now() + ahead.withLock { $0 } }
    var options = BlueZScanOptions(bus: bus.address)
    options.wallClock = clock
    let source = try await BlueZSource.start(options)
    var listener = Listener(source)
    for (step, device) in [(TimeSpan.seconds(7200), UInt8(1)), (.seconds(-10_000), 2)] {
      ahead.withLock { $0 = $0 + step }
      var diagnostics: [BlueZDiagnostic] = []
      // On a busy machine other checks may be late; this clock is checked once a second.
      while diagnostics.isEmpty {
        let pulled = listener.upTo.count
        await listener.listen { $0.upTo.count > pulled }
        diagnostics = source.drainDiagnostics()
      }
      guard case .clockStepped(let found) = diagnostics.first else {
        Issue.record("\(diagnostics)")
        return
      }
      #expect((found - step).seconds.magnitude < 0.5)
      daemon.report(device, -60)
    }
    await listener.listen { $0.reports.count == 2 }
    let times = listener.reports.map(\.time)
    #expect(times == times.sorted())
    #expect((source.now - WallClock.system.now()).seconds.magnitude < 10)
    await source.stop()
  }

  // MARK: Receiving

  /// Rows B5 and W13.
  @Test func `two hundred devices are received, each with its own data`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    for device in 1...200 { daemon.discover(UInt8(device), -60) }
    for round in 1...4 {
      for device in 1...200 { daemon.report(UInt8(device), Int16(-60 - round)) }
    }
    var listener = Listener(source)
    await listener.listen { $0.reports.count >= 1000 }
    #expect(listener.reports.count == 1000)
    for (index, report) in listener.reports.enumerated() {
      let device = UInt8(index % 200 + 1)
      #expect(report.rssi == Int8(-60 - index / 200))
      #expect(report.address == DeviceAddress(0xC000_0000_0000 | UInt64(device), kind: .random))
      #expect(report.content == .rebuiltManufacturerData && report.kind == nil)
      #expect(report.found.isKnown)
      #expect(
        listener.payloads[index] == [0x1A, 0xFF, 0x4C, 0x00] + FakeBlueZ.frame(minor: device)
      )
    }
    let times = listener.reports.map(\.time)
    #expect(times == times.sorted())
    #expect(listener.upTo == listener.upTo.sorted())
    #expect(source.statistics.reports == 1000)
    await source.stop()
  }

  /// Rows W13 and B24.
  @Test func `a signal without a measurement is no report`() async throws {
    let bus = try PrivateBus()
    let cached = DBusValue.properties([
      "AddressType": .string("public"), "RSSI": .int16(-50),
      "ManufacturerData": FakeBlueZ.manufacturerData(FakeBlueZ.frame(minor: 1)),
    ])
    let daemon = try await FakeBlueZ.start(on: bus) { state in
      state.devices = [(FakeBlueZ.devicePath(1), cached)]
    }
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    let path = FakeBlueZ.devicePath(1)
    daemon.report(1, 127)
    daemon.report(1, 0)
    daemon.changed(path, "org.bluez.Device1", .properties([:]), gone: ["RSSI"])
    daemon.changed(path, "org.bluez.Device1", .properties(["Connected": .boolean(true)]))
    daemon.forget(1)
    daemon.discover(1, 127)
    daemon.report(1, -51)
    var listener = Listener(source)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.strengths == [-51])
    // The removal of a device says nothing about the radio.
    #expect(listener.radio == [.listening])
    #expect(source.statistics.withoutSample == 5)
    await source.stop()
  }

  @Test(arguments: [
    DBusValue.array(of: "a{qv}", []), .string("4C00"), .uint16(76),
    .dictionary(of: "qv", [DBusEntry(key: .uint16(0x4C), value: .variant(.string("x")))]),
    .dictionary(of: "sv", [DBusEntry(key: .string("76"), value: .variant(.bytes([2, 21])))]),
    FakeBlueZ.manufacturerData([UInt8](repeating: 1, count: 253)),
  ])
  func `malformed manufacturer data is counted, and what follows is received`(
    data: DBusValue
  ) async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    let path = FakeBlueZ.devicePath(1)
    let changes = DBusValue.properties(["RSSI": .int16(-70), "ManufacturerData": data])
    daemon.changed(path, "org.bluez.Device1", changes)
    daemon.changed(path, "org.bluez.Device1", .properties(["RSSI": .string("-70")]))
    daemon.emit(path, BusName.properties, "PropertiesChanged", [.string("org.bluez.Device1")])
    daemon.report(1, -51)
    var listener = Listener(source)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.strengths == [-51])
    #expect(source.statistics.malformed == 3)
    await source.stop()
  }

  @Test func `signals of another program are ignored`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    let forger = try await BusProgram.connected(to: bus)
    let names = try await forger.thread.call(.bus("ListNames"), timeout: .seconds(30))
    guard case .array(_, let all) = names.first else {
      Issue.record("the bus lists no names")
      return
    }
    let forged: [DBusValue] = [
      .string("org.bluez.Device1"), .properties(["RSSI": .int16(-1)]), .array(of: "s", []),
    ]
    for name in all.compactMap(\.text) where name.hasPrefix(":") {
      forger.thread.post {
        $0.emit(
          FakeBlueZ.devicePath(1),
          BusName.properties,
          "PropertiesChanged",
          forged,
          to: name
        )
      }
    }
    _ = try await forger.thread.call(.bus("GetId"), timeout: .seconds(30))
    daemon.report(1, -51)
    var listener = Listener(source)
    await listener.listen { !$0.reports.isEmpty }
    #expect(listener.strengths == [-51])
    #expect(source.statistics.foreignMessages == 1)
    await source.stop()
  }

  @Test func `an empty batch comes at the deadline`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    var listener = Listener(source)
    await listener.listen { $0.radio == [.listening] }
    for _ in 0..<3 {
      let deadline = source.now + .milliseconds(60)
      let batch = try #require(await source.next(until: deadline))
      #expect(batch.inputs.isEmpty)
      let upTo = try #require(batch.upTo)
      #expect(upTo > deadline)
      #expect(upTo < deadline + .seconds(5))
    }
    _ = daemon
    await source.stop()
  }

  @Test func `cancelling the task ends the batches`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let source = try await BlueZSource.start(BlueZScanOptions(bus: bus.address))
    let pulling = Task {
      while await source.next(until: nil) != nil {}
      return true
    }
    pulling.cancel()
    #expect(await pulling.value)
    _ = daemon
    await source.stop()
  }
}
