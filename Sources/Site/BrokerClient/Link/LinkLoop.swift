// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconGateway
internal import Glibc
internal import SystemKit
internal import Synchronization

/// The loop of a link's thread.
///
/// Only that thread uses it. It waits in `poll` alone, and for the disk.
final class LinkLoop {
  private let setup: BrokerLink.Setup
  private let wakeUp: WakePipe
  private let spool: Spool?
  private var states: RetainedStates
  private var machine: BrokerMachine
  private var connection: MosquittoConnection?
  private var attempt: Attempt?
  private var random = SystemRandomNumberGenerator()
  private var isStopping = false
  private var stopDeadline: Timestamp?
  private var shownLost: UInt64 = 0
  /// When the disk last did not take a message, and how many it had not taken before that; `nil` while it takes them.
  private var diskFault: (last: Timestamp, refused: UInt64)?
  private var areTopicsSaved = false

  /// An attempt to connect, on its own thread.
  private final class Attempt: Sendable {
    struct Result: Sendable {
      let connection: MosquittoConnection
      let fault: BrokerFault?
    }
    let result = Mutex<Result?>(nil)
  }

  /// How long a link that ends waits for the broker to take what can be taken immediately.
  private static let goodbye = TimeSpan.milliseconds(600)
  /// Recovery is reported only after writes have succeeded for this long; a nearly full disk accepts some and rejects others.
  private static let stableDisk = TimeSpan.seconds(60)
  /// The library wants to be called about once a second.
  private static let longestWait = TimeSpan.seconds(1)

  init(_ setup: BrokerLink.Setup, _ wakeUp: WakePipe) throws {
    self.setup = setup
    self.wakeUp = wakeUp
    spool = try setup.spoolFolder.map { try Spool($0, limit: setup.spoolLimit) }
    let list =
      setup.spoolFolder.flatMap { try? WholeFile.read($0 + "/topics", mayWait: false) } ?? []
    states = RetainedStates(
      earlier: RetainedStates.topics(in: list),
      declared: setup.retainedTopics
    )
    machine = BrokerMachine(at: Self.now, newest: MosquittoLibrary.newest(for: setup.access))
    saveTopics()
  }

  private static var now: Timestamp { Timestamp(microseconds: Uptime.monotonicMicroseconds) }

  private func saveTopics() {
    guard let folder = setup.spoolFolder else { return }
    let bytes = RetainedStates.bytes(of: states.topics)
    areTopicsSaved = Spool.replace(folder + "/topics", with: bytes)
  }

  // MARK: The loop

  func run(_ link: BrokerLink) {
    while !isOver() {
      takeOrders(link)
      perform(machine.passed(to: Self.now, random: random.next()), link)
      sendWaiting()
      publishState(link)
      wait(link)
    }
    // A broker without the last state publishes by the will that we are offline.
    if states.areSettled { connection?.close() }
    _ = connection?.advance(canRead: false, canWrite: true)
    connection = nil
    spool?.finish()
    publishState(link)
    link.withShared { $0.hasEnded = true }
  }

  /// A link that is stopped ends when the broker has all messages, or after a short while.
  private func isOver() -> Bool {
    guard isStopping, let deadline = stopDeadline else { return false }
    return !machine.isConnected || Self.now >= deadline || isSettled
  }

  /// Whether the broker has all messages.
  private var isSettled: Bool {
    spool.map { $0.outbox.unacknowledged == 0 && $0.outbox.waiting == 0 } ?? true
      && states.areSettled && !(connection?.wantsToWrite ?? false)
  }

  private func takeOrders(_ link: BrokerLink) {
    let (messages, stops, startsAgain) = link.withShared { shared in
      defer { (shared.messages, shared.startsAgain) = ([], false) }
      if !shared.messages.isEmpty { shared.isSettled = false }
      return (shared.messages, shared.isStopping, shared.startsAgain)
    }
    if startsAgain {
      spool?.outbox.disconnected()
      states.disconnected()
      perform(machine.startAgain(at: Self.now), link)
    }
    for message in messages { take(message, link) }
    if stops, !isStopping {
      isStopping = true
      stopDeadline = Self.now + Self.goodbye
    }
  }

