// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons
internal import DBus

/// Follows BlueZ on the bus's thread: feeds the adapters' machines, does what they say, and batches what is heard.
final class BlueZHandler: BusHandler {
  static let service = "org.bluez"
  /// How long BlueZ may take to answer; adapters that are being switched take a few seconds.
  static let callTimeout = Duration.seconds(10)
  /// How long the start may take in all.
  private static let startTimeout = Duration.seconds(12)
  /// How long undoing may take at the end, so that stopping takes less than 2 s with the half second it may take a
  /// program to notice that it is to stop.
  private static let stopTimeout = Duration.milliseconds(1200)
  /// How long to wait before asking again for all objects, after that failed.
  private static let askAgainTimeout = Duration.seconds(2)

  let selection: AdapterSelection
  let timeline: Timeline
  let wallClock: WallClock
  var clockWatch = ClockWatch()
  var stallWatch = StallWatch()
  let outbox: Outbox
  let startup: Startup
  var receivers: [Receiver] = []
  var devices = DeviceTable()
  var sample = DeviceSample()
  var heard = ScanBatch()
  var statistics = BlueZStatistics()
  var kernelReports: KernelReports?
  /// Inputs that are held back for a moment, where the kernel's stamps may come late.
  var window = ReorderingWindow()
  /// Whether the bus was asked for the signals of devices.
  var isListeningToDevices = false
  let path: ReportPath
  let deafness: DeafnessConfiguration
  let timing: TimingConfiguration
  let uuids: Set<UInt128>?
  private var backOff = BackOff()
  private var startBy: Uptime?
  /// What will have been wrong when no adapter listens in time.
  private var startFailure = BlueZUnavailable.noAnswer
  private var stopBy: Uptime?
  private var askAgainAt: Uptime?
  private var openRequests = 0
  weak var loop: BusLoop?
  private lazy var kernel = KernelMonitors { [weak self] controller, news in
    self?.kernelTold(news, of: controller)
  }

  init(
    _ selection: AdapterSelection,
    _ path: ReportPath,
    _ channel: MonitorSocket?,
    _ deafness: DeafnessConfiguration,
    _ timing: TimingConfiguration,
    _ uuids: Set<UInt128>?,
    _ timeline: Timeline,
    _ wallClock: WallClock,
    _ outbox: Outbox,
    _ startup: Startup
  ) {
    self.selection = selection
    self.path = path
    self.deafness = deafness
    self.timing = timing
    self.uuids = uuids
    self.timeline = timeline
    self.wallClock = wallClock
    self.outbox = outbox
    self.startup = startup
    kernelReports = channel.map { KernelReports($0) }
    startBy = .now + Self.startTimeout
  }

  deinit {
    startup.settle(.failure(.noAnswer))
    outbox.end()
  }

  // MARK: The bus

