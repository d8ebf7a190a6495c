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
    /// Later messages were sent at an unknown earlier time: their advertisements are left out.
    case fellBehind
    /// Later messages are of now.
    case caughtUp
  }

  /// After so long without a message the proxy is asked whether it is there: until it answers, the time since its last
  /// one is not known to be silence, so a tick can be late by as much.
  package static let question = TimeSpan.milliseconds(500)
  /// It is asked so often in any case: messages come in the order in which they were sent, so its answer shows their age.
  package static let review = TimeSpan.seconds(2)
  /// A proxy whose answer takes longer is gone, or its messages are old by as much.
  ///
  /// A bad Wi-Fi repeats a packet for a second or two.
  package static let lateness = TimeSpan.seconds(4)
  /// A proxy that sends nothing for so long, or is not subscribed to by then, is connected to again.
  package static let patience = TimeSpan.seconds(20)
  private static let client = "beaconctl"

  private var transport: APITransport
  private let start: Timestamp
  private var lastQuestion: Timestamp
  /// How many questions have no answer, and when the first of them was asked.
  private var open = (count: 0, since: Timestamp.earliest)
  /// Whether advertisements are left out until all questions are answered.
  private var isBehind = false
  private var wasStalled = false
  /// When the last message came, complete and decrypted; the start before.
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
    return min(nextQuestion, lastReceived + Self.patience, lastAnswer + Self.patience)
  }

  private var nextQuestion: Timestamp {
    guard open.count == 0 else { return .latest }
    return min(max(lastReceived, lastQuestion) + Self.question, lastQuestion + Self.review)
  }

  /// Until when no question was open too long.
  private var lastAnswer: Timestamp { open.count == 0 ? lastReceived : open.since }

  /// Processes received bytes.
  ///
  /// - Returns: What happened before a fault, and the fault: after it the connection has to be closed.
  package mutating func received(_ bytes: [UInt8], at time: Timestamp) -> (
    events: [Event], APIFault?
  ) {
    var events: [Event] = []
    if isSubscribed, !isBehind, wasStalled || open.count > 0 && time - open.since >= Self.lateness {
      isBehind = true
      events.append(.fellBehind)
    }
    wasStalled = false
    var (arrived, fault) = transport.receive(bytes)
    for event in arrived {
      do throws(APIFault) {
        // A part of a message shows nothing: anyone in between can send it, and it was begun at any time.
        if case .message = event { lastReceived = max(lastReceived, time) }
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
    let since = isSubscribed ? min(lastReceived, lastAnswer) : start
    guard time - since < Self.patience else { throw .silent }
    if isSubscribed, time >= nextQuestion { ask(at: time) }
  }

  /// Notes that this end did not run until now: messages that wait are of an unknown time.
  package mutating func stalled(until time: Timestamp) {
    guard isSubscribed else { return }
    wasStalled = true
    // An answer to an earlier question may wait as well.
    ask(at: time)
    open.since = time
  }

  private mutating func ask(at time: Timestamp) {
    if open.count == 0 { open.since = time }
    open.count += 1
    lastQuestion = time
    transport.send(.ping)
  }

  private mutating func answered(_ events: inout [Event]) {
    open.count = max(0, open.count - 1)
    guard isBehind, open.count == 0 else { return }
    isBehind = false
    events.append(.caughtUp)
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
      case .pingResponse: answered(&events)
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
      case .advertisements(let list) where isSubscribed && !isBehind:
        events.append(.advertisements(list))
      default: break
      }
    }
  }
}
