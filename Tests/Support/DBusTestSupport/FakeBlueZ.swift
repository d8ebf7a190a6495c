// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus
internal import Glibc
package import Synchronization

/// `org.bluez` as far as scanning needs it, with the daemon's behavior (rows B12 to B15), on a test's private bus.
package final class FakeBlueZ: Sendable {
  package struct Adapter {
    package var number = 0
    package var address = "00:00:00:00:00:00"
    package var isPowered = true
    package var isDiscovering = false
    package var hasSession = false
    package var acceptsMonitors = false
    /// Whether programs can register advertisements with it.
    package var advertises = true
    package var roles = ["central", "peripheral"]
    /// The device identifier, which has the daemon's version.
    package var modalias = "usb:v1D6Bp0246d0542"

    package init(
      number: Int = 0,
      address: String = "00:00:00:00:00:00",
      isPowered: Bool = true,
      isDiscovering: Bool = false,
      acceptsMonitors: Bool = false
    ) {
      self.number = number
      self.address = address
      self.isPowered = isPowered
      self.isDiscovering = isDiscovering
      self.acceptsMonitors = acceptsMonitors
    }

    package var path: String { "/org/bluez/hci\(number)" }

    package var properties: DBusValue {
      .properties([
        "Address": .string(address),
        "Powered": .boolean(isPowered),
        "Discovering": .boolean(isDiscovering),
        "Roles": .array(of: "s", roles.map { .string($0) }),
        "Modalias": .string(modalias),
      ])
    }
  }

  /// A task that waits until something is true of the state.
  private struct Waiter: Sendable {
    final class Key: Sendable {}

    let key: Key
    let isTrue: @Sendable (borrowing State) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  package struct State {
    package var adapters: [Adapter] = []
    package var filterKeys = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Pattern"]
    package var devices: [(path: String, properties: DBusValue)] = []
    package var calls: [String] = []
    package var filters: [DBusValue] = []
    package var monitors: [DBusValue] = []
    /// The properties of the advertisements that are registered, each with its owner.
    package var advertisements: [(owner: String, properties: DBusValue)] = []
    /// How many advertisements can be registered.
    package var mostAdvertisements = 5
    /// The answers of the first calls of `RegisterAdvertisement`; after them it works.
    package var advertisementErrors: [String] = []
    /// The transmission power that the daemon writes into an advertisement.
    package var transmissionPower: Int16?
    /// The answers of the first calls of `StartDiscovery`; after them it works.
    package var startErrors: [String] = []
    /// Whether it answers which filter keys it knows.
    package var knowsFilterKeys = true
    /// Whether it hangs: it answers calls seconds later.
    package var isHanging = false
    /// How often it describes its objects before it hangs when asked for them.
    package var objectAnswers = Int.max
    /// How long it hangs, in seconds.
    package var hangingTime: UInt32 = 4
    /// What `GetManagedObjects` answers instead.
    package var objectsError: String?
    /// The text of the errors that a test sets.
    package var errorText = ""
    /// The program that called last.
    package var caller: String?
  }

  package let state: Mutex<State>
  /// The tasks that wait until something is true of the state.
  private let waiters = Mutex<[Waiter]>([])
  private let program: Mutex<BusProgram?> = Mutex(nil)
  private let bus: PrivateBus

  private init(_ bus: PrivateBus, _ state: sending State) {
    self.bus = bus
    self.state = Mutex(state)
  }

  /// Starts the daemon with adapters.
  package static func start(
    on bus: PrivateBus,
    _ adapters: [Adapter] = [Adapter(number: 0, address: "AA:BB:CC:00:00:01")],
    _ configure: (inout State) -> Void = { _ in }
  ) async throws -> FakeBlueZ {
    var state = State()
    state.adapters = adapters
    configure(&state)
    let daemon = FakeBlueZ(bus, state)
    try await daemon.appear()
    return daemon
  }

  /// Takes the name, as the daemon does when it starts.
  package func appear() async throws {
    let program = try BusProgram(bus, owning: "org.bluez") { [weak self] in self?.answer($0) }
    self.program.withLock { $0 = program }
    _ = await program.next()
  }

  /// Ends without notice, like a killed daemon.
  package func die() async {
    let program = self.program.withLock { program in
      defer { program = nil }
      return program
    }
    await program?.thread.stop()
    state.withLock { state in
      for index in state.adapters.indices {
        state.adapters[index].isDiscovering = false
        state.adapters[index].hasSession = false
      }
      state.advertisements = []
    }
  }

  package var calls: [String] { state.withLock(\.calls) }

  /// Waits until something is true of the state.
  ///
  /// - Throws: `CancellationError` if the task is cancelled in that time.
  package func wait(until isTrue: @escaping @Sendable (borrowing State) -> Bool) async throws {
    let key = Waiter.Key()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiters.withLock { $0.append(Waiter(key: key, isTrue: isTrue, continuation: continuation)) }
        resumeWaiters()
        if Task.isCancelled { cancelWaiter(key) }
      }
    } onCancel: {
      cancelWaiter(key)
    }
  }

  /// Resumes the tasks whose condition holds; call it after each change that a call causes.
  private func resumeWaiters() {
    for waiter in removeWaiters(where: { waiter in state.withLock { waiter.isTrue($0) } }) {
      waiter.continuation.resume()
    }
  }

  private func cancelWaiter(_ key: Waiter.Key) {
    for waiter in removeWaiters(where: { $0.key === key }) {
      waiter.continuation.resume(throwing: CancellationError())
    }
  }

  private func removeWaiters(where isWanted: (Waiter) -> Bool) -> [Waiter] {
    waiters.withLock { waiters in
      let removed = waiters.filter(isWanted)
      waiters.removeAll { waiter in removed.contains { $0.key === waiter.key } }
      return removed
    }
  }

  /// Returns when the program that called last has handled the sent bytes to it before, and looked at its clock since.
  package func settle() async {
    guard let caller = state.withLock(\.caller), let program = program.withLock({ $0 }) else {
      return
    }
    // It looks at its clock after it has answered, and before it reads the next call.
    for _ in 0..<2 {
      let call = MethodCall(caller, "/", "org.freedesktop.DBus.Peer", "Ping")
      _ = try? await program.thread.call(call, timeout: .seconds(30))
    }
  }

  // MARK: Signals

  package func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue])
  {
    let program = self.program.withLock { $0 }
    program?.thread.post { $0.emit(path, interface, member, arguments) }
  }

  package func changed(
    _ path: String,
    _ interface: String,
    _ changes: DBusValue,
    gone: [String] = []
  ) {
    let invalidated = DBusValue.array(of: "s", gone.map { .string($0) })
    emit(path, BusName.properties, "PropertiesChanged", [.string(interface), changes, invalidated])
  }

  package static func devicePath(_ device: UInt8, adapter: Int = 0) -> String {
    let low = String(device, radix: 16, uppercase: true)
    return "/org/bluez/hci\(adapter)/dev_C0_00_00_00_00_\(low.count == 1 ? "0" : "")\(low)"
  }

  /// An iBeacon's manufacturer data without the company.
  package static func frame(minor: UInt8) -> [UInt8] {
    [0x02, 0x15] + (1...16) + [0, 1, 0, minor, 0xC5]
  }

  package static func manufacturerData(_ bytes: [UInt8], company: UInt16 = 0x4C) -> DBusValue {
    .dictionary(
      of: "qv",
      [DBusEntry(key: .uint16(company), value: .variant(.bytes(bytes)))]
    )
  }

  /// Signals one report of a device, as the daemon does.
  package func report(_ device: UInt8, _ rssi: Int16, adapter: Int = 0) {
    changed(
      Self.devicePath(device, adapter: adapter),
      "org.bluez.Device1",
      .properties([
        "RSSI": .int16(rssi), "ManufacturerData": Self.manufacturerData(Self.frame(minor: device)),
      ])
    )
  }

  /// Signals the first report of a device.
  package func discover(_ device: UInt8, _ rssi: Int16, adapter: Int = 0) {
    let properties = DBusValue.properties([
      "Address": .string("C0:00:00:00:00:00"), "AddressType": .string("random"),
      "RSSI": .int16(rssi), "ManufacturerData": Self.manufacturerData(Self.frame(minor: device)),
    ])
    emit(
      "/",
      BusName.objectManager,
      "InterfacesAdded",
      [
        .objectPath(Self.devicePath(device, adapter: adapter)),
        Self.interfaces([("org.bluez.Device1", properties)]),
      ]
    )
  }

  package func forget(_ device: UInt8) {
    emit(
      "/",
      BusName.objectManager,
      "InterfacesRemoved",
      [.objectPath(Self.devicePath(device)), .array(of: "s", [.string("org.bluez.Device1")])]
    )
  }

  /// Switches an adapter on or off, and signals this like the daemon.
  package func power(_ isOn: Bool, _ index: Int = 0) {
    let path = state.withLock { state in
      state.adapters[index].isPowered = isOn
      if !isOn {
        state.adapters[index].isDiscovering = false
        state.adapters[index].hasSession = false
      }
      return state.adapters[index].path
    }
    changed(
      path,
      "org.bluez.Adapter1",
      isOn
        ? .properties(["Powered": .boolean(true)])
        : .properties(["Discovering": .boolean(false), "Powered": .boolean(false)])
    )
  }

  /// Ends discovery without ending our session, as when another client disconnects.
  package func stopByItself(_ index: Int = 0) {
    setDiscovering(false, index)
  }

  package func unplug(_ index: Int = 0) {
    let path = state.withLock { $0.adapters.remove(at: index).path }
    emit(
      "/",
      BusName.objectManager,
      "InterfacesRemoved",
      [.objectPath(path), .array(of: "s", [.string("org.bluez.Adapter1")])]
    )
  }

  package func plug(_ adapter: Adapter) {
    state.withLock { $0.adapters.append(adapter) }
    emit(
      "/",
      BusName.objectManager,
      "InterfacesAdded",
      [.objectPath(adapter.path), Self.interfaces(of: adapter)]
    )
  }

  private func setDiscovering(_ isOn: Bool, _ index: Int) {
    let path = state.withLock { state in
      state.adapters[index].isDiscovering = isOn
      return state.adapters[index].path
    }
    changed(path, "org.bluez.Adapter1", .properties(["Discovering": .boolean(isOn)]))
  }

  // MARK: Answers

  package static func interfaces(_ interfaces: [(String, DBusValue)]) -> DBusValue {
    .dictionary(
      of: "sa{sv}",
      interfaces.map { DBusEntry(key: .string($0.0), value: $0.1) }
    )
  }

  private static func interfaces(of adapter: Adapter) -> DBusValue {
    var all = [("org.bluez.Adapter1", adapter.properties)]
    if adapter.acceptsMonitors {
      all.append(("org.bluez.AdvertisementMonitorManager1", .properties([:])))
    }
    if adapter.advertises { all.append((advertisingManager, .properties([:]))) }
    return interfaces(all)
  }

  private static func failure(_ name: String) -> Answer { .failure(name: name, text: "") }

  private func answer(_ called: BusProgram.Called) -> Answer? {
    let hangingTime = state.withLock { state in
      if called.member == "GetManagedObjects" { state.objectAnswers -= 1 }
      return state.isHanging || state.objectAnswers < 0 ? state.hangingTime : 0
    }
    if called.member == "Ping" {
      if hangingTime > 0 { sleep(hangingTime) }
      return .values([])
    }
    // The answer is created before a test that waits for the call can change the state.
    let answered = called.member == "GetManagedObjects" && hangingTime == 0 ? objects() : nil
    state.withLock { state in
      state.calls.append(called.member)
      state.caller = called.sender
    }
    resumeWaiters()
    defer { resumeWaiters() }
    if hangingTime > 0 { sleep(hangingTime) }
    if called.member == "GetManagedObjects" { return answered ?? objects() }
    let index = state.withLock { $0.adapters.firstIndex { $0.path == called.path } }
    guard let index else { return nil }
    switch called.member {
    case "GetDiscoveryFilters" where !state.withLock(\.knowsFilterKeys): return nil
    case "GetDiscoveryFilters":
      return .values([.array(of: "s", state.withLock { $0.filterKeys.map { .string($0) } })])
    case "SetDiscoveryFilter": return setFilter(called.arguments, index)
    case "StartDiscovery": return start(index)
    case "StopDiscovery": return stop(index)
    case "RegisterMonitor": return register(called)
    case "UnregisterMonitor": return .values([])
    default:
      return state.withLock({ $0.adapters[index].advertises }) ? answerAdvertiser(called) : nil
    }
  }

  private func objects() -> Answer {
    state.withLock { state in
      if let error = state.objectsError { return .failure(name: error, text: state.errorText) }
      let adapters = state.adapters.map {
        DBusEntry(key: .objectPath($0.path), value: Self.interfaces(of: $0))
      }
      let devices = state.devices.map {
        DBusEntry(
          key: .objectPath($0.path),
          value: Self.interfaces([("org.bluez.Device1", $0.properties)])
        )
      }
      return .values([.dictionary(of: "oa{sa{sv}}", adapters + devices)])
    }
  }

  private func setFilter(_ arguments: [DBusValue], _ index: Int) -> Answer {
    let (isPowered, revives) = state.withLock { state in
      state.filters += arguments
      let adapter = state.adapters[index]
      return (adapter.isPowered, adapter.hasSession && !adapter.isDiscovering)
    }
    guard isPowered else { return Self.failure("org.bluez.Error.NotReady") }
    if revives { setDiscovering(true, index) }
    return .values([])
  }

  private func start(_ index: Int) -> Answer {
    let refusal: Answer? = state.withLock { state in
      if !state.startErrors.isEmpty {
        return .failure(name: state.startErrors.removeFirst(), text: state.errorText)
      }
      guard state.adapters[index].isPowered else { return Self.failure("org.bluez.Error.NotReady") }
      guard !state.adapters[index].hasSession else {
        return Self.failure("org.bluez.Error.InProgress")
      }
      state.adapters[index].hasSession = true
      return nil
    }
    if let refusal { return refusal }
    setDiscovering(true, index)
    return .values([])
  }

  private func stop(_ index: Int) -> Answer {
    let had = state.withLock { state in
      defer { state.adapters[index].hasSession = false }
      return state.adapters[index].hasSession
    }
    guard had else { return Self.failure("org.bluez.Error.Failed") }
    setDiscovering(false, index)
    return .values([])
  }

  /// Requests the monitors of the caller, then activates them.
  private func register(_ called: BusProgram.Called) -> Answer {
    guard let path = called.arguments.first?.text else { return Self.failure("a.b.Error") }
    let sender = called.sender
    let program = self.program.withLock { $0 }
    program?.thread.post { [weak self] loop in
      let ask = MethodCall(sender, path, BusName.objectManager, "GetManagedObjects")
      loop.call(ask, timeout: .seconds(5)) { result in
        guard case .success(let values) = result else { return }
        self?.state.withLock { $0.monitors += values }
        self?.resumeWaiters()
        let activate = MethodCall(
          sender,
          "\(path)/monitor",
          "org.bluez.AdvertisementMonitor1",
          "Activate"
        )
        loop.call(activate, timeout: .seconds(5)) { _ in }
      }
    }
    return .values([])
  }

  // MARK: Advertisements

  private static let advertisingManager = "org.bluez.LEAdvertisingManager1"

  private func answerAdvertiser(_ called: BusProgram.Called) -> Answer? {
    switch called.member {
    case "RegisterAdvertisement": return registerAdvertisement(called)
    case "UnregisterAdvertisement":
      state.withLock { $0.advertisements.removeAll { $0.owner == called.sender } }
      return .values([])
    case "GetAll" where called.arguments.first?.text == Self.advertisingManager:
      return state.withLock { state in
        let active = state.advertisements.count
        return .values([
          .properties([
            "ActiveInstances": .byte(UInt8(clamping: active)),
            "SupportedInstances": .byte(UInt8(clamping: state.mostAdvertisements - active)),
          ])
        ])
      }
    default: return nil
    }
  }

  /// Reads the advertisement of the caller, as the daemon does.
  private func registerAdvertisement(_ called: BusProgram.Called) -> Answer {
    guard let path = called.arguments.first?.text else { return Self.failure("a.b.Error") }
    let (refusal, power): (String?, Int16?) = state.withLock { state in
      if !state.advertisementErrors.isEmpty {
        return (state.advertisementErrors.removeFirst(), nil)
      }
      guard state.advertisements.count < state.mostAdvertisements else {
        return ("org.bluez.Error.NotPermitted", nil)
      }
      state.advertisements.append((called.sender, .properties([:])))
      return (nil, state.transmissionPower)
    }
    if let refusal { return Self.failure(refusal) }
    if let power {
      call(
        called.sender,
        path,
        BusName.properties,
        "Set",
        [
          .string("org.bluez.LEAdvertisement1"), .string("TxPower"), .variant(.int16(power)),
        ]
      )
    }
    let (sender, program) = (called.sender, self.program.withLock { $0 })
    program?.thread.post { [weak self] loop in
      let ask = MethodCall(
        sender,
        path,
        BusName.properties,
        "GetAll",
        [.string("org.bluez.LEAdvertisement1")]
      )
      loop.call(ask, timeout: .seconds(5)) { result in
        guard case .success(let values) = result, let properties = values.first else { return }
        self?.state.withLock { state in
          guard let index = state.advertisements.firstIndex(where: { $0.owner == sender }) else {
            return
          }
          state.advertisements[index].properties = properties
        }
        self?.resumeWaiters()
      }
    }
    return .values([])
  }

  private func call(
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ member: String,
    _ arguments: [DBusValue]
  ) {
    let program = self.program.withLock { $0 }
    program?.thread.post { loop in
      let call = MethodCall(destination, path, interface, member, arguments)
      loop.call(call, timeout: .seconds(5)) { _ in }
    }
  }

  /// Removes every advertisement by itself, and reports this to the owners, as a daemon that ends does.
  package func releaseAdvertisements() {
    let owners = state.withLock { state in
      defer { state.advertisements = [] }
      return state.advertisements.map(\.owner)
    }
    for owner in owners {
      call(owner, "/beacons/advertisement", "org.bluez.LEAdvertisement1", "Release", [])
    }
  }
}