  private func publishState(_ link: BrokerLink) {
    let waiting = spool?.outbox.waiting ?? 0
    let (isConnected, isSettled) = (machine.isConnected, isSettled)
    link.withShared { shared in
      shared.waiting = waiting
      shared.isSettled = isSettled
      shared.isConnected = isConnected
      if isConnected { shared.hasFailed = nil }
    }
    if let spool, spool.lost > shownLost {
      let lost = spool.lost - shownLost
      shownLost = spool.lost
      report(.lost(lost), link)
    }
  }

  private func report(_ news: BrokerLink.News, _ link: BrokerLink) {
    link.withShared { shared in
      if shared.news.count < BrokerLink.queueLimit { shared.news.append(news) }
    }
  }

  // MARK: Messages

  /// Whether the broker is there, and reads.
  private var canSend: Bool { machine.isConnected && connection?.hasRoom ?? false }

  private func take(_ message: GatewayMessage, _ link: BrokerLink) {
    switch message.kind {
    case .state:
      let before = states.topics.count
      states.set(message.topic, message.payload)
      if states.topics.count != before || !areTopicsSaved { saveTopics() }
      if machine.isConnected { states.queue(message.topic) }
      // Before the messages that were submitted after it.
      sendStates()
    case .passing:
      guard canSend else { return }
      _ = connection?.publish(
        message.topic,
        message.payload,
        atLeastOnce: false,
        retained: false
      )
    case .levels:
      // Messages that a broker does not read wait on the disk, as without one.
      guard canSend else {
        keep(message.lateTopic ?? message.topic, message.payload, isUrgent: false, link)
        return
      }
      _ = connection?.publish(
        message.topic,
        message.payload,
        atLeastOnce: false,
        retained: false
      )
    case .event:
      guard
        let record = keep(message.topic, message.payload, isUrgent: true, link),
        machine.isConnected, spool?.outbox.hasRoom ?? false
      else { return }
      send(record, SpoolRecord(topic: message.topic, payload: message.payload))
    }
  }

  /// Sends a retained state; without bytes it is deleted.
  private func send(_ topic: String, _ payload: [UInt8]) {
    let message = connection?.publish(topic, payload, atLeastOnce: true, retained: true)
    if let message { states.sending(topic, as: message) }
  }

  private func send(_ number: UInt64, _ record: SpoolRecord) {
    let message = connection?.publish(
      record.topic,
      record.payload,
      atLeastOnce: true,
      retained: false
    )
    if let message { spool?.outbox.sending(number, as: message) }
  }

  @discardableResult
  private func keep(
    _ topic: String,
    _ payload: [UInt8],
    isUrgent: Bool,
    _ link: BrokerLink
  ) -> UInt64? {
    guard let spool else { return nil }
    let refused = spool.refused
    let number = spool.append(SpoolRecord(topic: topic, payload: payload), isUrgent: isUrgent)
    if let fault = spool.fault {
      if diskFault == nil { report(.disk("\(fault)"), link) }
      diskFault = (last: Self.now, refused: diskFault?.refused ?? refused)
    } else if let earlier = diskFault, Self.now - earlier.last >= Self.stableDisk {
      report(.diskAgain(lost: spool.refused - earlier.refused), link)
      diskFault = nil
    }
    return number
  }

  private func sendStates() {
    while canSend, let (topic, payload) = states.next() { send(topic, payload) }
  }

  /// Sends the waiting states and messages of the spool, as much as the broker may have at a time.
  private func sendWaiting() {
    sendStates()
    guard let spool else { return }
    while canSend, let number = spool.outbox.nextRecord() {
      guard let record = spool.read(number) else {
        spool.skip(number)
        continue
      }
      let before = spool.outbox.unacknowledged
      send(number, record)
      // The connection takes no more; it will report when it does.
      guard spool.outbox.unacknowledged > before else { return }
    }
  }

