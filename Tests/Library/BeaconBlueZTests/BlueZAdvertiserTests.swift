// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import DBus
import DBusTestSupport
import Synchronization
import SystemKit
import Testing

/// Sending with a daemon that behaves like the real one, on a private bus.
@Suite(
  .enabled(if: PrivateBus.isAvailable, Comment(rawValue: PrivateBus.absence)),
  .timeLimit(.minutes(1))
)
struct BlueZAdvertiserTests {
  private static let identity = BeaconIdentity(
    uuid: 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E,
    major: 1,
    minor: 7
  )
  private static let advertisement = BlueZAdvertisement(identity, measuredPower: -59)

  private static func properties(_ value: DBusValue) -> [String: DBusValue] {
    guard case .dictionary(_, let entries) = value else { return [:] }
    var found: [String: DBusValue] = [:]
    for entry in entries {
      if case .variant(let value) = entry.value, let key = entry.key.text { found[key] = value }
    }
    return found
  }

  /// Returns why an advertiser does not start.
  private static func refusal(
    on bus: PrivateBus,
    _ advertisement: BlueZAdvertisement = advertisement
  ) async -> BlueZUnavailable? {
    do {
      let advertiser = try await BlueZAdvertiser.start(advertisement, bus: bus.address)
      await advertiser.stop()
      return nil
    } catch {
      return error
    }
  }

  @Test func `the daemon reads a broadcast with the bytes of Apple's layout`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let advertiser = try await BlueZAdvertiser.start(Self.advertisement, bus: bus.address)
    #expect(advertiser.obtained.adapter == "hci0")
    #expect(advertiser.obtained.address == "AA:BB:CC:00:00:01")
    #expect(advertiser.obtained.active == 1 && advertiser.obtained.possible == 5)
    try await daemon.wait { state in
      state.advertisements.contains { Self.properties($0.properties)["Type"] != nil }
    }
    let registered = daemon.state.withLock { $0.advertisements.map(\.properties) }
    let properties = Self.properties(try #require(registered.first))
    #expect(properties["Type"] == .string("broadcast"))
    // 02 15, the UUID, major and minor with their high bytes first, and -59 as a signed byte.
    let frame: [UInt8] = [
      0x02, 0x15, 0xF7, 0x82, 0x6D, 0xA6, 0x4F, 0xA2, 0x4E, 0x98, 0x80, 0x24, 0xBC, 0x5B, 0x71,
      0xE0, 0x89, 0x3E, 0x00, 0x01, 0x00, 0x07, 0xC5,
    ]
    #expect(properties["ManufacturerData"] == FakeBlueZ.manufacturerData(frame))
    await advertiser.stop()
    #expect(daemon.calls.last == "UnregisterAdvertisement")
    #expect(daemon.state.withLock { $0.advertisements.isEmpty })
  }

  @Test func `each reason why an adapter cannot send is named`() async throws {
    let bus = try PrivateBus()
    #expect(await Self.refusal(on: bus) == .serviceNotRunning)
    let daemon = try await FakeBlueZ.start(on: bus, [])
    #expect(await Self.refusal(on: bus) == .noAdapter)
    var unable = FakeBlueZ.Adapter(number: 0, address: "AA:BB:CC:00:00:01")
    unable.advertises = false
    daemon.plug(unable)
    #expect(await Self.refusal(on: bus) == .cannotAdvertise(adapter: "hci0"))
    let other = BlueZAdvertisement(Self.identity, measuredPower: -59, adapter: .named("hci3"))
    #expect(await Self.refusal(on: bus, other) == .adapterNotFound("hci3", nearest: "hci0"))
    daemon.state.withLock { $0.adapters[0].advertises = true }
    daemon.state.withLock { $0.adapters[0].isPowered = false }
    #expect(await Self.refusal(on: bus) == .adapterOff(adapter: "hci0"))
    daemon.state.withLock { $0.adapters[0].isPowered = true }
    daemon.state.withLock { $0.mostAdvertisements = 0 }
    #expect(await Self.refusal(on: bus) == .noFreeAdvertisement(adapter: "hci0"))
    daemon.state.withLock { $0.mostAdvertisements = 1 }
    let denied = "org.freedesktop.DBus.Error.AccessDenied"
    daemon.state.withLock { $0.advertisementErrors = [denied] }
    #expect(await Self.refusal(on: bus) == .notPermitted(.error(name: denied, text: "")))
    daemon.state.withLock { $0.advertisementErrors = ["org.bluez.Error.InvalidLength"] }
    let refused = BlueZUnavailable.advertisementRefused(
      adapter: "hci0",
      failure: .bluez("InvalidLength")
    )
    #expect(await Self.refusal(on: bus) == refused)
    #expect(await Self.refusal(on: bus) == nil)
  }

