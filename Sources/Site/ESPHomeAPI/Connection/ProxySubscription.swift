// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A subscriber's side of one connection to a Bluetooth proxy, from its first byte to its last.
///
/// It has neither a socket nor a clock: bytes and times come in, bytes and events go out.
package struct ProxySubscription: Sendable {
  /// What happened.
  package enum Event: Sendable, Equatable {
    /// The proxy sends its advertisements to this connection, and to no other one.
    case subscribed(DeviceInfo)
    case scanner(ScannerState)
    case advertisements([RawAdvertisement])
    /// A message that cannot be read.
    case unreadable
  }

  /// After so long without a byte the proxy is asked whether it is there: until it answers, the time since its last byte
  /// is not known to be silence, so a tick can be late by as much.
  package static let question = TimeSpan.milliseconds(500)
  /// A proxy that sends nothing for so long, or is not subscribed to by then, is connected to again.
  package static let patience = TimeSpan.seconds(20)
  private static let client = "beaconctl"

  private var transport: APITransport
  private let start: Timestamp
  private var lastQuestion: Timestamp
  /// When the last bytes came; the start before.
  package private(set) var lastReceived: Timestamp
  package private(set) var isSubscribed = false

  package init(_ encryption: APITransport.Encryption?, at time: Timestamp) {
    transport = APITransport(.client, encryption)
    (start, lastReceived, lastQuestion) = (time, time, time)
    if transport.isReady { greet() }
  }

  /// Returns the bytes to send since the last call.
  package mutating func drainOutput() -> [UInt8] { transport.drainOutput() }

  /// When ``passed(to:)`` has to be called next.
  package var deadline: Timestamp {
    guard isSubscribed else { return start + Self.patience }
    return min(max(lastReceived, lastQuestion) + Self.question, lastReceived + Self.patience)
  }

  /// Processes received bytes.
  ///
  /// - Returns: What happened before a fault, and the fault: after it the connection has to be closed.
  package mutating func received(_ bytes: [UInt8], at time: Timestamp) -> (
    events: [Event], APIFault?
  ) {
    lastReceived = max(lastReceived, time)
    var events: [Event] = []
    var (arrived, fault) = transport.receive(bytes)
    for event in arrived {
      do throws(APIFault) {
        try process(event, &events)
      } catch {
        fault = error
        break
      }
    }
    return (events, fault)
  }

  /// Notes that time has passed.
  ///
  /// - Throws: ``APIFault/silent`` if the proxy has sent nothing for too long.
  package mutating func passed(to time: Timestamp) throws(APIFault) {
    let since = isSubscribed ? lastReceived : start
    guard time - since < Self.patience else { throw .silent }
    guard isSubscribed, time - max(lastReceived, lastQuestion) >= Self.question else { return }
    lastQuestion = time
    transport.send(.ping)
  }

  /// Ends the subscription, so that the proxy does not send on.
  package mutating func end() {
    if isSubscribed { transport.send(.unsubscribeAdvertisements) }
    if transport.isReady { transport.send(.disconnect) }
  }

  private mutating func greet() {
    transport.send(.hello(client: Self.client))
    // Devices of before 2026 expect it, also without a password.
    transport.send(.authentication)
    transport.send(.deviceInfo)
  }

  private mutating func process(
    _ event: APITransport.Event,
    _ events: inout [Event]
  ) throws(APIFault) {
    switch event {
    case .ready: greet()
    case .unreadable: events.append(.unreadable)
    case .message(let message):
      switch message {
      case .ping: transport.send(.pingResponse)
      case .disconnect:
        transport.send(.disconnectResponse)
        throw .ended
      case .authenticationResponse(isRefused: true): throw .wantsPassword
      case .deviceInfoResponse(let info) where !isSubscribed:
        guard info.features.contains(.rawAdvertisements) else { throw .noProxy }
        isSubscribed = true
        transport.send(.subscribeAdvertisements(flags: 1))
        events.append(.subscribed(info))
      case .scannerState(let state) where isSubscribed: events.append(.scanner(state))
      case .advertisements(let list) where isSubscribed: events.append(.advertisements(list))
      default: break
      }
    }
  }
}
