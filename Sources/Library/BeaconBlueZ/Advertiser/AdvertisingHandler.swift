// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconCore
internal import DBus

/// Follows BlueZ on the bus's thread for an advertiser: it passes events to the machine and performs its actions.
final class AdvertisingHandler: BusHandler {
  typealias Start = Promise<Result<ObtainedAdvertisement, BlueZUnavailable>>
  typealias Waiter = CheckedContinuation<BlueZAdvertiserEvent?, Never>

  /// How long BlueZ may take to answer.
  private static let callTimeout = Duration.seconds(10)
  /// The most events that wait to be fetched; older ones are dropped.
  private static let longestQueue = 100

  private let object: AdvertisementObject
  private let start: Start
  private let channel: MonitorSocket?
  // A variable, because Swift can borrow the value inside a noncopyable optional only from a variable.
  private var control: ManagementSocket?
  private var kernel: KernelAdvertisement
  private var machine: AdvertisingMachine
  private var lifecycle = SourceLifecycle(startingAt: .now)
  private var reader = BusObjectReader()
  private var buffer = [UInt8](repeating: 0, count: MonitorSocket.longestPacket)
  /// The facts of the current registration.
  private var seen = (
    interval: ClosedRange<TimeSpan>?.none, power: Int?.none,
    places: (active: Int, possible: Int)?.none
  )
  private var events: [BlueZAdvertiserEvent] = []
  private var waiter: (continuation: Waiter, until: Uptime)?

  init(
    _ advertisement: BlueZAdvertisement,
    channel: MonitorSocket?,
    control: consuming ManagementSocket?,
    start: Start
  ) {
    object = AdvertisementObject(advertisement: advertisement)
    kernel = KernelAdvertisement(advertisement.structure)
    machine = AdvertisingMachine(advertisement.adapter, hasKernel: control != nil)
    self.channel = channel
    self.control = control
    self.start = start
  }

  deinit {
    if let message = kernel.stop() { _ = control?.send(message) }
    start.set(.failure(.failed(.noAnswer)))
    waiter?.continuation.resume(returning: nil)
  }

  // MARK: The bus

