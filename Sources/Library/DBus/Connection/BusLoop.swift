// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import Glibc

/// How many messages were received, and how many of them were ignored.
package struct BusCounters: Sendable, Equatable {
  /// Messages read.
  package var received = 0
  /// Signals from a program that is neither the bus nor the owner of a followed name.
  package var foreignSignals = 0
  /// Signals from the bus or from the owner of a followed name whose arguments had wrong types.
  package var malformedSignals = 0
  /// Answers for which no call waits, or from a program that was not called.
  package var strayAnswers = 0
  /// Calls to our objects from a program that may not call them.
  package var foreignCalls = 0
  /// Calls to objects or methods that do not exist here.
  package var unknownCalls = 0
  /// Messages of an unknown kind.
  package var unknownKinds = 0
  /// Answers and signals that were not sent, because too much waits to be sent or D-Bus cannot represent them.
  package var unsent = 0
  /// Connections that were established and then lost.
  package var lostConnections = 0

  /// Creates counts of zero.
  package init() {}

  /// How many messages were ignored.
  package var refused: Int {
    foreignSignals + malformedSignals + strayAnswers + foreignCalls + unknownCalls + unknownKinds
  }
}

/// The loop of the bus's thread: it connects, reads, sends, and watches the deadlines of calls.
///
/// Only that thread may use it, so it is not `Sendable`. Other threads post work to it through ``BusThread``.
package final class BusLoop {
  /// How long the bus may take to accept the connection; a healthy one takes milliseconds.
  static let greetingTimeout = Duration.seconds(5)
  /// How often to poll during authentication: libdbus does not report which end sends next.
  private static let greetingPoll = Duration.milliseconds(2)
  /// The most reads before the loop does other work; libdbus reads two kilobytes at a time.
  private static let maximumReads = 256
  /// If a read returns at most this many messages, the loop does not read again: two kilobytes hold five device
  /// signals, so nothing more is likely to be there, and a read that finds nothing costs as much as one that does.
  private static let fewMessages = 3

  private enum State {
    /// Not connected; the next attempt is at this time.
    case waiting(until: Uptime)
    /// Connected, and waiting for the bus's answer to `Hello`.
    case greeting(until: Uptime)
    /// Connected; the bus has assigned our unique name.
    case running
    /// The thread should end.
    case ended
  }

  private let address: BusAddress
  private let buffer: BusMessageQueue
  /// The owner; work posted to this thread uses it.
  package let handler: any BusHandler
  private let answersAnyone: Bool
  private let takesDescriptors: Bool
  private let clock: () -> Uptime
  private var connection: RawConnection?
  private var state = State.waiting(until: Uptime(nanoseconds: 0))
  private var calls = CallTable()
  private var names = NameTable()
  private var gathering: MessageGathering
  private var hasWork = true
  private var watched: [(descriptor: Int32, isReadable: (BusLoop) -> Void)] = []

  /// The counts so far.
  package private(set) var counters = BusCounters()
  /// Our unique name on the bus.
  package private(set) var uniqueName: String?

  init(
    _ address: BusAddress,
    _ buffer: BusMessageQueue,
    _ handler: any BusHandler,
    answersAnyone: Bool,
    gathering: Duration,
    takesDescriptors: Bool = false,
    clock: @escaping () -> Uptime = { .now }
  ) {
    self.address = address
    self.buffer = buffer
    self.handler = handler
    self.answersAnyone = answersAnyone
    self.gathering = MessageGathering(for: gathering)
    self.takesDescriptors = takesDescriptors
    self.clock = clock
  }

  /// Runs until ``end()``, or until the handler wants no further attempt to connect.
  func run() {
    while !isEnded {
      if hasWork {
        hasWork = false
        for work in buffer.drain() { work(self) }
      }
      connectIfDue()
      exchange()
      passTime()
      if !isEnded { wait() }
    }
    fail(with: nil)
    for work in buffer.close() { work(self) }
  }

  /// Ends the loop after the current work.
  ///
  /// Pending messages are sent if that is possible without waiting.
  package func end() {
    connection?.transfer()
    state = .ended
  }

  private var isEnded: Bool { if case .ended = state { true } else { false } }

  /// Whether calls can be made.
  package var isRunning: Bool { if case .running = state { true } else { false } }

  /// Watches one more descriptor, besides the bus's, as long as the loop runs.
  ///
  /// Its data collects between reads like the bus's messages, so the closure must read everything available.
  package func watch(_ descriptor: Int32, isReadable: @escaping (BusLoop) -> Void) {
    watched.removeAll { $0.descriptor == descriptor }
    watched.append((descriptor, isReadable))
  }
}