  @Test func `it registers again after the daemon restarts`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let advertiser = try await BlueZAdvertiser.start(Self.advertisement, bus: bus.address)
    await daemon.die()
    #expect(await advertiser.nextEvent(within: .seconds(30)) == .interrupted(.serviceLost))
    try await daemon.appear()
    guard case .advertising(let again)? = await advertiser.nextEvent(within: .seconds(30)) else {
      Issue.record("it does not send again")
      return
    }
    #expect(again.adapter == "hci0" && again.active == 1)
    await advertiser.stop()
    #expect(daemon.state.withLock { $0.advertisements.isEmpty })
  }

  @Test func `an adapter that is off, or gone, is waited for`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let advertiser = try await BlueZAdvertiser.start(Self.advertisement, bus: bus.address)
    daemon.power(false)
    #expect(
      await advertiser.nextEvent(within: .seconds(30)) == .interrupted(.switchedOff("hci0"))
    )
    daemon.power(true)
    guard case .advertising? = await advertiser.nextEvent(within: .seconds(30)) else {
      Issue.record("it does not send after the power is back")
      return
    }
    daemon.unplug()
    #expect(
      await advertiser.nextEvent(within: .seconds(30)) == .interrupted(.adapterRemoved("hci0"))
    )
    daemon.state.withLock { $0.advertisements = [] }
    daemon.plug(.init(number: 1, address: "AA:BB:CC:00:00:01"))
    guard case .advertising(let again)? = await advertiser.nextEvent(within: .seconds(30)) else {
      Issue.record("it does not send with the adapter that came back")
      return
    }
    #expect(again.adapter == "hci1")
    await advertiser.stop()
  }

  @Test func `an advertisement that BlueZ removed is registered again`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let advertiser = try await BlueZAdvertiser.start(Self.advertisement, bus: bus.address)
    daemon.releaseAdvertisements()
    #expect(await advertiser.nextEvent(within: .seconds(30)) == .interrupted(.released("hci0")))
    guard case .advertising? = await advertiser.nextEvent(within: .seconds(30)) else {
      Issue.record("it is not registered again")
      return
    }
    await advertiser.stop()
  }

  @Test func `only BlueZ can read the advertisement`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let advertiser = try await BlueZAdvertiser.start(Self.advertisement, bus: bus.address)
    let owner = try #require(daemon.state.withLock { $0.advertisements.first?.owner })
    let stranger = try await BusProgram.connected(to: bus)
    let call = MethodCall(
      owner,
      "/beacons/advertisement",
      BusName.properties,
      "GetAll",
      [.string("org.bluez.LEAdvertisement1")]
    )
    await #expect(throws: CallError.self) {
      try await stranger.thread.call(call, timeout: .seconds(5))
    }
    await advertiser.stop()
  }
}

/// The machine of an advertiser, and the kernel's commands, without a bus.
struct AdvertisingPartsTests {
  private static func adapter(
    _ number: UInt16,
    canAdvertise: Bool = true,
    isPowered: Bool = true
  ) -> AdapterObject {
    AdapterObject(
      path: "/org/bluez/hci\(number)",
      number: number,
      address: "AA:BB:CC:00:00:0\(number)",
      isCentral: true,
      canAdvertise: canAdvertise,
      facts: AdapterFacts(
        path: "/org/bluez/hci\(number)",
        isPowered: isPowered,
        isDiscovering: false,
        acceptsMonitors: false
      )
    )
  }