  func connected(_ loop: BusLoop) {
    if let channel {
      loop.watch(channel.descriptor) { [weak self] _ in self?.readChannel() }
    }
    if let control = control?.descriptor {
      loop.watch(control) { [weak self] loop in self?.readControl(loop) }
    }
    var subscriptions = Subscriptions()
    subscriptions.addAdapters(loop)
  }

  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {
    lifecycle.connected()
    lifecycle.cancelAskAgain()
    perform(machine.service(isThere: owner != nil), loop)
  }

  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
    guard start.isSet, !lifecycle.isStopping else {
      start.set(.failure(BlueZUnavailable(failure)))
      return nil
    }
    lifecycle.cancelAskAgain()
    perform(machine.busLost(), loop)
    return lifecycle.reconnectWait()
  }

  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
    switch reader.signal(in: message) {
    case .added(let adapter): perform(machine.added(adapter), loop)
    case .removed(let number): perform(machine.removed(number), loop)
    case .changed(let number, let properties):
      if let isPowered = properties.isPowered {
        perform(machine.powered(isPowered, number), loop)
      }
      return properties.isWellFormed
    case .malformed, .malformedDevice: return false
    case .device, .other: break
    }
    return true
  }

  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? {
    switch object.call(in: message) {
    case .answered(let answer): return answer
    case .released: perform(machine.released(), loop)
    case .power(let power): seen.power = Int(power)
    case nil: return nil
    }
    return .values([])
  }

  func drained(_ loop: BusLoop) {}

  // MARK: Time

  var nextDeadline: Uptime? {
    [lifecycle.nextDeadline, waiter?.until, kernel.nextDeadline].compactMap(\.self).min()
  }

  func timePassed(_ loop: BusLoop) {
    if lifecycle.drainStartTimeout(at: .now), !start.isSet {
      return fail(lifecycle.failure ?? .failed(.noAnswer), loop)
    }
    if lifecycle.isStopOverdue(at: .now) { return loop.end() }
    if lifecycle.drainAskAgain(at: .now) { askForObjects(loop) }
    pass(kernel.timePassed(at: .now), loop)
    if let waiter, waiter.until <= .now {
      self.waiter = nil
      waiter.continuation.resume(returning: nil)
    }
  }

  // MARK: Actions

  private func perform(_ actions: [AdvertisingMachine.Action], _ loop: BusLoop) {
    for action in actions {
      switch action {
      case .askForObjects: askForObjects(loop)
      case .askAgain(let reason):
        reason.map { lifecycle.failed($0) }
        lifecycle.askAgain(after: .now)
      case .register(let number): register(number, loop)
      case .unregister(let number): call("UnregisterAdvertisement", number, loop) { _ in }
      case .startKernel(let number): pass((kernel.start(number, at: .now), nil), loop)
      case .stopKernel: pass((kernel.stop(), nil), loop)
      case .advertising(let number):
        lifecycle.succeeded()
        describe(number, loop)
      case .interrupted(let reason): emit(.interrupted(reason))
      case .fail(let reason): fail(reason, loop)
      }
    }
  }

  private func fail(_ reason: BlueZUnavailable, _ loop: BusLoop) {
    start.set(.failure(reason))
    loop.end()
  }

  private func askForObjects(_ loop: BusLoop) {
    guard !lifecycle.isStopping else { return }
    loop.call(
      MethodCall(BlueZName.service, "/", BusName.objectManager, "GetManagedObjects"),
      timeout: Self.callTimeout,
      answered: { [weak self] message in
        guard let self else { return }
        guard message.hasSignature("a{oa{sa{sv}}}") else {
          let error = CallError.unexpectedAnswer(signature: message.signature)
          return perform(machine.refused(BlueZUnavailable(BlueZFailure(error))), loop)
        }
        let adapters = reader.adapters(in: message)
        perform(machine.described(adapters), loop)
      },
      failed: { [weak self] error in
        guard let self, error != .disconnected else { return }
        perform(machine.refused(BlueZUnavailable(BlueZFailure(error))), loop)
      }
    )
  }

  private func call(
    _ method: String,
    _ number: UInt16,
    _ loop: BusLoop,
    then done: @escaping (Result<[DBusValue], CallError>) -> Void
  ) {
    var arguments: [DBusValue] = [.objectPath(AdvertisementObject.path)]
    if method == "RegisterAdvertisement" { arguments.append(.properties([:])) }
    loop.call(
      MethodCall(
        BlueZName.service,
        "\(BlueZName.root)/hci\(number)",
        BlueZName.advertisingManager,
        method,
        arguments
      ),
      timeout: Self.callTimeout,
      then: done
    )
  }

  private func register(_ number: UInt16, _ loop: BusLoop) {
    readChannel()
    seen = (nil, nil, nil)
    call("RegisterAdvertisement", number, loop) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success: perform(machine.registered(with: number), loop)
      case .failure(.disconnected): break
      case .failure(let error):
        perform(machine.refused(by: number, BlueZFailure(error)), loop)
      }
    }
  }

  // MARK: The kernel

  private func readControl(_ loop: BusLoop) {
    while let message = control?.receive() ?? nil {
      guard let event = ManagementMessage.event(message) else { continue }
      pass(kernel.received(event, at: .now), loop)
    }
  }

  /// Sends the kernel's next message, and passes the change to the machine.
  private func pass(
    _ step: (message: [UInt8]?, change: KernelAdvertisement.Change?),
    _ loop: BusLoop
  ) {
    if let message = step.message { _ = control?.send(message) }
    guard let change = step.change else { return }
    if case .added(let active, let possible) = change { seen.places = (active, possible) }
    perform(machine.kernel(change), loop)
  }

  /// Asks how many advertisements the adapter sends, then emits the obtained values.
  private func describe(_ number: UInt16, _ loop: BusLoop) {
    guard let adapter = machine.adapter else { return }
    var obtained = ObtainedAdvertisement(adapter: adapter.name, address: adapter.address)
    if let refusal = machine.refusal {
      obtained.refusal = refusal
      if let places = seen.places { (obtained.active, obtained.possible) = places }
      return tell(obtained)
    }
    let read = MethodCall(
      BlueZName.service,
      adapter.path,
      BusName.properties,
      "GetAll",
      [.string(BlueZName.advertisingManager)]
    )
    loop.call(read, timeout: Self.callTimeout) { [weak self] result in
      guard let self else { return }
      if case .success(let values) = result, case .dictionary(_, let entries) = values.first {
        obtained.active = Self.number("ActiveInstances", in: entries)
        // What BlueZ names the supported instances are the free ones.
        let free = Self.number("SupportedInstances", in: entries)
        if let active = obtained.active, let free { obtained.possible = active + free }
      }
      tell(obtained)
    }
  }

  private func tell(_ values: ObtainedAdvertisement) {
    var obtained = values
    readChannel()
    obtained.interval = seen.interval
    obtained.transmissionPower = seen.power
    if start.isSet { emit(.advertising(obtained)) } else { start.set(.success(obtained)) }
  }

  private static func number(_ name: String, in entries: [DBusEntry]) -> Int? {
    guard case .variant(.byte(let number)) = entries.first(where: { $0.key.text == name })?.value
    else { return nil }
    return Int(number)
  }

  /// Reads the kernel's commands to the adapter.
  private func readChannel() {
    guard let channel else { return }
    while let packet = channel.receive(into: &buffer) {
      guard packet.count > 0 else { break }
      guard let command = AdvertisingCommand(buffer.span.extracting(..<packet.count)),
        command.adapter == machine.adapter?.number
      else { continue }
      seen.interval = command.interval
    }
  }

  // MARK: The user

  private func emit(_ event: BlueZAdvertiserEvent) {
    if let waiter {
      self.waiter = nil
      return waiter.continuation.resume(returning: event)
    }
    if events.count == Self.longestQueue { events.removeFirst() }
    events.append(event)
  }

  /// Resumes a task with the next event, or with `nil` at a time.
  func wait(until time: Uptime, _ continuation: Waiter) {
    waiter?.continuation.resume(returning: nil)
    waiter = nil
    guard events.isEmpty else { return continuation.resume(returning: events.removeFirst()) }
    waiter = (continuation, time)
  }

  /// Unregisters the advertisement, then ends the loop.
  func stop(_ loop: BusLoop) {
    guard lifecycle.stop(at: .now) else { return }
    let end = machine.stop()
    guard loop.isRunning, case .unregister(let number)? = end.first else {
      perform(end, loop)
      return loop.end()
    }
    call("UnregisterAdvertisement", number, loop) { _ in loop.end() }
  }
}