// MARK: - Sending

extension BusLoop {
  /// Calls a method.
  ///
  /// Exactly one of the closures is called, once, on this thread.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - timeout: How long to wait for the answer.
  ///   - answered: Called with the answer.
  ///   - failed: Called with the reason of a missing answer, or with the error that the other program returned.
  package func call(
    _ call: MethodCall,
    timeout: Duration,
    answered: @escaping (borrowing Message) -> Void,
    failed: @escaping (CallError) -> Void
  ) {
    guard isRunning || call.member == "Hello" else { return failed(.disconnected) }
    guard !calls.isFull else { return failed(.tooManyCalls) }
    do throws(CallError) {
      let message = try Message.call(call)
      guard let serial = connection?.send(message) ?? nil else { return failed(.disconnected) }
      calls.add(
        WaitingCall(
          destination: call.destination,
          deadline: clock() + timeout,
          answered: answered,
          failed: failed
        ),
        serial
      )
    } catch {
      failed(error)
    }
  }

  /// Calls a method and converts the answer to values.
  package func call(
    _ call: MethodCall,
    timeout: Duration,
    then done: @escaping (Result<[DBusValue], CallError>) -> Void
  ) {
    self.call(
      call,
      timeout: timeout,
      answered: { message in
        guard let values = message.read({ $0.values() }) else {
          return done(.failure(.unexpectedAnswer(signature: message.signature)))
        }
        done(.success(values))
      },
      failed: { done(.failure($0)) }
    )
  }

  /// Sends a signal from one of our objects, to one program or to all that asked for it.
  ///
  /// Returns false if it could not be sent.
  @discardableResult
  package func emit(
    _ path: String,
    _ interface: String,
    _ member: String,
    _ arguments: [DBusValue],
    to destination: String? = nil
  ) -> Bool {
    guard isRunning,
      let message = try? Message.signal(path, interface, member, arguments, to: destination)
    else { return false }
    return send(message)
  }

  /// The most bytes that may wait to be sent before answers and signals are dropped.
  ///
  /// A bus with too many unread bytes for programs that do not read stops to read from us; memory must not grow in that time.
  private static let maximumOutgoing = 16 << 20

  /// Sends an answer or a signal, unless too much waits already.
  private func send(_ message: borrowing Message) -> Bool {
    guard (connection?.outgoingBytes ?? 0) < Self.maximumOutgoing,
      (connection?.send(message) ?? nil) != nil
    else {
      counters.unsent &+= 1
      return false
    }
    return true
  }

  /// Answers a call that was handled with ``Answer/later``; returns false if the answer could not be sent.
  @discardableResult
  package func reply(_ answer: Answer, to address: ReplyAddress) -> Bool {
    guard isRunning, address.wantsAnswer else { return false }
    guard let made = (try? address.message(answer)) ?? (try? address.message(.unsayable)) else {
      counters.unsent &+= 1
      return false
    }
    return send(made)
  }

  /// Calls a method whose answer does not matter.
  package func request(_ call: MethodCall) {
    guard isRunning, let message = try? Message.request(call) else { return }
    _ = send(message)
  }

  /// Asks the bus for a separate name, without waiting in a queue for it.
  package func own(_ name: String, then done: @escaping (Result<Bool, CallError>) -> Void) {
    let doNotQueue: UInt32 = 4
    let call = MethodCall.bus("RequestName", [.string(name), .uint32(doNotQueue)])
    self.call(call, timeout: Self.greetingTimeout) { result in
      // 1: it is ours now; 4: it was already.
      done(result.map { $0 == [.uint32(1)] || $0 == [.uint32(4)] })
    }
  }

  /// Watches a program until it leaves the bus; then ``BusHandler/peerLeft(_:_:)`` is called.
  ///
  /// A call made after this one fails if the program has left before, so that no end is missed.
  package func watch(peer: String) {
    guard peer.hasPrefix(":"), names.watch(peer: peer) else { return }
    // One rule for all: a bus allows a program 512, and each costs it more than an unwanted signal.
    if names.beginsWatching() { add(.departures) }
  }

  /// Ends watching a program.
  package func unwatch(peer: String) { _ = names.unwatch(peer: peer) }

  /// Asks the bus to pass on signals that match a rule.
  ///
  /// A bus that does not is useless to the owner, which would wait for signals for ever: the connection fails.
  package func add(_ rule: MatchRule) {
    need("AddMatch", rule.text) { _ in }
  }

