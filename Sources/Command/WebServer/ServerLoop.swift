// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// The loop of the server's thread: it accepts connections, reads requests, answers them and sends events.
///
/// Only that thread uses it. No call of it waits except `poll`.
final class ServerLoop {
  private let socket: ListeningSocket
  private let wakeUp: WakePipe
  private let service: RequestService
  private let hub: EventHub
  private var table: ConnectionTable
  /// How long a reader may acknowledge nothing of the sent bytes.
  private let patience: Duration
  private var connections: [Int32: Connection] = [:]
  private var buffer = [UInt8](repeating: 0, count: WebLimits.headBytes)
  /// The connections on which more requests may wait than were answered together, the longest waiting first.
  private var unfinished: [Int32] = []
  /// How many requests of each peer were answered since others were served.
  private var answered: [SocketPeer: Int] = [:]
  /// Makes the answers that take time; `nil` if every answer is fast.
  private let slow: SlowAnswers?
  /// The connections that wait for one of them, with its number.
  private var waiting: [Int32: UInt64] = [:]
  /// When connections are accepted again, after the system had no room for one.
  private var acceptsFrom = Duration.zero

  /// The most connections that are accepted before others are served.
  private static let acceptedAtOnce = 64
  /// The most requests of one peer that are answered before others are served; a browser waits for each answer.
  private static let answeredAtOnce = 4
  /// How long no connection is accepted after the system had no room for one, so that the loop does not spin.
  private static let acceptPause = Duration.milliseconds(100)
  /// The bytes that the system keeps for a reader: a page.
  private static let sendBuffer: Int32 = 32_768
  /// The most bytes that a stream hands to its connection at a time.
  private static let streamBytes = 16_384
  /// The most bytes of answers that wait in the memory, of which each peer has a share if all are used: a long history
  /// has a page of a few megabytes.
  private static let waitingBytes = 32 << 20

  init(
    _ socket: ListeningSocket,
    _ wakeUp: WakePipe,
    _ service: RequestService,
    _ hub: EventHub,
    _ limits: WebLimits
  ) {
    self.socket = socket
    self.wakeUp = wakeUp
    self.service = service
    self.hub = hub
    table = ConnectionTable(limits)
    patience = limits.answerTime
    // Without another thread the loop makes these answers itself.
    slow = service.hasSlow ? SlowAnswers(service, waking: wakeUp) : nil
  }

  /// Serves until the server is stopped, then sends the waiting bytes and closes everything.
  func run() {
    while !wakeUp.isStopped {
      closeOverdue()
      let ready = wait()
      answered = [:]
      if ready.isWoken {
        sendEvents()
        answerWaiting()
      }
      answerUnfinished()
      for (descriptor, events) in ready.connections { serve(descriptor, events) }
      if ready.canAccept { accept() }
    }
    slow?.stop()
    sendEvents()
    for descriptor in connections.keys.sorted() { remove(descriptor) }
  }

  private static var now: Duration { .microseconds(Uptime.monotonicMicroseconds) }

  // MARK: Waiting

  private struct Ready {
    var isWoken = false
    var canAccept = false
    var connections: [(Int32, Int16)] = []
  }

