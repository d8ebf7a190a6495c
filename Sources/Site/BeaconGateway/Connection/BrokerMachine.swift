// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Why a broker could not be used.
package enum BrokerFault: Error, Sendable, Hashable {
  /// No name server knows the host.
  case unknownHost(String)
  /// The address does not answer.
  case unreachable(String)
  /// The password or the account is wrong.
  case wrongPassword
  /// The account may not use the broker.
  case notAuthorized
  /// A certificate is refused, or the other end speaks no TLS.
  case tls(EncryptionFault)
  /// What answers is not a broker, or one of another version of MQTT.
  case otherProtocol(String)
  /// The broker refuses for another reason.
  case refused(String)
  /// The connection ended.
  case lost(String)

  /// Whether trying again does not help until a user changes something.
  package var isPermanent: Bool {
    switch self {
    case .wrongPassword, .notAuthorized, .tls: true
    default: false
    }
  }
}

/// The connection to a broker as a state machine: when to connect, when to give up, when to try again.
package struct BrokerMachine: Sendable {
  /// The next action.
  package enum Action: Sendable, Equatable {
    /// Connect, in a version of MQTT.
    case connect(MQTTVersion)
    /// Close the connection, which did not come to be.
    case abandon
    /// The user should know this.
    case show(Remark)
  }

  /// Notes for a user on the connection.
  package enum Remark: Sendable, Equatable {
    /// The connection is made.
    case connected(MQTTVersion)
    /// The connection failed or ended.
    case failed(BrokerFault)
  }

  /// The versions of MQTT.
  package enum MQTTVersion: Int32, Sendable {
    /// MQTT 3.1.1.
    case v311 = 4
    /// MQTT 5.
    case v5 = 5
  }

  private enum Phase: Equatable {
    case waiting(until: Timestamp)
    case connecting(since: Timestamp)
    case connected(since: Timestamp)
  }

  /// How long a connection may take to be accepted: three times the slowest answer over a satellite, and shorter than a
  /// user waits.
  package static let patience = TimeSpan.seconds(15)

  private var phase: Phase
  private var backOff = BackOff()
  private let newest: MQTTVersion
  private var version: MQTTVersion
  /// Whether a version was accepted, after which no other one is tried.
  private var isVersionKnown = false
  private var shown: BrokerFault?
  /// Whether a connection was ever made.
  package private(set) var hasConnected = false

  /// - Parameters:
  ///   - time: Now, on any clock that only goes forward.
  ///   - newest: The newest version to speak. It is tried first, then MQTT 3.1.1.
  package init(at time: Timestamp, newest: MQTTVersion = .v5) {
    phase = .waiting(until: time)
    self.newest = newest
    version = newest
  }

  /// Whether messages can be sent.
  package var isConnected: Bool { if case .connected = phase { true } else { false } }

  /// When time matters next; `nil` while it does not.
  package var deadline: Timestamp? {
    switch phase {
    case .waiting(let time): time
    case .connecting(let since): since + Self.patience
    case .connected: nil
    }
  }

  /// Time has passed.
  ///
  /// - Parameters:
  ///   - time: Now.
  ///   - random: A random number.
  /// - Returns: The next actions, in this order.
  package mutating func passed(to time: Timestamp, random: UInt64) -> [Action] {
    switch phase {
    case .waiting(let until) where time >= until:
      phase = .connecting(since: time)
      return [.connect(version)]
    case .connecting(let since) where time - since >= Self.patience:
      return [.abandon] + failed(.unreachable("no answer"), at: time, random: random)
    default: return []
    }
  }

  /// The broker accepted the connection.
  package mutating func connected(at time: Timestamp) -> [Action] {
    guard case .connecting = phase else { return [] }
    phase = .connected(since: time)
    (isVersionKnown, hasConnected, shown) = (true, true, nil)
    return [.show(.connected(version))]
  }

  /// The connection is to be made again: messages that wait on it are old.
  package mutating func startAgain(at time: Timestamp) -> [Action] {
    guard case .connected = phase else { return [] }
    phase = .waiting(until: time)
    return [.abandon]
  }

  /// Connecting failed, or the connection ended.
  ///
  /// - Parameters:
  ///   - fault: Why.
  ///   - isWaiting: Whether a message that was sent on the connection was not acknowledged.
  ///   - time: Now.
  ///   - random: A random number.
  /// - Returns: The next action.
  package mutating func failed(
    _ fault: BrokerFault,
    isWaiting: Bool = false,
    at time: Timestamp,
    random: UInt64
  ) -> [Action] {
    var lasted: TimeSpan?
    let isUnanswered: Bool
    switch phase {
    case .waiting: return []
    case .connecting(let since):
      isUnanswered = time - since >= BackOff.held
      if case .otherProtocol = fault, !isVersionKnown, newest == .v5 {
        version = version == .v5 ? .v311 : .v5
        // The older version is tried immediately: that a broker knows no newer one is not a failure.
        if version == .v311 {
          phase = .waiting(until: time)
          return []
        }
      }
    case .connected(let since):
      lasted = time - since
      isUnanswered = isWaiting && time - since >= BackOff.held
    }
    let wait = backOff.failed(after: lasted, isUnanswered: isUnanswered, random: random)
    phase = .waiting(until: time + wait)
    // One line a trouble: a broker that is away for a night fills no log.
    guard shown != fault else { return [] }
    shown = fault
    return [.show(.failed(fault))]
  }
}
