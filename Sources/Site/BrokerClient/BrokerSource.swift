// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore
package import BeaconGateway
public import Beacons
internal import Synchronization
internal import SystemKit

/// A broker that cannot be used.
public struct BrokerError: BeaconError, Sendable {
  package let fault: BrokerFault
  /// A sentence for the user.
  public let description: String
}

/// The gateways and nodes of a site as a source, through an MQTT broker.
///
/// A connection that is lost is made again; until then no receiver listens.
public final class BrokerSource: ScanSource {
  /// A remark for the user.
  package enum Remark: Sendable {
    case text(String)
    /// The connection was lost, or cannot be made.
    case failed(BrokerFault)
  }

  private struct State {
    var site: SiteReception
    var clocks: SourceClocks
    var drops = Tally<DropReason>()
    var remarks: [Remark] = []
    var news = ConnectionNews<BrokerFault>()
    var hasBegun = false
    var hasShownFaults = false
  }

  private let link: BrokerLink
  private let access: BrokerAccess
  private let clock: SourceTimeline
  private let name: TopicName
  private let state: Mutex<State>

  /// How long a start waits for the broker.
  private static let startPatience = Duration.seconds(5)
  /// How long a call waits for messages: a tick is late by that at most.
  private static let patience = Duration.milliseconds(100)
  /// The bytes of messages that a call reads, in less time than a call may wait even where nothing is optimized: a sender of
  /// more delays only itself.
  private static let limit = 2 << 20
  /// How often a call looks at the link; no thread waits.
  private static let look = Duration.milliseconds(20)

  /// Connects to a broker.
  ///
  /// - Parameters:
  ///   - address: The broker and the site: `mqtt://HOST/SITE` or `mqtts://HOST/SITE`.
  ///   - user: The account, if the broker has accounts.
  ///   - password: The account's password.
  ///   - authorities: A file with the authorities that may have signed the broker's certificate; `nil` for those of the
  ///     system.
  /// - Throws: An error with a description if the address is wrong, or ``BrokerError`` if the broker cannot be used.
  public convenience init(
    _ address: String,
    user: String? = nil,
    password: String? = nil,
    authorities: String? = nil
  ) async throws {
    let address = try BrokerAddress(parsing: address)
    guard let site = address.site else { throw BrokerAddress.Fault.wrongSite("") }
    var access = BrokerAccess(address, clientID: Self.newClientID)
    (access.user, access.password, access.authorities) = (user, password, authorities)
    try await self.init(access, site)
  }

