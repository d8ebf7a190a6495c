// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons
internal import ESPHomeAPI
internal import Glibc
internal import SystemKit

/// The refusals that a user learns of: each once an hour, and no more than a few; of a scan of the network each would be a
/// line of the log.
struct NamedRefusals {
  /// How many are named in an hour; the others are counted.
  static let limit = 32
  private static let interval = TimeSpan.seconds(3600)

  private struct Refusal: Hashable {
    let address: String
    let fault: String
  }

  private var start: Timestamp?
  private var named: Set<Refusal> = []
  private var others = 0

  /// Notes a refusal; returns whether it is named, and how many of the hour before were not.
  mutating func note(
    _ address: String,
    _ fault: String,
    at time: Timestamp
  ) -> (isNamed: Bool, others: Int) {
    var counted = 0
    if start.map({ time - $0 >= Self.interval }) ?? true {
      counted = others
      (start, named, others) = (time, [], 0)
    }
    let refusal = Refusal(address: address, fault: fault)
    guard !named.contains(refusal) else { return (false, counted) }
    guard named.count < Self.limit else {
      others += 1
      return (false, counted)
    }
    named.insert(refusal)
    return (true, counted)
  }
}

/// The loop of the thread of ``ProxyServer``, which only that thread uses.
///
/// It waits only in `poll`.
final class ProxyServerLoop {
  private struct Client {
    let socket: ProxySocket
    let peer: SocketPeer
    let address: String
    var service: ProxyService
    let start: Timestamp
    var name = ""
    var isSlow = false
    /// When it last took bytes, or none waited for it.
    var lastTaken: Timestamp

    /// Whether its questions are read: their answers are a part of what may wait for it.
    var isRead: Bool { socket.waiting < ProxyServer.Limits.waitingBytes }
    /// When it is removed if it takes no bytes until then.
    var unreadDeadline: Timestamp {
      socket.waiting > 0 ? lastTaken + ProxyServer.Limits.unreadTime : .latest
    }
    /// Since when it is not waited for if it takes no bytes until then.
    var stallTime: Timestamp {
      socket.waiting > 0 ? lastTaken + ProxyServer.Limits.stall : .latest
    }
  }

  /// The most connections that are accepted before others are served.
  private static let acceptedAtOnce = 64
  /// How long no connection is accepted after the system had no room for one, so that the loop does not spin.
  private static let acceptPause = TimeSpan.milliseconds(100)
  /// The bytes that the system keeps for a client: seconds.
  private static let sendBuffer: Int32 = 65_536
  private static let longestWait = TimeSpan.seconds(10)
  /// The bytes that are read at a time: their answers are fewer bytes than may wait.
  private static let chunk = 4096

  private let server: ProxyServer
  private let listener: ListeningSocket
  private var clients: [Int32: Client] = [:]
  private var refusals = NamedRefusals()
  private var acceptsFrom = Timestamp.earliest

  init(_ server: ProxyServer, _ listener: ListeningSocket) {
    (self.server, self.listener) = (server, listener)
  }

  private var now: Timestamp { server.clock.now }

  func run() {
    while !server.wakeUp.isStopped {
      sendWaiting()
      let (canAccept, ready) = wait()
      for entry in ready { serve(entry) }
      passTime()
      if canAccept { accept() }
    }
    sendWaiting()
    for descriptor in clients.keys.sorted() {
      clients[descriptor]?.service.end()
      flush(descriptor)
    }
  }

  // MARK: Sending

  private func sendWaiting() {
    let (list, scanner) = server.withShared { shared in
      defer { shared.queue = [] }
      return (shared.queue, shared.scanner)
    }
    for descriptor in clients.keys.sorted() {
      clients[descriptor]?.service.scanner = scanner
      send(list, to: descriptor)
      flush(descriptor)
    }
    noteWaiting()
  }

  private func noteWaiting() {
    let now = now
    let subscribed = clients.filter(\.value.service.isSubscribed)
    for (descriptor, client) in subscribed.sorted(by: { $0.key < $1.key })
    where client.stallTime <= now && client.socket.waiting >= ProxyServer.Limits.room {
      nameSlow(descriptor)
    }
    let bytes = subscribed.values.filter { now < $0.stallTime }.map(\.socket.waiting)
    let range = (bytes.min() ?? 0)...(bytes.max() ?? 0)
    server.withShared { $0.waitingBytes = range }
  }

  private func send(_ list: [RawAdvertisement], to descriptor: Int32) {
    guard let client = clients[descriptor], client.service.isSubscribed, !list.isEmpty else {
      return
    }
    guard client.socket.waiting < ProxyServer.Limits.waitingBytes else {
      nameSlow(descriptor)
      return server.withShared { $0.overflow += list.count }
    }
    clients[descriptor]?.service.send(list)
  }

  /// Names a subscriber that takes nothing, or less than there is.
  private func nameSlow(_ descriptor: Int32) {
    guard let client = clients[descriptor], !client.isSlow else { return }
    clients[descriptor]?.isSlow = true
    server.report(.slow(client: client.name, from: client.address))
  }

  /// Sends the bytes that wait for a client, and removes a client that has gone, or that asks and never reads.
  private func flush(_ descriptor: Int32) {
    guard let bytes = clients[descriptor]?.service.drainOutput(),
      let socket = clients[descriptor]?.socket
    else { return }
    let before = socket.waiting
    let isSent = socket.send(bytes)
    if before == 0 || socket.waiting < before + bytes.count { clients[descriptor]?.lastTaken = now }
    if !isSent || socket.waiting > ProxyServer.Limits.mostWaitingBytes { remove(descriptor) }
  }

