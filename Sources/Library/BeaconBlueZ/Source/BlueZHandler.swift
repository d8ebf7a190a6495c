// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconCore
internal import Beacons
internal import DBus

/// Follows BlueZ on the bus's thread: it passes events to the adapters' machines, performs their actions, and passes
/// reports to the intake.
///
/// It connects the parts and decides nothing itself. ``BusObjectReader`` reads BlueZ's messages, ``ReceiverSet`` holds the
/// adapters and their machines, ``ReportIntake`` passes reports to the ``ReportQueue``, ``KernelMonitors`` adds monitors
/// through the kernel, ``SourceClocks`` reads the clocks, and ``SourceLifecycle`` knows the deadlines of start and end.
///
/// A receiver's reports come either through the kernel's monitor channel or over D-Bus. The handler chooses the way
/// when BlueZ describes the adapter.
final class BlueZHandler: BusHandler {
  typealias Start = Promise<Result<Void, BlueZUnavailable>>

  /// How long BlueZ may take to answer; switching an adapter on or off takes a few seconds.
  static let callTimeout = Duration.seconds(10)

  let options: BlueZScanOptions
  let outbox: ReportQueue
  private let start: Start
  var clocks: SourceClocks
  private var lifecycle: SourceLifecycle
  var receivers: ReceiverSet
  var service = ServiceWatch()
  /// The receivers that are deaf until the service has answered.
  var held: Set<UInt8> = []
  var isServiceSilent = false
  private var reader = BusObjectReader()
  var intake: ReportIntake
  private var statistics = BlueZStatistics()
  private var openRequests = 0
  private var subscriptions = Subscriptions()
  weak var loop: BusLoop?
  private lazy var monitors = KernelMonitors { [weak self] controller, change in
    self?.monitorChanged(change, of: controller)
  }

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - options: The adapters to scan with, and how to scan.
  ///   - channel: The kernel's monitor channel; `nil` if it is not open.
  ///   - timeline: The source's timeline.
  ///   - outbox: Receives reports and diagnostics.
  ///   - start: Set when the start has succeeded or failed.
  init(
    options: BlueZScanOptions,
    channel: MonitorSocket?,
    timeline: SourceTimeline,
    outbox: ReportQueue,
    start: Start
  ) {
    self.options = options
    self.outbox = outbox
    self.start = start
    clocks = SourceClocks(timeline: timeline, wallClock: options.wallClock)
    lifecycle = SourceLifecycle(startingAt: options.uptime())
    receivers = ReceiverSet(options.adapters, deafness: options.deafness, uuids: options.uuids)
    intake = ReportIntake(outbox: outbox, channel: channel)
  }

  deinit {
    start.set(.failure(.failed(.noAnswer)))
    outbox.end()
  }

  // MARK: The bus