  private func wait() -> Ready {
    let now = Self.now
    let mayAccept = acceptsFrom <= now
    var polled = [
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mayAccept ? socket.descriptor : -1, events: Int16(POLLIN), revents: 0),
    ]
    polled += connections.values.map { connection in
      // While an answer is being sent, nothing more is read: the reader must not fill the memory with requests.
      let reads =
        table.phase(of: connection.descriptor) != .answer
        && !unfinished.contains(connection.descriptor)
      let events = (reads ? Int16(POLLIN) : 0) | (connection.mustSend ? Int16(POLLOUT) : 0)
      return pollfd(fd: connection.descriptor, events: events, revents: 0)
    }
    let deadline = [table.nextDeadline, mayAccept ? nil : acceptsFrom].compactMap(\.self).min()
    let timeout = unfinished.isEmpty ? deadline.map { ($0 - now).pollMilliseconds } ?? -1 : 0
    _ = unsafe poll(&polled, nfds_t(polled.count), timeout)
    var ready = Ready()
    ready.isWoken = polled[0].revents != 0
    if ready.isWoken { wakeUp.clear() }
    ready.canAccept = polled[1].revents != 0
    ready.connections = polled.dropFirst(2).filter { $0.revents != 0 }.map { ($0.fd, $0.revents) }
    return ready
  }

  // MARK: Accepting and closing

  private func accept() {
    for _ in 0..<Self.acceptedAtOnce {
      let now = Self.now
      switch socket.accept(sendBuffer: Self.sendBuffer, patience: patience) {
      case .none: return
      case .noRoom:
        if let victim = table.removeLongestWaiting(at: now) { cut(victim) }
        acceptsFrom = now + Self.acceptPause
        return
      case .connection(let descriptor, let peer, _):
        switch table.add(descriptor, of: peer, at: now) {
        case .added(let victim):
          if let victim { cut(victim) }
          connections[descriptor] = Connection(
            descriptor,
            largestContent: service.largestContent
          )
        case .refused:
          hub.countCut()
          close(descriptor)
        }
      }
    }
  }

  private func closeOverdue() {
    for descriptor in table.overdue(at: Self.now) {
      guard let connection = connections[descriptor] else { continue }
      switch table.phase(of: descriptor) {
      case .request where !connection.reader.isEmpty: refuse(.late, descriptor)
      case .request, .answer: cut(descriptor)
      case .stream:
        if let stream = connection.stream { hub.close(stream, isDropped: true) }
        connections[descriptor]?.stream = nil
        remove(descriptor)
      case .end, nil: remove(descriptor)
      }
    }
  }

  /// Closes a connection that its reader has not closed.
  private func cut(_ descriptor: Int32) {
    hub.countCut()
    remove(descriptor)
  }

  private func remove(_ descriptor: Int32) {
    table.remove(descriptor)
    unfinished.removeAll { $0 == descriptor }
    if waiting.removeValue(forKey: descriptor) != nil { slow?.remove(descriptor) }
    guard let connection = connections.removeValue(forKey: descriptor) else { return }
    if let stream = connection.stream { hub.close(stream) }
    close(descriptor)
  }

  // MARK: Serving

  private func serve(_ descriptor: Int32, _ events: Int16) {
    guard let phase = table.phase(of: descriptor) else { return }
    switch phase {
    case .request: receive(descriptor)
    case .answer where waiting[descriptor] != nil:
      // Nothing is polled for: this is the end of the connection.
      remove(descriptor)
    case .answer:
      send(descriptor)
      answerNext(descriptor)
    case .stream: serveStream(descriptor, events)
    case .end:
      let transfer = connections[descriptor]?.discard(with: &buffer)
      if transfer == .ended { remove(descriptor) }
    }
  }

  private func receive(_ descriptor: Int32) {
    let wasIdle = connections[descriptor]?.reader.isEmpty ?? true
    switch connections[descriptor]?.receive(with: &buffer) {
    case .moved:
      if wasIdle { table.begin(descriptor, at: Self.now) }
      answerNext(descriptor)
    case .blocked: break
    case .ended, nil: remove(descriptor)
    }
  }

  /// Answers the requests that were received completely, as long as the answers can be sent without waiting.
  private func answerNext(_ descriptor: Int32) {
    let peer = table.peer(of: descriptor) ?? .anyAccount
    while table.phase(of: descriptor) == .request {
      guard answered[peer, default: 0] < Self.answeredAtOnce else {
        if !unfinished.contains(descriptor) { unfinished.append(descriptor) }
        return
      }
      do throws(Refusal) {
        guard let head = try connections[descriptor]?.reader.next() ?? nil else { return }
        answered[peer, default: 0] += 1
        answer(head, descriptor)
      } catch {
        return refuse(error, descriptor)
      }
    }
  }

  private func answerUnfinished() {
    let waiting = unfinished
    unfinished = []
    for descriptor in waiting { answerNext(descriptor) }
  }

  private func answer(_ head: RequestHead, _ descriptor: Int32) {
    let peer = table.peer(of: descriptor) ?? .anyAccount
    if let slow, service.isSlow(head) {
      table.answer(descriptor, at: Self.now)
      waiting[descriptor] = slow.add(head, from: peer, on: descriptor)
      return
    }
    var (answer, isRefused) = service.answer(to: head, from: peer)
    if let topic = answer.topic {
      if case .added(let victim) = table.stream(descriptor, at: Self.now) {
        if let victim { cut(victim) }
        hub.count(refused: false)
        connections[descriptor]?.stream = hub.open(topic)
        connections[descriptor]?.add(answer.head)
        return sendEvents(descriptor)
      }
      (answer, isRefused) = (RequestService.noStream(head), true)
    }
    hub.count(refused: isRefused)
    begin(answer, descriptor)
  }

  /// Whether an answer may wait until its reader receives it: in the memory of all answers, or in the share of its peer.
  private func hasRoom(for count: Int, _ descriptor: Int32) -> Bool {
    var used: [SocketPeer: Int] = [:]
    for (number, connection) in connections where connection.waiting > 0 {
      if let peer = table.peer(of: number) { used[peer, default: 0] += connection.waiting }
    }
    guard used.values.reduce(count, +) > Self.waitingBytes else { return true }
    guard let peer = table.peer(of: descriptor) else { return false }
    let own = used.updateValue(0, forKey: peer) ?? 0
    return own + count <= Self.waitingBytes / used.count
  }

  /// Sends the answers that took time.
  private func answerWaiting() {
    for made in slow?.drain() ?? [] where waiting[made.connection] == made.serial {
      waiting[made.connection] = nil
      hub.count(refused: made.isRefused)
      begin(made.answer, made.connection)
      answerNext(made.connection)
    }
  }

  private func refuse(_ refusal: Refusal, _ descriptor: Int32) {
    hub.count(refused: true)
    begin(RequestService.answer(refusal), descriptor)
  }

  private func begin(_ answer: RequestAnswer, _ descriptor: Int32) {
    let hasRoom = hasRoom(for: answer.content.count, descriptor)
    let answer = hasRoom ? answer : RequestService.answer(.readers)
    table.answer(descriptor, at: Self.now)
    connections[descriptor]?.closes = answer.closes
    connections[descriptor]?.add(answer.head, answer.content)
    if let file = answer.file { connections[descriptor]?.add(file) }
    send(descriptor)
  }

  /// Sends more of an answer.
  private func send(_ descriptor: Int32) {
    guard connections[descriptor]?.send() != .ended, let connection = connections[descriptor] else {
      return remove(descriptor)
    }
    guard !connection.mustSend else { return }
    if connection.closes {
      // The rest of a request must be read: otherwise the system cuts the connection, and the answer with it.
      shutdown(descriptor, Int32(SHUT_WR))
      table.end(descriptor, at: Self.now)
    } else {
      table.answered(descriptor, at: Self.now)
      if !connection.reader.isEmpty { table.begin(descriptor, at: Self.now) }
    }
  }

  // MARK: Events

  private func sendEvents() {
    for (descriptor, connection) in connections where connection.stream != nil {
      sendEvents(descriptor)
    }
  }

  private func serveStream(_ descriptor: Int32, _ events: Int16) {
    if events & ~Int16(POLLOUT) != 0 {
      // A reader of a stream sends nothing more; the end of its data is its end.
      guard connections[descriptor]?.discard(with: &buffer) != .ended else {
        return remove(descriptor)
      }
    }
    sendEvents(descriptor)
  }

  /// Sends the waiting bytes of a stream, as far as that is possible now.
  private func sendEvents(_ descriptor: Int32) {
    guard let stream = connections[descriptor]?.stream else { return }
    if stream.wasDropped { return remove(descriptor) }
    var hasReceived = false
    while true {
      if connections[descriptor]?.mustSend == true {
        switch connections[descriptor]?.send() {
        case .moved: hasReceived = true
        case .blocked: break
        case .ended, nil: return remove(descriptor)
        }
        if connections[descriptor]?.mustSend == true { break }
      }
      switch stream.pull(upTo: Self.streamBytes) {
      case .bytes(let bytes):
        connections[descriptor]?.add(bytes)
        continue
      case .nothing: break
      case .ended: return remove(descriptor)
      }
      break
    }
    let isWaiting = connections[descriptor]?.mustSend ?? false
    table.wait(descriptor, isWaiting: isWaiting, hasReceived: hasReceived, at: Self.now)
  }
}