  // MARK: Waiting

  private func wait() -> (canAccept: Bool, ready: [pollfd]) {
    let now = now
    let mayAccept = acceptsFrom <= now
    var polled = [
      pollfd(fd: server.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mayAccept ? listener.descriptor : -1, events: Int16(POLLIN), revents: 0),
    ]
    polled += clients.values.map { $0.socket.polled(reads: $0.isRead) }
    var deadline = now + Self.longestWait
    for client in clients.values {
      deadline = min(deadline, client.service.deadline, client.unreadDeadline)
      if client.stallTime > now { deadline = min(deadline, client.stallTime) }
    }
    if !mayAccept { deadline = min(deadline, acceptsFrom) }
    _ = unsafe poll(&polled, nfds_t(polled.count), (deadline - now).duration.pollMilliseconds)
    if polled[0].revents != 0 { server.wakeUp.clear() }
    return (polled[1].revents != 0, polled.dropFirst(2).filter { $0.revents != 0 })
  }

  private func passTime() {
    let now = now
    for descriptor in clients.keys.sorted() {
      guard let client = clients[descriptor],
        min(client.service.deadline, client.unreadDeadline) <= now
      else { continue }
      do throws(APIFault) {
        guard now < client.unreadDeadline else { throw .silent }
        try clients[descriptor]?.service.passed(to: now)
        flush(descriptor)
      } catch {
        remove(descriptor)
      }
    }
  }

  // MARK: Receiving

  /// Sends to a client, and reads its questions unless too much waits for it.
  private func serve(_ entry: pollfd) {
    flush(entry.fd)
    let hasEnded = entry.revents & Int16(POLLERR | POLLHUP) != 0
    guard let client = clients[entry.fd], client.isRead || hasEnded else { return }
    receive(entry.fd)
  }

  private func receive(_ descriptor: Int32) {
    guard let client = clients[descriptor] else { return }
    switch client.socket.read() {
    case .nothing: break
    case .end: remove(descriptor)
    case .bytes(let bytes):
      guard let (events, fault) = clients[descriptor]?.service.received(bytes, at: now) else {
        return
      }
      for event in events { note(event, descriptor) }
      flush(descriptor)
      if let fault {
        if fault != .ended { name(fault, of: client.address) }
        remove(descriptor)
      }
    }
  }

  private func note(_ event: ProxyService.Event, _ descriptor: Int32) {
    guard let address = clients[descriptor]?.address else { return }
    switch event {
    case .subscribed(let name):
      clients[descriptor]?.name = name
      server.report(.subscribed(client: name, from: address))
    case .unsubscribed:
      server.report(.left(client: clients[descriptor]?.name ?? "", from: address))
    case .refusedKey(let name): server.report(.refusedKey(client: name, from: address))
    }
    countSubscribers()
  }

  private func name(_ fault: APIFault, of address: String) {
    report(.refused(from: address, fault), "\(fault)", of: address)
  }

  /// Names a refusal, unless it was named lately, or too many were.
  private func report(_ news: ProxyServer.News, _ fault: String, of address: String) {
    let (isNamed, others) = refusals.note(address, fault, at: now)
    if others > 0 { server.report(.others(others)) }
    if isNamed { server.report(news) }
  }

  private func countSubscribers() {
    let count = clients.values.count(where: \.service.isSubscribed)
    server.withShared { $0.subscribers = count }
  }

  private func remove(_ descriptor: Int32) {
    guard let client = clients.removeValue(forKey: descriptor) else { return }
    guard client.service.isSubscribed else { return }
    server.report(.left(client: client.name, from: client.address))
    countSubscribers()
  }

  // MARK: Accepting

  private func accept() {
    for _ in 0..<Self.acceptedAtOnce {
      switch listener.accept(sendBuffer: Self.sendBuffer) {
      case .none: return
      case .noRoom:
        if let seat = ProxySeat.longestWaiting(seats) { remove(seat.connection) }
        acceptsFrom = now + Self.acceptPause
        return
      case .connection(let descriptor, let peer, let address):
        add(ProxySocket(descriptor, chunk: Self.chunk), of: peer, from: address)
      }
    }
  }

  /// Adds a connection: another one makes room for it if there are too many.
  private func add(_ socket: ProxySocket, of peer: SocketPeer, from address: String) {
    switch ProxySeat.room(for: peer, among: seats, at: now) {
    case .free: break
    case .closing(let descriptor): remove(descriptor)
    case .none: return nameFlood(of: peer)
    }
    var encryption: APITransport.Encryption?
    if let key = server.key, let library = server.library {
      encryption = APITransport.Encryption(
        key: key.bytes,
        privateKey: library.newPrivateKey(),
        library
      )
    }
    let scanner = server.withShared(\.scanner)
    let time = now
    clients[socket.descriptor] = Client(
      socket: socket,
      peer: peer,
      address: address,
      service: ProxyService(server.info, encryption, scanner, at: time),
      start: time,
      lastTaken: time
    )
  }

  private func nameFlood(of peer: SocketPeer) {
    report(.tooMany(from: "\(peer)"), "", of: "\(peer)")
  }

  private var seats: [ProxySeat] {
    clients.map { descriptor, client in
      let service = client.service
      return ProxySeat(
        connection: descriptor,
        peer: client.peer,
        use: service.isSubscribed ? .subscribed : service.hasGreeted ? .idle : .silent,
        start: client.start
      )
    }
  }
}