  // MARK: The connection

  private func perform(_ actions: [BrokerMachine.Action], _ link: BrokerLink) {
    for action in actions {
      switch action {
      case .connect(let version): connect(version, link)
      case .abandon: (attempt, connection) = (nil, nil)
      case .show(let remark):
        if case .failed(let fault) = remark { link.withShared { $0.hasFailed = fault } }
        report(.remark(remark), link)
      }
    }
  }

  private func connect(_ version: BrokerMachine.MQTTVersion, _ link: BrokerLink) {
    let attempt = Attempt()
    let (access, wakeUp) = (setup.access, wakeUp)
    let thread = SystemThread {
      guard let connection = try? MosquittoConnection(access, version) else { return }
      let fault = connection.open()
      attempt.result.withLock { $0 = Attempt.Result(connection: connection, fault: fault) }
      wakeUp.signal()
    }
    self.attempt = attempt
    if thread == nil { fail(.unreachable("the system has no thread left"), link) }
  }

  private func fail(_ fault: BrokerFault, _ link: BrokerLink) {
    (attempt, connection) = (nil, nil)
    let isWaiting = spool.map { $0.outbox.unacknowledged > 0 } ?? false
    spool?.outbox.disconnected()
    states.disconnected()
    let actions = machine.failed(
      fault,
      isWaiting: isWaiting,
      at: Self.now,
      random: random.next()
    )
    perform(actions, link)
  }

  private func wait(_ link: BrokerLink) {
    let now = Self.now
    let deadline = [machine.deadline, stopDeadline, now + Self.longestWait].compactMap(\.self)
      .reduce(now + Self.longestWait, min)
    var polled = [pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)]
    if let connection {
      guard let descriptor = connection.descriptor else { return advance(connection, 0, link) }
      let events = Int16(POLLIN) | (connection.wantsToWrite ? Int16(POLLOUT) : 0)
      polled.append(pollfd(fd: descriptor, events: events, revents: 0))
    }
    _ = unsafe poll(&polled, nfds_t(polled.count), (deadline - now).duration.pollMilliseconds)
    if polled[0].revents != 0 { wakeUp.clear() }
    if let result = attempt?.result.withLock({ $0 }) {
      attempt = nil
      if let fault = result.fault { return fail(fault, link) }
      connection = result.connection
    }
    if let connection {
      let ready = polled.count > 1 ? polled[1].revents : 0
      advance(connection, ready, link)
    }
  }

  private func advance(_ connection: MosquittoConnection, _ ready: Int16, _ link: BrokerLink) {
    let readable = Int16(POLLIN) | Int16(POLLERR) | Int16(POLLHUP)
    let isClosed = connection.descriptor == nil
    let events = connection.advance(
      canRead: ready & readable != 0 || isClosed,
      canWrite: ready & Int16(POLLOUT) != 0
    )
    for event in events { handle(event, connection, link) }
  }

  private func handle(
    _ event: MosquittoConnection.Event,
    _ connection: MosquittoConnection,
    _ link: BrokerLink
  ) {
    switch event {
    case .connected:
      perform(machine.connected(at: Self.now), link)
      for topic in setup.subscriptions { connection.subscribe(topic) }
      states.queueAll()
    case .failed(let fault): fail(fault, link)
    case .published(let message, let isRefused):
      spool?.acknowledged(message)
      if states.acknowledged(message) { saveTopics() }
      if isRefused { report(.refused, link) }
    case .message(let topic, let payload, let isRetained):
      let message = BrokerLink.Received(topic: topic, payload: payload, isRetained: isRetained)
      let sender = setup.sender(topic)
      link.withShared { if !$0.startsAgain { $0.received.add(message, of: sender) } }
    case .tooLong(let topic):
      let sender = setup.sender(topic)
      link.withShared { $0.received.leaveOut(sender) }
    }
  }
}