  @Test func `the first adapter that can send is used`() {
    var machine = AdvertisingMachine(.all)
    #expect(machine.service(isThere: true) == [.askForObjects])
    let adapters = [
      Self.adapter(0, canAdvertise: false), Self.adapter(1, isPowered: false), Self.adapter(2),
    ]
    #expect(machine.described(adapters) == [.register(adapter: 2)])
    #expect(machine.registered(with: 2) == [.advertising(adapter: 2)])
    // Another adapter changes nothing, and neither does an answer that comes twice.
    #expect(machine.powered(true, 1) == [])
    #expect(machine.registered(with: 2) == [])
    #expect(machine.stop() == [.unregister(adapter: 2)])
    #expect(machine.stop() == [])
  }

  @Test func `after the start a refusal is reported and tried again`() {
    var machine = AdvertisingMachine(.named("hci2"))
    _ = machine.service(isThere: true)
    _ = machine.described([Self.adapter(2)])
    _ = machine.registered(with: 2)
    #expect(machine.released() == [.interrupted(.released("hci2")), .askAgain(nil)])
    #expect(machine.described([Self.adapter(2)]) == [.register(adapter: 2)])
    let failure = BlueZFailure.bluez("Failed", "Failed to parse advertisement.")
    let reason = BlueZUnavailable.advertisementRefused(adapter: "hci2", failure: failure)
    #expect(
      machine.refused(by: 2, failure)
        == [.interrupted(.refused("hci2", failure)), .askAgain(reason)]
    )
    #expect(machine.described([]) == [])
    #expect(machine.added(Self.adapter(2)) == [.register(adapter: 2)])
  }

  @Test(arguments: [
    (BlueZFailure.bluez("Failed"), false), (.noAnswer, false), (.bluez("InProgress"), false),
    (.bluez("InvalidArguments"), true), (.bluez("NotSupported"), true),
    (.bluez("NotAuthorized"), true), (.bluez("NotPermitted"), true), (.unknownMethod, true),
  ])
  func `at the start a refusal is tried again, unless that cannot help`(
    failure: BlueZFailure,
    isFinal: Bool
  ) {
    var machine = AdvertisingMachine(.all)
    _ = machine.service(isThere: true)
    _ = machine.described([Self.adapter(2)])
    let actions = machine.refused(by: 2, failure)
    switch actions.first {
    case .fail: #expect(isFinal)
    case .askAgain(_?): #expect(!isFinal)
    default: Issue.record("\(actions)")
    }
    #expect(machine.refused(.failed(.noAnswer)) == [.askAgain(.failed(.noAnswer))])
  }

  @Test func `after a restart an adapter is asked about until it can send`() {
    var machine = AdvertisingMachine(.all)
    _ = machine.service(isThere: true)
    _ = machine.described([Self.adapter(2)])
    _ = machine.registered(with: 2)
    _ = machine.service(isThere: false)
    #expect(machine.service(isThere: true) == [.askForObjects])
    #expect(machine.described([Self.adapter(2, canAdvertise: false)]) == [.askAgain(nil)])
    #expect(machine.powered(true, 2) == [.askAgain(nil)])
    #expect(machine.described([Self.adapter(2)]) == [.register(adapter: 2)])
  }

  private static let refusal = BlueZFailure.bluez("Failed", "Failed to register advertisement")

  /// Row B27.
  @Test func `an advertisement that BlueZ cannot register is sent by the kernel`() {
    var machine = AdvertisingMachine(.all, hasKernel: true)
    _ = machine.service(isThere: true)
    _ = machine.described([Self.adapter(2)])
    #expect(machine.refused(by: 2, Self.refusal) == [.startKernel(adapter: 2)])
    // BlueZ's answer comes once.
    #expect(machine.registered(with: 2) == [])
    #expect(machine.kernel(.added(active: 1, possible: 5)) == [.advertising(adapter: 2)])
    #expect(machine.refusal == Self.refusal)
    #expect(
      machine.powered(false, 2) == [.stopKernel, .interrupted(.switchedOff("hci2"))]
    )
    #expect(machine.refusal == nil)
    #expect(machine.powered(true, 2) == [.register(adapter: 2)])
    _ = machine.refused(by: 2, Self.refusal)
    _ = machine.kernel(.added(active: 1, possible: 5))
    #expect(machine.kernel(.removed) == [.interrupted(.released("hci2")), .askAgain(nil)])
    _ = machine.described([Self.adapter(2)])
    _ = machine.refused(by: 2, Self.refusal)
    #expect(machine.service(isThere: false) == [.stopKernel, .interrupted(.serviceLost)])
    _ = machine.service(isThere: true)
    _ = machine.described([Self.adapter(2)])
    _ = machine.refused(by: 2, Self.refusal)
    _ = machine.kernel(.added(active: 1, possible: 5))
    #expect(machine.removed(2) == [.stopKernel, .interrupted(.adapterRemoved("hci2"))])
    #expect(machine.stop() == [])
  }

  @Test func `a refusal of the kernel is tried again, and a full adapter is named`() {
    for hasKernel in [false, true] {
      var machine = AdvertisingMachine(.all, hasKernel: hasKernel)
      _ = machine.service(isThere: true)
      _ = machine.described([Self.adapter(2)])
      let reason = BlueZUnavailable.advertisementRefused(adapter: "hci2", failure: Self.refusal)
      let first = machine.refused(by: 2, Self.refusal)
      #expect((hasKernel ? machine.kernel(.refused(status: 0x0B)) : first) == [.askAgain(reason)])
      #expect("\(reason)".contains("BlueZ before 5.87"))
    }
    var machine = AdvertisingMachine(.all, hasKernel: true)
    _ = machine.service(isThere: true)
    _ = machine.described([Self.adapter(2)])
    _ = machine.refused(by: 2, Self.refusal)
    #expect(machine.kernel(.full) == [.fail(.noFreeAdvertisement(adapter: "hci2"))])
    // An error with a reason is not the kernel's.
    _ = machine.described([Self.adapter(2)])
    #expect(machine.refused(by: 2, .bluez("InvalidLength")).count == 1)
    #expect(machine.kernel(.added(active: 1, possible: 5)) == [])
  }

  private static func completed(_ command: UInt16, _ parameters: [UInt8] = [], status: UInt8 = 0)
    -> ManagementMessage.Event
  { .completed(command: command, controller: 2, status: status, parameters: parameters) }

  /// Row B27.
  @Test func `the kernel sends for a limited time, and is asked again`() {
    let read = ManagementMessage.readAdvertising
    let add = ManagementMessage.addAdvertising
    let features: [UInt8] = [0x7F, 0, 0, 0, 31, 31, 5]
    let start = Uptime(nanoseconds: 0)
    var kernel = KernelAdvertisement([0xAA])
    #expect(kernel.start(2, at: start) == ManagementMessage.readingAdvertising(2))
    // The highest number is in use; an answer for another controller is not ours.
    let other = ManagementMessage.Event.completed(
      command: read,
      controller: 1,
      status: 0,
      parameters: features + [0]
    )
    #expect(kernel.received(other, at: start).message == nil)
    let adding = ManagementMessage.adding(
      [0xAA],
      instance: 4,
      seconds: KernelAdvertisement.lease,
      2
    )
    #expect(
      kernel.received(Self.completed(read, features + [2, 1, 5]), at: start).message == adding
    )
    #expect(
      kernel.received(Self.completed(add, [4]), at: start).change == .added(active: 3, possible: 5)
    )
    // Twice within the lease, so one lost message does not end it.
    let renewal = KernelAdvertisement.renewal
    #expect(renewal * 2 < .seconds(Int(KernelAdvertisement.lease)))
    #expect(kernel.timePassed(at: start + renewal / 2).message == nil)
    for time in [start + renewal, start + renewal * 2] {
      #expect(kernel.timePassed(at: time).message == adding)
      #expect(kernel.received(Self.completed(add, [4]), at: time).change == nil)
    }
    #expect(
      kernel.received(.advertisingRemoved(controller: 2, instance: 1), at: start).change == nil
    )
    var removed = kernel
    #expect(kernel.stop() == ManagementMessage.removingAdvertising(4, 2))
    #expect(kernel.stop() == nil)
    #expect(kernel.nextDeadline == nil)
    let end = removed.received(.advertisingRemoved(controller: 2, instance: 4), at: start)
    #expect(end.change == .removed)
    #expect(removed.stop() == nil)
  }

  @Test func `a kernel that refuses, is full or does not answer is reported`() {
    let read = ManagementMessage.readAdvertising
    let features: [UInt8] = [0x7F, 0, 0, 0, 31, 31, 1]
    let start = Uptime(nanoseconds: 0)
    var kernel = KernelAdvertisement([0xAA])
    _ = kernel.start(2, at: start)
    #expect(kernel.received(Self.completed(read, features + [1, 1]), at: start).change == .full)
    _ = kernel.start(2, at: start)
    #expect(
      kernel.received(Self.completed(read, status: 0x14), at: start).change
        == .refused(status: 0x14)
    )
    _ = kernel.start(2, at: start)
    #expect(kernel.received(Self.completed(read, [1]), at: start).change == .refused(status: 3))
    _ = kernel.start(2, at: start)
    #expect(kernel.timePassed(at: start + .seconds(60)).change == .refused(status: 3))
    // A message that was not answered may have been obeyed.
    _ = kernel.start(2, at: start)
    _ = kernel.received(Self.completed(read, features + [0]), at: start)
    let late = kernel.timePassed(at: start + .seconds(60))
    #expect(late.message == ManagementMessage.removingAdvertising(1, 2))
    #expect(late.change == .refused(status: 3))
    #expect(kernel.nextDeadline == nil)
  }

  @Test func `the interval is read from the kernel's commands`() {
    func packet(_ opcode: UInt16, _ parameters: [UInt8], adapter: UInt8 = 3) -> [UInt8] {
      let command = [UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)]
      let count = UInt8(command.count + parameters.count)
      return [2, 0, adapter, 0, count, 0] + command + parameters
    }
    // 0x00A0 and 0x00F0 of 0.625 ms, in two bytes each, and in three.
    let legacy = packet(0x2006, [0xA0, 0, 0xF0, 0, 3, 1, 0])
    let extended = packet(0x2036, [1, 0x10, 0, 0xA0, 0, 0, 0xF0, 0, 0, 7])
    for bytes in [legacy, extended] {
      let command = AdvertisingCommand(bytes.span)
      #expect(command?.adapter == 3)
      #expect(command?.interval == .milliseconds(100) ... .milliseconds(150))
    }
    // Another command, one that is too short, and an interval whose ends are exchanged.
    for bytes in [
      packet(0x2008, [0xA0, 0, 0xF0, 0]), packet(0x2006, [0xA0, 0, 0xF0]),
      packet(0x2036, [1, 0x10, 0, 0xA0, 0, 0, 0xF0, 0]), packet(0x2006, [0xF0, 0, 0xA0, 0]),
      [2, 0],
    ] {
      let command = AdvertisingCommand(bytes.span)
      #expect(command == nil)
    }
  }

  @Test func `what was obtained is stated, and what is not known`() {
    var obtained = ObtainedAdvertisement(adapter: "hci0", address: "AA:BB:CC:00:00:01")
    #expect(
      "\(obtained)" == "at an interval that only the kernel knows (reading it needs CAP_NET_RAW)"
    )
    obtained.interval = .milliseconds(100) ... .milliseconds(150)
    obtained.transmissionPower = 7
    (obtained.active, obtained.possible) = (1, 5)
    #expect(
      "\(obtained)"
        == "every 100 to 150 ms, transmission power 7 dBm, 1 of 5 advertisements in use"
    )
    obtained.refusal = Self.refusal
    #expect(
      "\(obtained)".hasSuffix(
        "by the kernel, since BlueZ answers Failed (\"Failed to register advertisement\")"
      )
    )
    obtained.interval = TimeSpan(microseconds: 211_250)...TimeSpan(microseconds: 211_250)
    #expect("\(obtained)".hasPrefix("every 211.3 ms"))
  }
}