  /// Follows the owner of a name: the loop receives its signals and answers its calls.
  ///
  /// The connection fails if the bus does not report the owner.
  package func follow(_ name: String) {
    names.follow(name)
    add(.changes(ofOwnerOf: name))
    need("GetNameOwner", name) { [weak self] in self?.setOwner(of: name, $0) }
  }

  /// Makes a call to the bus whose answer this connection cannot do without.
  ///
  /// - Parameters:
  ///   - member: The method.
  ///   - argument: Its argument.
  ///   - answered: Called with the returned text, if any.
  private func need(_ member: String, _ argument: String, answered: @escaping (String?) -> Void) {
    call(.bus(member, [.string(argument)]), timeout: Self.greetingTimeout) { [weak self] result in
      // One failure ends the connection.
      guard let self, isRunning else { return }
      switch result {
      case .success(let values): answered(values.first?.text)
      case .failure(.disconnected): break
      case .failure(let error) where error.isWithoutOwner: answered(nil)
      case .failure(let error): fail(with: .unusable(call: member, error))
      }
    }
  }

  private func setOwner(of name: String, _ owner: String?) {
    names.set(owner: owner, of: name)
    handler.ownerChanged(of: name, to: owner, self)
  }
}

// MARK: - Connecting

extension BusLoop {
  private func connectIfDue() {
    guard case .waiting(let time) = state, time <= clock() else { return }
    do throws(BusFailure) {
      connection = try RawConnection(to: address, takesDescriptors: takesDescriptors)
      state = .greeting(until: clock() + Self.greetingTimeout)
      greet()
    } catch {
      fail(with: error)
    }
  }

  private func greet() {
    call(.bus("Hello"), timeout: Self.greetingTimeout) { [weak self] result in
      guard let self, case .greeting = state else { return }
      switch result {
      case .success(let values):
        guard let name = values.first?.text else { return fail(with: .notGreeted) }
        uniqueName = name
        state = .running
        handler.connected(self)
      case .failure(.disconnected), .failure(.timedOut): fail(with: .notGreeted)
      // Such as a security module's, or a limit of the bus.
      case .failure(let error): fail(with: .unusable(call: "Hello", error))
      }
    }
  }

  /// Closes the connection; after a failure the handler decides when to connect again.
  private func fail(with failure: BusFailure?) {
    if uniqueName != nil { counters.lostConnections += 1 }
    uniqueName = nil
    connection = nil
    names.forget()
    if failure != nil { state = .waiting(until: Uptime(nanoseconds: .max)) }
    for call in calls.removeAll() { call.failed(.disconnected) }
    guard let failure, !isEnded else { return }
    if let wait = handler.connectionFailed(failure, self) {
      if !isEnded { state = .waiting(until: clock() + wait) }
    } else {
      state = .ended
    }
  }
}

// MARK: - Receiving

extension BusLoop {
  private func exchange() {
    let now = clock()
    guard connection != nil, mustWrite || endOfGathering(at: now) == nil else { return }
    for _ in 0..<Self.maximumReads {
      connection?.transfer()
      let count = handleMessages()
      if count > 0 { gathering.hasRead(at: now) }
      if count <= Self.fewMessages || isEnded { break }
    }
    guard let isConnected = connection?.isConnected, !isEnded else { return }
    if isConnected {
      handler.drained(self)
    } else {
      fail(with: isRunning ? .lost : .notGreeted)
    }
  }

  /// Handles the messages that were read, and returns how many there were.
  private func handleMessages() -> Int {
    var count = 0
    while let message = connection?.nextMessage() ?? nil {
      count += 1
      // libdbus's own signal for the end of the connection, which no bus can send. `isConnected` reports the same.
      if message.isNamed("org.freedesktop.DBus.Local", "Disconnected") { continue }
      counters.received &+= 1
      handle(message)
    }
    return count
  }

  private func handle(_ message: borrowing Message) {
    switch message.kind {
    case .signal: handleSignal(message)
    case .answer, .failure: handleAnswer(message)
    case .call: handleCall(message)
    case nil: counters.unknownKinds &+= 1
    }
  }

