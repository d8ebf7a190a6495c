// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconGateway
internal import Beacons
internal import ESPHomeAPI
internal import Glibc
internal import Synchronization
internal import SystemKit

/// The loop of the thread of ``ProxyLinks``, which only that thread uses.
final class ProxyLoop {
  private enum Phase {
    case waiting(until: Timestamp)
    case connecting(Attempt)
    case open(ProxySocket, ProxySubscription, since: Timestamp)
  }

  private struct Link {
    let access: ProxyAccess
    var backOff = BackOff()
    var phase: Phase
    var hasSubscribed = false
    /// The messages to the user.
    var news = ConnectionNews<ProxyFault>()
  }

  /// An attempt to connect, on its own thread: the system waits for names.
  private final class Attempt: Sendable {
    let result = Mutex<Result<Int32, ProxyFault>?>(nil)

    deinit {
      if case .success(let descriptor) = result.withLock({ $0.take() }) { _ = close(descriptor) }
    }
  }

  /// How long a proxy may stay unasked, at most.
  private static let longestWait = TimeSpan.seconds(1)
  /// The most bytes that wait for a proxy: its questions have short answers, and one that never reads them is useless.
  private static let mostWaitingBytes = 65_536
  /// How often a socket is read before the others are.
  private static let reads = 4

  private let links: ProxyLinks
  private var list: [Link]
  private var random = SystemRandomNumberGenerator()
  private var clocks: SourceClocks

  init(_ links: ProxyLinks) {
    self.links = links
    clocks = SourceClocks(timeline: links.clock, wallClock: .system)
    let now = links.clock.now
    list = links.accesses.map { Link(access: $0, phase: .waiting(until: now)) }
  }

  private var now: Timestamp { links.clock.now }

  /// Returns the present time, for the messages read before.
  ///
  /// If a stall ended here, all bytes that wait are of an unknown time.
  private func present() -> Timestamp {
    let now = now
    guard let stall = clocks.checkStall(at: now)?.thread else { return now }
    for index in list.indices {
      guard case .open(let socket, var subscription, let since) = list[index].phase else {
        continue
      }
      subscription.stalled(until: now)
      list[index].phase = .open(socket, subscription, since: since)
    }
    links.report(.stalled(stall.duration))
    return now
  }

  func run() {
    while !links.wakeUp.isStopped {
      for index in list.indices { advance(index) }
      wait()
    }
    for link in list {
      guard case .open(let socket, var subscription, _) = link.phase else { continue }
      subscription.end()
      _ = socket.send(subscription.drainOutput())
    }
  }

  // MARK: One proxy

  private func advance(_ index: Int) {
    report(list[index].news.due(at: Uptime.now), of: index)
    switch list[index].phase {
    case .waiting(let time): if time <= now { connect(index) }
    case .connecting(let attempt):
      guard let result = attempt.result.withLock({ $0.take() }) else { return }
      switch result {
      case .success(let descriptor): open(descriptor, index)
      case .failure(let fault): fail(index, fault)
      }
    case .open(let socket, var subscription, let since):
      do throws(APIFault) {
        try subscription.passed(to: now)
        let isSent = socket.send(subscription.drainOutput())
        list[index].phase = .open(socket, subscription, since: since)
        if !isSent || socket.waiting > Self.mostWaitingBytes { fail(index, .api(.ended)) }
      } catch {
        fail(index, .api(error))
      }
    }
  }

  private func connect(_ index: Int) {
    let attempt = Attempt()
    let (address, wakeUp) = (list[index].access.address, links.wakeUp)
    let thread = SystemThread {
      let result = ProxySocket.connect(to: address.host, address.port)
      attempt.result.withLock { $0 = result }
      wakeUp.signal()
    }
    list[index].phase = .connecting(attempt)
    if thread == nil { fail(index, .unreachable("the system has no thread left")) }
  }

  private func open(_ descriptor: Int32, _ index: Int) {
    let time = now
    var encryption: APITransport.Encryption?
    if let key = list[index].access.key, let library = links.library {
      encryption = APITransport.Encryption(
        key: key.bytes,
        privateKey: library.newPrivateKey(),
        library
      )
    }
    let subscription = ProxySubscription(encryption, at: time)
    list[index].phase = .open(ProxySocket(descriptor), subscription, since: time)
    advance(index)
  }

  private func fail(_ index: Int, _ fault: ProxyFault) {
    var lasted: TimeSpan?
    if case .open(_, _, let since) = list[index].phase { lasted = now - since }
    let pause = list[index].backOff.failed(after: lasted, random: random.next())
    list[index].phase = .waiting(until: now + pause)
    links.withShared { shared in
      shared.reception.lost(index)
      shared.outcomes[index] = .failure(fault)
    }
    report(list[index].news.note(.failed(fault), at: Uptime.now), of: index)
  }

  private func receive(_ index: Int) {
    for _ in 0..<Self.reads {
      guard case .open(let socket, _, _) = list[index].phase else { return }
      let bytes: [UInt8]
      switch socket.read() {
      case .nothing: return
      case .end: return fail(index, .api(.ended))
      case .bytes(let read): bytes = read
      }
      let time = present()
      guard case .open(_, var subscription, let since) = list[index].phase else { return }
      let (events, fault) = subscription.received(bytes, at: time)
      list[index].phase = .open(socket, subscription, since: since)
      links.withShared { shared in
        for event in events { shared.reception.add(event, of: index, at: time) }
        shared.reception.isThere(index, at: subscription.lastReceived)
      }
      for case .subscribed in events { noteSubscription(index) }
      if let fault {
        _ = socket.send(subscription.drainOutput())
        return fail(index, .api(fault))
      }
    }
  }

  private func noteSubscription(_ index: Int) {
    links.withShared { $0.outcomes[index] = .success(()) }
    if list[index].hasSubscribed {
      report(list[index].news.note(.connected, at: Uptime.now), of: index)
    } else {
      list[index].hasSubscribed = true
      list[index].news.noteKnown()
      links.report(.subscribed(index))
    }
  }

  private func report(_ item: ConnectionNews<ProxyFault>.Item?, of index: Int) {
    switch item {
    case .connected: links.report(.connectedAgain(index))
    case .failed(let fault): links.report(.failed(index, fault))
    case nil: break
    }
  }

  // MARK: Waiting

  private func wait() {
    var polled = [pollfd(fd: links.wakeUp.descriptor, events: Int16(POLLIN), revents: 0)]
    var indices: [Int] = []
    let now = now
    var deadline = now + Self.longestWait
    for (index, link) in list.enumerated() {
      switch link.phase {
      case .waiting(let time): deadline = min(deadline, time)
      case .connecting: break
      case .open(let socket, let subscription, _):
        deadline = min(deadline, subscription.deadline)
        polled.append(socket.polled())
        indices.append(index)
      }
    }
    _ = unsafe poll(&polled, nfds_t(polled.count), (deadline - now).duration.pollMilliseconds)
    _ = present()
    if polled[0].revents != 0 { links.wakeUp.clear() }
    for (index, entry) in zip(indices, polled.dropFirst()) where entry.revents != 0 {
      receive(index)
    }
  }
}
