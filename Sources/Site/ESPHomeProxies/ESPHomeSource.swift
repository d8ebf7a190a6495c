// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore
public import Beacons
internal import ESPHomeAPI
internal import SystemKit

/// A Bluetooth proxy that cannot be used.
public struct ESPHomeError: BeaconError, Sendable {
  package let fault: ProxyFault
  /// A sentence for the user.
  public let description: String
}

/// Bluetooth proxies of ESPHome as a source: the advertisements that they receive.
///
/// A proxy sends to one subscriber, the latest: to read one takes it from a Home Assistant that uses it. A connection that
/// is lost is made again; until then the proxy counts as deaf.
public final class ESPHomeSource: ScanSource {
  private let links: ProxyLinks

  /// How long a start waits for the proxies.
  private static let startPatience = Duration.seconds(5)
  /// How long a call waits for inputs: a tick is late by that at most.
  private static let patience = Duration.milliseconds(100)
  /// How often a call looks at the links; no thread waits.
  ///
  /// Reports are late by that at most.
  private static let look = Duration.milliseconds(5)

  /// Connects to Bluetooth proxies.
  ///
  /// - Parameters:
  ///   - addresses: The proxies: `esphome://HOST[:PORT]`.
  ///   - key: The key of their connections, in Base64 as in ESPHome's configuration; `nil` for connections without encryption.
  /// - Throws: An error with a description if an address or the key is wrong, or ``ESPHomeError`` if a proxy cannot be used.
  public convenience init(_ addresses: [String], key: String? = nil) async throws {
    let read = try key.map { text in
      guard let key = APIKey(Array(text.utf8)) else {
        throw ESPHomeError(fault: .api(.wrongKey), description: "a key has 44 characters of Base64")
      }
      return key
    }
    try await self.init(addresses.map { ProxyAccess(try ProxyAddress(parsing: $0), read) })
  }

  /// Connects to Bluetooth proxies; the start succeeds if one of them answers and no other one refuses.
  package init(
    _ accesses: [ProxyAccess],
    timeline: SourceTimeline = SourceTimeline()
  ) async throws {
    links = try ProxyLinks(accesses, timeline)
    let end = Uptime.now + Self.startPatience
    while Uptime.now < end, !Task.isCancelled {
      let outcomes = links.withShared(\.outcomes)
      if let refused = Self.refusal(outcomes, accesses) {
        links.stop()
        throw refused
      }
      if !outcomes.contains(where: { $0 == nil }) { break }
      try? await Task.sleep(for: Self.look)
    }
    let outcomes = links.withShared(\.outcomes)
    let hasOthers = outcomes.contains { if case .success? = $0 { true } else { false } }
    for (index, outcome) in outcomes.enumerated() where outcome == nil {
      links.report(.unanswered(index, hasOthers: hasOthers))
    }
  }

  deinit { links.stop() }

  /// Returns the error of a proxy that refuses, or of all if none answers.
  private static func refusal(
    _ outcomes: [Result<Void, ProxyFault>?],
    _ accesses: [ProxyAccess]
  ) -> ESPHomeError? {
    let faults: [(ProxyAccess, ProxyFault)] = zip(outcomes, accesses).compactMap {
      if case .failure(let fault) = $0 { ($1, fault) } else { nil }
    }
    let refused =
      faults.first { $0.1.isPermanent } ?? (faults.count == accesses.count ? faults.first : nil)
    return refused.map { ESPHomeError(fault: $1, description: $1.sentence($0)) }
  }

  /// The time until which everything was returned.
  public var now: Timestamp {
    links.withShared { shared in
      if !shared.hasBegun {
        shared.hasBegun = true
        shared.reception.begin(at: links.clock.now)
      }
      return shared.reception.reached
    }
  }

  /// The names of the receivers.
  public var receiverNames: [String] { links.withShared(\.reception.receiverNames) }

  /// How far local time is ahead of UTC on this machine.
  public var utcOffset: TimeSpan? { WallClock.utcOffset(at: links.clock.now) }

  /// The advertisements that came faster than they were read, or that cannot be read.
  public var drops: Tally<DropReason> { links.withShared(\.reception.drops) }

  /// Returns the inputs since the last call, up to the time at which each proxy was there.
  ///
  /// - Parameter deadline: When the caller needs a batch; no call waits longer than 100 ms.
  /// - Returns: The inputs.
  public func next(until deadline: Timestamp?) async -> ScanBatch? {
    let end = Uptime.now + Self.patience
    while Uptime.now < end, !Task.isCancelled {
      let isDue = links.withShared { shared in
        let horizon = shared.reception.horizon(at: links.clock.now)
        return shared.reception.hasInputs(until: horizon) || deadline.map { horizon >= $0 } ?? false
      }
      if isDue { break }
      try? await Task.sleep(for: Self.look)
    }
    return links.withShared { $0.reception.drain(at: links.clock.now) }
  }

  /// Returns the remarks for the user since the last call.
  public func drainRemarks() -> [String] {
    links.drainNews().map { news in
      switch news {
      case .subscribed(let index):
        "\(name(index)) sends its advertisements here now, and to no other program such as Home Assistant"
      case .unanswered(let index, let hasOthers):
        "\(name(index)) has not answered yet; "
          + (hasOthers ? "the others are used without it" : "it is asked again")
      case .failed(let index, let fault): fault.sentence(links.accesses[index]) + "; trying again"
      case .connectedAgain(let index): "connected to \(name(index)) again"
      case .reception(.silent(let index)):
        "\(name(index)) sends no advertisements any more: another program may have subscribed to it; it is not taken back"
      case .stalled(let time): StallWatch.sentence(time, of: "the proxies")
      case .reception(.receivesAgain(let index)): "\(name(index)) sends advertisements again"
      case .reception(.isLate(let index)):
        "\(name(index)) answers late; all reports wait for it, up to 4 s"
      case .reception(.sendsTooMuch(let index)):
        "\(name(index)) sends more than its share; its reports are not used while it does"
      }
    }
  }

  private func name(_ index: Int) -> String { "the proxy \(links.accesses[index].address.name)" }

  /// Ends the connections.
  public func stop() { links.stop() }
}

extension ProxyFault {
  /// A sentence with the reason.
  package func sentence(_ access: ProxyAccess) -> String {
    let name = "the proxy \(access.address.name)"
    switch self {
    case .unknownHost: return "no name server knows the host '\(access.address.host)' of a proxy"
    case .unreachable(let reason):
      return "\(name) does not answer at port \(access.address.port): \(reason)"
    case .api(let fault):
      switch fault {
      case .encryptionRequired: return "\(name) is encrypted, and its key is not known"
      case .plaintext: return "\(name) is not encrypted although a key is given: it is not used"
      case .wrongKey: return "\(name) has another key"
      case .handshake(let words): return "\(name) refuses the connection: \(words)"
      case .malformed, .tooLong: return "\(name) sends bytes that are not ESPHome's native API"
      case .notAuthentic: return "\(name) sends bytes that do not decrypt"
      case .noProxy: return "\(name) is not a Bluetooth proxy, or has a firmware from before 2023"
      case .wantsPassword:
        return "\(name) wants a password, which ESPHome ended; give it a key instead"
      case .silent: return "\(name) answers nothing"
      case .ended: return "the connection to \(name) was lost"
      }
    }
  }
}