  func connected(_ loop: BusLoop) {
    self.loop = loop
    backOff.reset()
    isListeningToDevices = false
    if kernelReports == nil { listenToDevices(loop) } else { listenToAdapters(loop) }
    watchKernel(loop)
    loop.add(MatchRule(sender: Self.service, interface: BusName.objectManager, path: "/"))
    loop.follow(Self.service)
  }

  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {
    if owner == nil, !startup.isSettled { return fail(.serviceNotRunning, loop) }
    forgetAll(.serviceLost, loop)
    if owner != nil { askForObjects(loop) }
  }

  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
    guard startup.isSettled, stopBy == nil else {
      startup.settle(.failure(.noBus(Self.words(for: failure))))
      return nil
    }
    forgetAll(.busLost, loop)
    deliver()
    return backOff.wait()
  }

  private static func words(for failure: BusFailure) -> String {
    switch failure {
    case .cannotConnect(let words): words
    case .notGreeted: "the bus did not let us in"
    case .lost: "the connection was lost"
    }
  }

  func fail(_ reason: BlueZUnavailable, _ loop: BusLoop) {
    startup.settle(.failure(reason))
    loop.end()
  }

  /// BlueZ has gone: what it told holds no more.
  private func forgetAll(_ reason: BlueZDiagnostic, _ loop: BusLoop) {
    devices.removeAll()
    askAgainAt = nil
    guard receivers.contains(where: { $0.adapter != nil }) else { return }
    outbox.add(reason)
    for index in receivers.indices { vanish(index, loop) }
  }

  // MARK: Objects

  private func askForObjects(_ loop: BusLoop) {
    let call = MethodCall(Self.service, "/", BusName.objectManager, "GetManagedObjects")
    loop.call(
      call,
      timeout: Self.callTimeout,
      answered: { [weak self] message in self?.takeObjects(message, loop) },
      failed: { [weak self] error in self?.objectsRefused(error, loop) }
    )
  }

  private func objectsRefused(_ error: CallError, _ loop: BusLoop) {
    if !startup.isSettled {
      switch RequestOutcome(error) {
      case .notPermitted: fail(.notPermitted, loop)
      default: fail(error.name.map { .refused($0) } ?? .noAnswer, loop)
      }
    } else if error != .disconnected {
      askAgainAt = .now + Self.askAgainTimeout
    }
  }

  private func takeObjects(_ message: borrowing Message, _ loop: BusLoop) {
    guard message.hasSignature("a{oa{sa{sv}}}") else {
      return objectsRefused(.unexpectedAnswer(signature: message.signature), loop)
    }
    var adapters: [AdapterObject] = []
    _ = message.read { objects in
      objects.forEachEntry { entry in
        if let adapter = takeObject(&entry, mayBeSample: false) { adapters.append(adapter) }
      }
    }
    // The order of the wire is that of a hash in the daemon.
    adapters.sort { ($0.number, $0.address) < ($1.number, $1.address) }
    for adapter in adapters { found(adapter, loop) }
    if !startup.isSettled { checkStart(adapters, loop) }
  }

  /// Says at once what keeps the start from succeeding; an adapter that is off is waited for, since a person can switch
  /// it on.
  private func checkStart(_ adapters: [AdapterObject], _ loop: BusLoop) {
    if receivers.isEmpty {
      guard case .named(let name) = selection else { return fail(.noAdapter, loop) }
      let known = adapters.flatMap { [$0.name, $0.address] }
      let nearest = AdapterSelection.nearest(to: name, among: known)
      fail(.adapterNotFound(name, nearest: nearest), loop)
    } else if !receivers.contains(where: \.machine.isPowered) {
      startup.settle(.success(()))
    }
  }

  // MARK: Time

  var nextDeadline: Uptime? {
    let machines = receivers.compactMap(\.machine.nextDeadline).min()
    let handOver = outbox.nextHandOver.map { $0 + lag }
    let timed = [machines, handOver, window.nextRelease, nextLook].compactMap(\.self).min()
    let others = [startBy, stopBy, askAgainAt].compactMap(\.self).min()
    guard let timed else { return others }
    let due = timeline.uptime(of: timed)
    return others.map { min($0, due) } ?? due
  }

  func timePassed(_ loop: BusLoop) {
    let now = Uptime.now
    if let startBy, startBy <= now {
      self.startBy = nil
      if !startup.isSettled { return fail(startFailure, loop) }
    }
    if let stopBy, stopBy <= now { return loop.end() }
    if let askAgainAt, askAgainAt <= now {
      self.askAgainAt = nil
      askForObjects(loop)
    }
    deliver()
    // Before silence is judged, what has come is heard: all of it, where the kernel has more than one reading takes.
    if kernelReports?.isBehind != true { judgeSilence(loop) }
  }

  private func judgeSilence(_ loop: BusLoop) {
    for index in receivers.indices {
      let now = present()
      guard let deadline = receivers[index].machine.nextDeadline, deadline <= now else { continue }
      perform(receivers[index].machine.timePassed(to: now), index, loop)
    }
    deliver()
  }

  func drained(_ loop: BusLoop) {
    statistics.addressesEvicted = devices.evicted
    statistics.foreignMessages = loop.counters.refused - loop.counters.malformedSignals
    deliver()
  }

  /// How far what is told stays behind the present.
  private var lag: TimeSpan { kernelReports == nil ? .zero : ReorderingWindow.length }

  /// Hands over what was heard.
  func deliver() {
    checkClock()
    guard kernelReports != nil else {
      let now = present()
      return outbox.deliver(&heard, upTo: now, statistics)
    }
    let settled = readKernel()
    var ready = window.release(upTo: settled)
    outbox.deliver(&ready, upTo: settled, statistics)
  }

  // MARK: Actions

  /// Does what a machine says; a state is told as of a time, which is the present unless given.
  func perform(
    _ actions: [AdapterAction],
    _ index: Int,
    _ loop: BusLoop,
    at time: Timestamp? = nil
  ) {
    for action in actions {
      switch action {
      case .request(let request, let attempt):
        if request == .registerMonitor { receivers[index].filterWatch = nil }
        make(request, attempt: attempt, index, loop)
      case .addKernelMonitor:
        receivers[index].filterWatch = nil
        addKernelMonitor(index, loop)
      case .removeKernelMonitor: receivers[index].adapter.map { kernel.remove($0) }
      case .tell(let state):
        let moment = time ?? present()
        heard.inputs.append(.radio(receiver: receivers[index].number, state, moment))
        if state == .off, !receivers[index].machine.isPowered {
          outbox.add(.switchedOff(adapter: receivers[index].name))
        }
        if state == .listening { startup.settle(.success(())) }
      case .report(let trouble): report(trouble, index, loop)
      }
    }
  }

  private func report(_ trouble: AdapterTrouble, _ index: Int, _ loop: BusLoop) {
    let name = receivers[index].name
    // Whether the controller has a filter worth telling of will show.
    if trouble == .noMonitor { return receivers[index].filterWatch = DuplicateFilterWatch() }
    outbox.add(BlueZDiagnostic(trouble, adapter: name))
    count(trouble)
    guard !startup.isSettled else { return }
    let reason: BlueZUnavailable
    switch trouble {
    case .blocked: return startup.settle(.success(()))
    case .notPermitted: reason = .notPermitted
    case .failed(let error): reason = .refused(error)
    case .discoveryStopped, .silent, .monitorRefused, .noMonitor, .deaf, .powerCycled, .stillDeaf,
      .receivesAgain:
      return
    }
    // Of several adapters another may still come to listen; if none does, this is why.
    startFailure = reason
    if receivers.count == 1 { fail(reason, loop) }
  }

  private func count(_ trouble: AdapterTrouble) {
    switch trouble {
    case .deaf: statistics.discoveryRestarts &+= 1
    case .powerCycled: statistics.powerCycles &+= 1
    case .stillDeaf: statistics.stillDeaf &+= 1
    case .discoveryStopped, .silent, .receivesAgain, .blocked, .monitorRefused, .noMonitor,
      .notPermitted, .failed:
      break
    }
  }

  private func make(_ request: AdapterRequest, attempt: Int, _ index: Int, _ loop: BusLoop) {
    guard let path = receivers[index].machine.path else { return }
    openRequests += 1
    let call = request.call(of: path, receivers[index].monitor)
    loop.call(call, timeout: Self.callTimeout) { [weak self] result in
      guard let self else { return }
      openRequests -= 1
      let outcome = RequestOutcome(of: request, result)
      let now = present()
      perform(
        receivers[index].machine.answered(request, outcome, attempt: attempt, at: now),
        index,
        loop
      )
      if stopBy != nil, openRequests == 0 { loop.end() }
    }
  }

  // MARK: The kernel's monitors

  private func addKernelMonitor(_ index: Int, _ loop: BusLoop) {
    guard let adapter = receivers[index].adapter else { return }
    guard let descriptor = kernel.descriptor else {
      return perform(receivers[index].machine.kernelMonitor(isThere: false), index, loop)
    }
    loop.watch(descriptor) { [weak self] _ in self?.kernel.receive() }
    kernel.add(adapter)
  }

  private func kernelTold(_ news: KernelMonitors.News, of controller: UInt16) {
    guard let loop, let index = receivers.firstIndex(where: { $0.adapter == controller }) else {
      return
    }
    switch news {
    case .added:
      outbox.add(.kernelMonitorAdded(adapter: receivers[index].name))
      perform(receivers[index].machine.kernelMonitor(isThere: true), index, loop)
    case .refused:
      perform(receivers[index].machine.kernelMonitor(isThere: false), index, loop)
    case .removed:
      perform(receivers[index].machine.kernelMonitorRemoved(), index, loop)
    case .found(let count):
      outbox.add(.leftoverMonitors(adapter: receivers[index].name, count: count))
    }
  }

  // MARK: The end

  /// Undoes what the handler of a loop has done, then ends the loop.
  static func stop(_ loop: BusLoop) {
    guard let handler = loop.handler as? BlueZHandler else { return loop.end() }
    handler.stop(loop)
  }

  private func stop(_ loop: BusLoop) {
    guard stopBy == nil else { return }
    stopBy = .now + Self.stopTimeout
    tellLastDrops()
    deliver()
    for index in receivers.indices { perform(receivers[index].machine.stop(), index, loop) }
    if openRequests == 0 || !loop.isRunning { loop.end() }
  }
}
