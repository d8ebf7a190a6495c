// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A proxy's side of one connection: it sends advertisements to a subscriber, and nothing else.
///
/// It has neither a socket nor a clock.
package struct ProxyService: Sendable {
  /// What happened.
  package enum Event: Sendable, Equatable {
    case subscribed(client: String)
    case unsubscribed
    /// The client wanted to set a key, which only a file does.
    case refusedKey(client: String)
  }

  /// How long a connection may take until its client has greeted.
  package static let greetingTime = TimeSpan.seconds(10)
  /// After so long without a byte the client is asked whether it is there.
  package static let question = TimeSpan.seconds(20)
  /// A client that sends nothing for so long is gone.
  package static let patience = TimeSpan.seconds(60)
  /// The longest frame of a client: its messages are short.
  static let longestFrame = 4096
  /// The most advertisements in a message, as of a proxy of ESPHome.
  package static let batch = 16

  private let info: DeviceInfo
  private var transport: APITransport
  private var client: String?
  private let start: Timestamp
  private var lastReceived: Timestamp
  private var lastQuestion: Timestamp
  package private(set) var isSubscribed = false
  /// The state of this machine's radio; a change is sent to a subscriber.
  package var scanner: ScannerState {
    didSet { if isSubscribed, scanner != oldValue { transport.send(.scannerState(scanner)) } }
  }

  package init(
    _ info: DeviceInfo,
    _ encryption: APITransport.Encryption?,
    _ scanner: ScannerState,
    at time: Timestamp
  ) {
    self.info = info
    self.scanner = scanner
    let address = info.address.filter { $0 != ":" }.lowercased()
    transport = APITransport(
      .server(name: info.name, address: address),
      encryption,
      longest: Self.longestFrame
    )
    (start, lastReceived, lastQuestion) = (time, time, time)
  }

  /// Returns the bytes to send since the last call.
  package mutating func drainOutput() -> [UInt8] { transport.drainOutput() }

  /// Whether the client has greeted.
  package var hasGreeted: Bool { client != nil }

  /// When ``passed(to:)`` has to be called next.
  package var deadline: Timestamp {
    guard hasGreeted else { return start + Self.greetingTime }
    return min(max(lastReceived, lastQuestion) + Self.question, lastReceived + Self.patience)
  }

  /// Sends advertisements, if the client has subscribed.
  package mutating func send(_ advertisements: [RawAdvertisement]) {
    guard isSubscribed else { return }
    var rest = advertisements[...]
    while !rest.isEmpty {
      transport.send(.advertisements(Array(rest.prefix(Self.batch))))
      rest = rest.dropFirst(Self.batch)
    }
  }

  /// Tells the client that the service ends.
  package mutating func end() {
    if hasGreeted { transport.send(.disconnect) }
  }

  /// Notes that time has passed.
  ///
  /// - Throws: ``APIFault/silent`` if the client has sent nothing for too long.
  package mutating func passed(to time: Timestamp) throws(APIFault) {
    guard hasGreeted else {
      if time - start >= Self.greetingTime { throw .silent }
      return
    }
    guard time - lastReceived < Self.patience else { throw .silent }
    guard time - max(lastReceived, lastQuestion) >= Self.question else { return }
    lastQuestion = time
    transport.send(.ping)
  }

  /// Processes received bytes.
  ///
  /// - Returns: What happened before a fault, and the fault: after it the connection has to be closed, once the output
  ///   is sent.
  package mutating func received(_ bytes: [UInt8], at time: Timestamp) -> (
    events: [Event], APIFault?
  ) {
    var events: [Event] = []
    var (arrived, fault) = transport.receive(bytes)
    for event in arrived {
      guard case .message(let message) = event else { continue }
      lastReceived = max(lastReceived, time)
      do throws(APIFault) {
        try answer(message, &events)
      } catch {
        fault = error
        break
      }
    }
    return (events, fault)
  }

  private mutating func answer(_ message: APIMessage, _ events: inout [Event]) throws(APIFault) {
    if case .hello(let name) = message {
      client = name
      var response = APIMessage.HelloResponse()
      (response.server, response.name) = (info.version, info.name)
      return transport.send(.helloResponse(response))
    }
    switch message {
    case .ping: return transport.send(.pingResponse)
    case .disconnect:
      transport.send(.disconnectResponse)
      throw .ended
    default: break
    }
    guard let client else { throw .malformed }
    switch message {
    case .authentication: transport.send(.authenticationResponse(isRefused: false))
    case .deviceInfo: transport.send(.deviceInfoResponse(info))
    case .listEntities: transport.send(.listEntitiesDone)
    case .subscribeAdvertisements:
      let wasSubscribed = isSubscribed
      isSubscribed = true
      transport.send(.scannerState(scanner))
      if !wasSubscribed { events.append(.subscribed(client: client)) }
    case .unsubscribeAdvertisements:
      if isSubscribed { events.append(.unsubscribed) }
      isSubscribed = false
    // Whatever mode it asks for, this radio only listens.
    case .setScannerMode: transport.send(.scannerState(scanner))
    case .subscribeConnections: transport.send(.connections(free: 0, limit: 0))
    case .setKey:
      transport.send(.setKeyResponse(isDone: false))
      events.append(.refusedKey(client: client))
    default: break
    }
  }
}