  private func handleSignal(_ message: borrowing Message) {
    if names.isSent(byFollowed: message) {
      if !handler.signal(message, self) { counters.malformedSignals &+= 1 }
      return
    }
    guard message.isSent(by: .bus) else {
      counters.foreignSignals &+= 1
      return
    }
    if message.isNamed("org.freedesktop.DBus", "NameLost"), message.hasSignature("s"),
      let name = message.read({ $0.text() }), name != uniqueName
    {
      return handler.nameLost(name, self)
    }
    guard message.isNamed("org.freedesktop.DBus", "NameOwnerChanged") else { return }
    guard message.hasSignature("sss"), let change = NameTable.ownerChange(in: message) else {
      counters.malformedSignals &+= 1
      return
    }
    if change.owner.isEmpty, names.unwatch(peer: change.name) {
      handler.peerLeft(change.name, self)
    }
    guard names.isFollowed(change.name) else { return }
    setOwner(of: change.name, change.owner.isEmpty ? nil : change.owner)
  }

  private func handleAnswer(_ message: borrowing Message) {
    let serial = message.answeredSerial
    guard let destination = calls.destination(of: serial),
      message.isSent(by: .bus) || names.mayAnswer(message, for: destination),
      let call = calls.remove(serial)
    else {
      counters.strayAnswers &+= 1
      return
    }
    if let error = message.error { call.failed(error) } else { call.answered(message) }
  }

  private func handleCall(_ message: borrowing Message) {
    guard answersAnyone || names.isSent(byFollowed: message) else {
      counters.foreignCalls &+= 1
      answer(
        message,
        .failure(
          name: "org.freedesktop.DBus.Error.AccessDenied",
          text: "this program does not accept calls from others"
        )
      )
      return
    }
    let found = handler.called(message, self) ?? Self.answerAsPeer(message)
    if found == nil { counters.unknownCalls &+= 1 }
    answer(message, found ?? .unknownMethod)
  }

  /// Answers `Ping`, as every program does.
  private static func answerAsPeer(_ message: borrowing Message) -> Answer? {
    message.isNamed("org.freedesktop.DBus.Peer", "Ping") ? .values([]) : nil
  }

  private func answer(_ message: borrowing Message, _ answer: Answer) {
    guard message.wantsAnswer, answer != .later else { return }
    guard let made = (try? message.answer(answer)) ?? (try? message.answer(.unsayable)) else {
      counters.unsent &+= 1
      return
    }
    _ = send(made)
  }
}

// MARK: - Waiting

extension BusLoop {
  private func passTime() {
    let now = clock()
    for call in calls.removeOverdue(now) { call.failed(.timedOut) }
    if case .greeting(let deadline) = state, deadline <= now { fail(with: .notGreeted) }
    if !isEnded, let deadline = handler.nextDeadline, deadline <= now { handler.timePassed(self) }
  }

  /// Whether messages are pending to be sent.
  private var mustWrite: Bool { isRunning && (connection?.hasMessagesToSend ?? false) }

  /// When messages that collect now are read; `nil` if the loop does not let them collect.
  private func endOfGathering(at now: Uptime) -> Uptime? {
    isRunning && gathering.isOn(at: now) ? gathering.end : nil
  }

  /// The time until which the loop may wait.
  private func deadline(at now: Uptime, endOfGathering: Uptime?) -> Uptime? {
    var deadlines = [handler.nextDeadline, calls.nextDeadline, endOfGathering].compactMap(\.self)
    switch state {
    case .waiting(let time): deadlines.append(time)
    case .greeting: deadlines.append(now + Self.greetingPoll)
    case .running, .ended: break
    }
    return deadlines.min()
  }

  private func wait() {
    // One time for all of it: a loop that does not read must wake when the messages have collected.
    let now = clock()
    let endOfGathering = endOfGathering(at: now)
    let mustRead = endOfGathering == nil
    let events = (mustRead ? Int16(POLLIN) : 0) | (mustWrite ? Int16(POLLOUT) : 0)
    var descriptors = [
      pollfd(fd: buffer.descriptor, events: Int16(POLLIN), revents: 0),
      // The descriptor is left out instead of polled for no event: if the connection was closed, each poll would return
      // immediately.
      pollfd(fd: events == 0 ? -1 : connection?.descriptor ?? -1, events: events, revents: 0),
    ]
    if mustRead {
      descriptors += watched.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    }
    let deadline = deadline(at: now, endOfGathering: endOfGathering)
    let timeout = deadline.map { ($0 - clock()).pollMilliseconds } ?? -1
    _ = unsafe poll(&descriptors, nfds_t(descriptors.count), timeout)
    hasWork = descriptors[0].revents != 0
    let readable = zip(descriptors.dropFirst(2), watched).filter { $0.0.revents != 0 }
    for (_, source) in readable { source.isReadable(self) }
    if !readable.isEmpty { gathering.begin(at: clock()) }
  }
}