  /// The identifier of a client that no other one has.
  package static var newClientID: String {
    "beacons-reader-" + String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// Connects to a broker.
  ///
  /// - Throws: ``BrokerError``, or ``BrokerClientError``.
  package init(
    _ access: BrokerAccess,
    _ name: TopicName,
    timeline: SourceTimeline = SourceTimeline()
  ) async throws {
    clock = timeline
    var setup = BrokerLink.Setup(access)
    setup.subscriptions = IncomingMessage.subscriptions(name)
    setup.sender = { IncomingMessage.sender(of: $0) }
    link = try BrokerLink(setup)
    self.access = access
    self.name = name
    let clocks = SourceClocks(timeline: clock, wallClock: .system)
    state = Mutex(State(site: SiteReception(name, at: clock.now), clocks: clocks))
    await wait(Self.startPatience) { link.isConnected || link.fault != nil }
    if let fault = link.fault {
      link.stop()
      throw BrokerError(fault: fault, description: fault.sentence(access))
    }
  }

  deinit { link.stop() }

  /// The time until which everything was returned.
  public var now: Timestamp {
    state.withLock { state in
      if !state.hasBegun {
        state.hasBegun = true
        state.site = SiteReception(name, at: clock.now)
      }
      return state.site.reached
    }
  }

  /// The names of the receivers so far.
  public var receiverNames: [String] { state.withLock(\.site.receiverNames) }

  /// How far local time is ahead of UTC on this machine.
  public var utcOffset: TimeSpan? { WallClock.utcOffset(at: clock.now) }

  /// The messages that came faster than they were read.
  public var drops: Tally<DropReason> { state.withLock(\.drops) }

  /// The messages that were not used, by reason.
  package var unused: [(name: String, count: Int)] {
    state.withLock { $0.site.faults.occurred.map { ($0.reason.name, $0.count) } }
  }

  /// Returns the inputs since the last call that are old enough that no slower gateway sends an earlier one.
  ///
  /// - Parameter deadline: When the caller needs a batch; no call waits longer than 100 ms.
  /// - Returns: The inputs.
  public func next(until deadline: Timestamp?) async -> ScanBatch? {
    await wait(Self.patience) {
      deadline.map { time in state.withLock { $0.site.horizon(at: clock.now) >= time } } ?? false
    }
    return state.withLock { state in
      let now = receive(&state)
      note(&state)
      // Not the present time: later messages are unknown.
      return state.site.drain(at: now)
    }
  }

  /// Waits until a condition holds, but not longer than a time.
  private func wait(_ span: Duration, until condition: () -> Bool) async {
    let end = Uptime.now + span
    while !condition(), Uptime.now < end, !Task.isCancelled {
      try? await Task.sleep(for: Self.look)
    }
  }

  /// Processes the messages that arrived, and returns the time by which they had.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - isLast: Whether later messages are of another connection.
  /// - Returns: The time.
  @discardableResult
  private func receive(_ state: inout State, isLast: Bool = false) -> Timestamp {
    let received = link.drainReceived(limit: Self.limit, isLast: isLast)
    let now = clock.now
    if let stall = state.clocks.checkStall(at: now)?.thread {
      // They are of unknown times, and more of them wait at the broker.
      link.startAgain()
      state.site.lost(at: stall.start)
      state.remarks.append(.text(StallWatch.sentence(stall.duration, of: "the site's receivers")))
      return now
    }
    for message in received.messages {
      state.site.receive(
        message.topic,
        message.payload,
        isRetained: message.isRetained,
        at: now
      )
    }
    guard received.overflow > 0 else { return now }
    state.drops.count(.sourceOverflow, times: received.overflow)
    state.site.missed(at: now, received.missed) { received.misses($0) }
    return now
  }

  private func note(_ state: inout State) {
    for news in link.drainNews() {
      switch news {
      case .remark(.connected): remark(state.news.note(.connected, at: Uptime.now), &state)
      case .remark(.failed(let fault)):
        // Messages from before the loss are processed first, so that none of them counts after it.
        state.site.lost(at: receive(&state, isLast: true))
        remark(state.news.note(.failed(fault), at: Uptime.now), &state)
      default: break
      }
    }
    remark(state.news.due(at: Uptime.now), &state)
    for remark in state.site.drainRemarks() {
      switch remark {
      case .clockIsOff(let gateway, let span):
        let amount = Int(abs(span.seconds).rounded())
        let way = span > .zero ? "ahead" : "behind"
        state.remarks.append(
          .text(
            "the clock of gateway '\(gateway)' is \(amount) s \(way); what it receives counts when it arrives"
          )
        )
      case .clockIsRight(let gateway):
        state.remarks.append(.text("the clock of gateway '\(gateway)' is right"))
      case .sendsTooMuch(let sender):
        let text =
          "\(sender) sends more than its share; its reports are not used while it does"
        state.remarks.append(.text(text))
      case .notNamed(let count):
        let text = "and \(count) more send more than their share, or have clocks that are off"
        state.remarks.append(.text(text))
      }
    }
    if state.site.faults.total > 0, !state.hasShownFaults {
      state.hasShownFaults = true
      let reasons = state.site.faults.occurred.map { "\($0.reason.name) \($0.count)" }
      state.remarks.append(
        .text("messages that are not used: \(reasons.joined(separator: ", "))")
      )
    }
  }

  private func remark(_ item: ConnectionNews<BrokerFault>.Item?, _ state: inout State) {
    switch item {
    case .connected: state.remarks.append(.text("connected to \(access.address)"))
    case .failed(let fault): state.remarks.append(.failed(fault))
    case nil: break
    }
  }

  /// Returns the remarks for the user since the last call.
  public func drainRemarks() -> [String] {
    remarks().map { remark in
      switch remark {
      case .text(let text): text
      case .failed(let fault): fault.sentence(access) + "; trying again"
      }
    }
  }

  /// Returns the remarks for the user since the last call, with faults as values.
  package func remarks() -> [Remark] {
    state.withLock { state in
      defer { state.remarks = [] }
      return state.remarks
    }
  }

  /// Ends the connection.
  public func stop() { link.stop() }
}

extension BrokerFault {
  /// A sentence with the reason.
  package func sentence(_ access: BrokerAccess) -> String {
    let broker = access.address
    switch self {
    case .unknownHost(let host): return "no name server knows the host '\(host)' of the broker"
    case .unreachable(let reason): return "no broker answers at \(broker): \(reason)"
    case .wrongPassword, .notAuthorized:
      return access.user == nil
        ? "the broker at \(broker) wants an account"
        : "the broker at \(broker) refuses this user, or the password is wrong"
    case .tls(let fault):
      return "no encrypted connection to the broker at \(broker): \(fault.clause(access))"
    case .otherProtocol(let reason): return "no MQTT at \(broker): \(reason)"
    case .refused(let reason): return "the broker at \(broker) refuses the connection: \(reason)"
    case .lost(let reason): return "the connection to the broker at \(broker) was lost: \(reason)"
    }
  }
}

extension EncryptionFault {
  /// The fault, as part of a sentence.
  fileprivate func clause(_ access: BrokerAccess) -> String {
    switch self {
    case .expired: "its certificate has expired, or the clock of this machine is wrong"
    case .notYetValid: "its certificate is not valid yet, or the clock of this machine is wrong"
    case .otherName: "its certificate is for another name than '\(access.address.host)'"
    case .unknownAuthority:
      access.authorities.map { "no authority in \($0) signed its certificate" }
        ?? "no authority that this machine trusts signed its certificate"
    case .ownAuthority:
      access.authorities.map {
        "its certificate, or the last of its chain, signed itself and is not in \($0)"
      }
        ?? "its certificate, or the last of its chain, signed itself, and this machine does not trust it"
    case .otherPurpose:
      "its certificate was issued for another purpose; issue it with extendedKeyUsage=serverAuth"
    case .signedByNoAuthority:
      "a certificate without CA:TRUE signed its certificate; an authority has to sign it"
    case .weak:
      "a key or a signature of its certificates is too weak; issue them with 2048 bits of RSA or more, and SHA-256"
    case .revoked: "its certificate is revoked; issue a new one"
    case .notValid(""): "its certificate is not valid; issue a new one"
    case .notValid(let words): "its certificate is not valid (\(words)); issue a new one"
    case .otherVersion: "it speaks only other versions of TLS; allow TLS 1.2 or 1.3 there"
    case .noTLS: "the other end speaks no TLS; an address with mqtt:// is without encryption"
    case .wantsCertificate:
      access.certificate == nil
        ? "the broker wants a certificate of this client" : "the broker refuses our certificate"
    case .ownExpired:
      "the broker states that our certificate has expired or is revoked; issue a new one"
    case .otherKey: "our key and our certificate do not belong together"
    case .unreadableFile: "a file of certificates cannot be read"
    case .other(""):
      "the other end closed it; it wants a certificate of this client, or speaks no TLS"
    case .other(let words): words
    }
  }
}