  func connected(_ loop: BusLoop) {
    self.loop = loop
    subscriptions = Subscriptions()
    if !intake.hasChannel { subscriptions.addDevices(loop) }
    if let descriptor = intake.descriptor {
      loop.watch(descriptor) { [weak self] _ in self?.deliver() }
    }
    subscriptions.addAdapters(loop)
  }

  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {
    lifecycle.connected()
    if owner == nil, !start.isSet { return fail(.serviceNotRunning, loop) }
    forgetAll(.serviceLost, loop)
    if owner != nil { askForObjects(loop) }
  }

  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
    let reason = BlueZUnavailable(failure)
    // A connection that was lost is made again, also during the start, which has its own deadline.
    guard !lifecycle.isStopping, start.isSet || failure == .lost else {
      start.set(.failure(reason))
      return nil
    }
    // The loss is reported with the adapters; the reason of failed attempts to connect again, once.
    if failure != .lost, lifecycle.failure != reason { outbox.add(.busUnusable(reason)) }
    lifecycle.failed(reason)
    forgetAll(.busLost, loop)
    deliver()
    return lifecycle.reconnectWait()
  }

  private func fail(_ reason: BlueZUnavailable, _ loop: BusLoop) {
    start.set(.failure(reason))
    loop.end()
  }

  /// Removes everything that came from BlueZ, because BlueZ or the bus is gone.
  private func forgetAll(_ reason: BlueZDiagnostic, _ loop: BusLoop) {
    reader.forgetDevices()
    lifecycle.cancelAskAgain()
    forgetService()
    guard receivers.isAnyPresent else { return }
    outbox.add(reason)
    for index in receivers.indices { vanish(index, loop, isInterrupted: reason == .busLost) }
  }

  // MARK: Objects

  private func askForObjects(_ loop: BusLoop) {
    loop.call(
      MethodCall(BlueZName.service, "/", BusName.objectManager, "GetManagedObjects"),
      timeout: Self.callTimeout,
      answered: { [weak self] message in self?.receiveObjects(message, loop) },
      failed: { [weak self] error in self?.objectsRefused(error, loop) }
    )
  }

  private func objectsRefused(_ error: CallError, _ loop: BusLoop) {
    // The meaning of a lost connection is decided when the loss is known.
    guard error != .disconnected else { return }
    let failure = BlueZFailure(error)
    let reason = BlueZUnavailable(failure)
    if !start.isSet, failure.isFinal { return fail(reason, loop) }
    lifecycle.failed(reason)
    lifecycle.askAgain(after: options.uptime())
  }

  private func receiveObjects(_ message: borrowing Message, _ loop: BusLoop) {
    guard message.hasSignature("a{oa{sa{sv}}}") else {
      return objectsRefused(.unexpectedAnswer(signature: message.signature), loop)
    }
    lifecycle.succeeded()
    service.heard(at: present())
    let adapters = reader.adapters(in: message)
    for adapter in adapters { found(adapter, loop) }
    guard !start.isSet else { return }
    if let reason = receivers.failure(among: adapters) { return fail(reason, loop) }
    settleStart(loop)
  }

  /// Ends the start if the adapters have decided it.
  private func settleStart(_ loop: BusLoop) {
    guard !start.isSet else { return }
    switch receivers.startOutcome {
    case .success?: start.set(.success(()))
    case .failure(let reason)?: fail(reason, loop)
    case nil: break
    }
  }

  private func found(_ adapter: AdapterObject, _ loop: BusLoop) {
    guard let (index, isNew) = receivers.attach(adapter) else { return }
    if isNew { outbox.add(receiver: receivers[index].name) }
    settlePath(of: index, adapter, loop)
    let now = present()
    perform(receivers.update(index) { $0.found(adapter.facts, at: now) }, index, loop)
  }

  /// Chooses the way of a receiver's reports.
  ///
  /// The bus may belong to another machine, whose adapters this kernel does not have.
  private func settlePath(of index: Int, _ adapter: AdapterObject, _ loop: BusLoop) {
    // The kernel described the adapter before BlueZ could.
    readKernel()
    let known = intake.kernelAdapter(adapter.number)
    let isByKernel = known?.mayHave(address: adapter.address) ?? false
    receivers.setReceivedByKernel(isByKernel, index)
    guard !isByKernel, intake.hasChannel else { return }
    guard options.path == .kernel else { return subscriptions.addDevices(loop) }
    if start.isSet {
      outbox.add(.notOfThisKernel(adapter: adapter.name))
    } else {
      fail(.notOfThisKernel(adapter: adapter.name), loop)
    }
  }

  private func vanish(_ index: Int, _ loop: BusLoop, isInterrupted: Bool = false) {
    // This is called while the receiver still counts as receiving: the stalled thread caused any silence up to here.
    let now = present()
    receivers[index].adapter.map { reader.forgetDevices(of: $0) }
    let actions = receivers.update(index) {
      isInterrupted ? $0.interrupted(at: now) : $0.vanished()
    }
    perform(actions, index, loop)
    receivers.detach(index)
  }

  // MARK: Signals

  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
    var isWellFormed = true
    let now = present()
    service.heard(at: now)
    switch reader.signal(in: message) {
    case .device(let device):
      statistics.deviceSignals &+= 1
      receive(device, at: now)
    case .malformedDevice:
      statistics.deviceSignals &+= 1
      isWellFormed = false
    case .added(let adapter):
      found(adapter, loop)
      settleStart(loop)
    case .changed(let adapter, let properties):
      changed(properties, adapter, at: now, loop)
      isWellFormed = properties.isWellFormed
    case .removed(let adapter):
      if let index = receivers.index(ofAdapter: adapter) { vanish(index, loop) }
    case .malformed: isWellFormed = false
    case .other: break
    }
    if !isWellFormed { statistics.malformed &+= 1 }
    return isWellFormed
  }

  private func changed(
    _ properties: AdapterProperties,
    _ number: UInt16,
    at now: Timestamp,
    _ loop: BusLoop
  ) {
    guard let index = receivers.index(ofAdapter: number) else { return }
    // The power is handled first: discovery that ended with the power must not be resumed.
    if let isPowered = properties.isPowered {
      perform(receivers.update(index) { $0.powered(isPowered, at: now) }, index, loop)
    }
    if let isDiscovering = properties.isDiscovering {
      perform(receivers.update(index) { $0.discovering(isDiscovering, at: now) }, index, loop)
    }
    settleStart(loop)
  }

  // MARK: Receiving

  /// Makes a report from the reader's sample.
  private func receive(_ device: DevicePath, at now: Timestamp) {
    guard let index = receivers.index(ofAdapter: device.adapter),
      receivers.acceptsReportsOverBus(index)
    else {
      statistics.unexpected &+= 1
      return
    }
    // It was sent at an unknown time before.
    guard !service.isBehind else { return }
    guard let rssi = reader.sample.rssi else {
      statistics.withoutSample &+= 1
      return
    }
    let payload = reader.sample.payload
    var report = AdvertisingReport(
      time: now,
      rssi: rssi,
      receiver: receivers[index].number,
      address: reader.address(of: device),
      kind: nil,
      content: .rebuiltManufacturerData,
      payloadStart: 0,
      payloadCount: UInt16(clamping: payload.count)
    )
    note(&report, payload.span, device: device.key, index)
    intake.add(report, payload: payload)
  }

  /// Reads reports from the kernel into the intake.
  ///
  /// - Returns: The time up to which received inputs may be delivered.
  @discardableResult
  private func readKernel() -> Timestamp {
    let both = clocks.readBoth()
    let now = both?.now ?? clocks.now
    checkStall(at: now)
    guard
      var reading = intake.readKernel(
        now: now,
        wall: both?.wall,
        readClocks: { [clocks] in clocks.readBoth() },
        receiver: { [receivers] in receivers.kernelReceiver(ofAdapter: $0) }
      )
    else { return now }
    noteDrops(reading.dropped)
    for scan in reading.scans {
      guard let loop, let index = receivers.index(ofAdapter: scan.adapter) else { continue }
      let actions = receivers.update(index) { $0.scans(scan.isStart, at: scan.time) }
      perform(actions, index, loop, at: scan.time)
    }
    for index in reading.reports.inputs.indices {
      guard case .report(var report) = reading.reports.inputs[index] else { continue }
      let device = report.address?.rawValue
      note(&report, reading.reports.bytes.span, device: device, Int(report.receiver))
      reading.reports.inputs[index] = .report(report)
    }
    let silent = reading.hole == nil ? [] : receivers.receivingByKernel
    intake.add(reading, silent: silent.map { receivers[$0].number })
    return reading.settled
  }

  /// Counts a report and passes it to its receiver's machine.
  ///
  /// If that changes the receiver's state, the new state precedes the report.
  ///
  /// The advertisement is decoded here, since deafness is judged by beacon family before the engine has the report; the
  /// report keeps the place of its frame.
  private func note(
    _ report: inout AdvertisingReport,
    _ bytes: borrowing Span<UInt8>,
    device: UInt64?,
    _ index: Int
  ) {
    statistics.reports &+= 1
    report.found = BeaconDecoder.find(advertisingData: bytes, in: report.payloadRange)
    let uuid = BeaconDecoder.read(report, in: bytes).identity?.uuid
    let (address, time) = (report.address, report.time)
    let actions = receivers.update(index) { $0.received(from: address, uuid: uuid, at: time) }
    if !actions.isEmpty, let loop { perform(actions, index, loop, at: time) }
    if let device, receivers.showsFilter(index, reportOf: device, at: time) {
      outbox.add(.limitedByDuplicateFilter(adapter: receivers[index].name))
    }
  }

  private func noteDrops(_ count: Int) {
    guard count > 0 else { return }
    receivers.forgetScans()
    statistics.kernelDropped &+= count
    outbox.add(.kernelDropped(count))
  }

  // MARK: Time

  var nextDeadline: Uptime? {
    // Only reports over D-Bus get the time at which the thread reads them.
    let watches = receivers.isReceivingOverBus ? [clocks.nextStallCheck, service.deadline] : []
    let delivery = isTimeHeld ? nil : intake.nextDelivery
    let timed = ([receivers.nextDeadline, delivery] + watches).compactMap(\.self).min()
    let deadlines = [timed.map { clocks.uptime(of: $0) }, lifecycle.nextDeadline].compactMap(\.self)
    guard let left = deadlines.min().map({ $0 - options.uptime() }) else { return nil }
    // The loop has the machine's clock.
    return left > .zero ? .now + left : Uptime(nanoseconds: 0)
  }

  func timePassed(_ loop: BusLoop) {
    let now = options.uptime()
    if lifecycle.drainStartTimeout(at: now), !start.isSet {
      return fail(lifecycle.failure ?? receivers.failure ?? .failed(.noAnswer), loop)
    }
    if lifecycle.isStopOverdue(at: now) { return loop.end() }
    if lifecycle.drainAskAgain(at: now) { askForObjects(loop) }
    if receivers.isReceivingOverBus { watchService() }
    deliver()
    // Silence is judged after everything waiting is read, which may take more than one read of the channel.
    if !intake.isBehind { judgeSilence(loop) }
  }

  private func judgeSilence(_ loop: BusLoop) {
    for index in receivers.indices {
      let now = present()
      guard let deadline = receivers[index].machine.nextDeadline, deadline <= now else { continue }
      perform(receivers.update(index) { $0.timePassed(to: now) }, index, loop)
    }
    deliver()
  }

  func drained(_ loop: BusLoop) {
    statistics.addressesEvicted = reader.evictedAddresses
    statistics.foreignMessages = loop.counters.refused - loop.counters.malformedSignals
    deliver()
  }

  /// Delivers the received inputs.
  private func deliver() {
    if let step = clocks.checkWallClock() { outbox.add(.clockStepped(by: step)) }
    let settled = intake.hasChannel ? readKernel() : present()
    let known = receivers.isReceivingOverBus ? service.horizon(at: settled) : settled
    intake.deliver(upTo: known, statistics)
  }

  /// Whether time does not pass until the service answers.
  private var isTimeHeld: Bool {
    guard receivers.isReceivingOverBus else { return false }
    let now = clocks.now
    return service.horizon(at: now) < now
  }

  /// Returns the current time on the timeline, for stamping inputs.
  ///
  /// If a stall ended here, it is reported first.
  func present() -> Timestamp {
    let now = clocks.now
    checkStall(at: now)
    return now
  }

  // MARK: Actions

  /// Performs a machine's actions.
  ///
  /// A new state holds from the given time on, or else from now on.
  private func perform(
    _ actions: [AdapterAction],
    _ index: Int,
    _ loop: BusLoop,
    at time: Timestamp? = nil
  ) {
    for action in actions {
      switch action {
      case .request(let request, let attempt):
        if request == .registerMonitor { receivers.stopWatchingFilter(index) }
        make(request, attempt: attempt, index, loop)
      case .addKernelMonitor:
        receivers.stopWatchingFilter(index)
        addKernelMonitor(index, loop)
      case .removeKernelMonitor: receivers[index].adapter.map { monitors.remove($0) }
      case .emit(.listening) where service.isBehind && !receivers[index].isReceivedByKernel:
        held.insert(receivers[index].number)
      case .emit(let state):
        held.remove(receivers[index].number)
        intake.add(state, of: receivers[index].number, at: time ?? present())
      case .warn(let trouble): warn(trouble, index)
      }
    }
  }

  private func warn(_ trouble: AdapterTrouble, _ index: Int) {
    // The next reports will show whether the adapter's duplicate filter needs a warning.
    if trouble == .noMonitor { return receivers.watchFilter(index) }
    outbox.add(BlueZDiagnostic(trouble, adapter: receivers[index].name))
    statistics.count(trouble)
  }

  private func make(_ request: AdapterRequest, attempt: Int, _ index: Int, _ loop: BusLoop) {
    guard let path = receivers[index].machine.path else { return }
    openRequests += 1
    let monitor = MonitorObject(receiver: receivers[index].number)
    let call = request.call(of: path, monitor: monitor.managerPath)
    loop.call(call, timeout: Self.callTimeout) { [weak self] result in
      guard let self else { return }
      openRequests -= 1
      // A lost connection is not an answer: the machine learns of the loss itself, but at the end.
      if result != .failure(.disconnected) || lifecycle.isStopping {
        let outcome = RequestOutcome(of: request, result)
        let now = present()
        let actions = receivers.update(index) {
          $0.answered(request, outcome, attempt: attempt, at: now)
        }
        perform(actions, index, loop)
        settleStart(loop)
      }
      if lifecycle.isStopping, openRequests == 0 { loop.end() }
    }
  }

  // MARK: Monitors

  private func addKernelMonitor(_ index: Int, _ loop: BusLoop) {
    guard let adapter = receivers[index].adapter else { return }
    guard let descriptor = monitors.descriptor else {
      return perform(receivers.update(index) { $0.kernelMonitor(isThere: false) }, index, loop)
    }
    loop.watch(descriptor) { [weak self] _ in self?.monitors.receive() }
    monitors.add(adapter)
  }

  private func monitorChanged(_ change: KernelMonitors.Change, of controller: UInt16) {
    guard let loop, let index = receivers.index(ofAdapter: controller) else { return }
    let name = receivers[index].name
    switch change {
    case .added:
      outbox.add(.kernelMonitorAdded(adapter: name))
      perform(receivers.update(index) { $0.kernelMonitor(isThere: true) }, index, loop)
    case .refused:
      perform(receivers.update(index) { $0.kernelMonitor(isThere: false) }, index, loop)
    case .removed:
      perform(receivers.update(index) { $0.kernelMonitorRemoved() }, index, loop)
    case .discoveryEnded:
      let now = present()
      perform(receivers.update(index) { $0.kernelDiscoveryEnded(at: now) }, index, loop)
    case .found(let count):
      outbox.add(.leftoverMonitors(adapter: name, count: count))
    }
  }

  /// Answers BlueZ's calls to the exported monitors.
  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? {
    guard let path = message.path, let number = MonitorObject.receiver(of: path),
      let index = receivers.index(ofReceiver: number)
    else { return nil }
    let monitor = MonitorObject(receiver: number)
    if message.isNamed("org.freedesktop.DBus.ObjectManager", "GetManagedObjects") {
      return .values([monitor.managedObjects])
    }
    switch monitor.event(in: message) {
    case .activated: perform(receivers.update(index) { $0.monitorActivated() }, index, loop)
    case .released: perform(receivers.update(index) { $0.monitorReleased() }, index, loop)
    case .other: break
    case nil: return nil
    }
    return .values([])
  }

  // MARK: The end

  /// Undoes a loop's handler's actions, then ends the loop.
  static func stop(_ loop: BusLoop) {
    guard let handler = loop.handler as? BlueZHandler else { return loop.end() }
    handler.stop(loop)
  }

  private func stop(_ loop: BusLoop) {
    guard lifecycle.stop(at: options.uptime()) else { return }
    noteDrops(intake.drainDrops())
    deliver()
    for index in receivers.indices { perform(receivers.update(index) { $0.stop() }, index, loop) }
    if openRequests == 0 || !loop.isRunning { loop.end() }
  }
}
