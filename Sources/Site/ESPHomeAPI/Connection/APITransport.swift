// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One end of a connection of ESPHome's native API: bytes in, messages out, and back, with or without encryption.
///
/// It has neither a socket nor a clock. Without encryption a frame is a zero, the length and the type of a message, and its
/// content; with encryption a one, the length in two bytes, and what Noise made of it.
package struct APITransport: Sendable {
  /// Which end this is.
  package enum Role: Sendable {
    case client
    /// A server, with the name and the address that it sends before anything is encrypted.
    case server(name: String, address: String)
  }

  /// What arrived.
  package enum Event: Sendable, Equatable {
    /// The handshake is done: messages can be sent from now on.
    case ready
    case message(APIMessage)
    /// A message of a known kind that cannot be read, which the other end gets no answer to.
    case unreadable(type: UInt64)
  }

  /// How a connection is encrypted.
  package struct Encryption: Sendable {
    package let key: [UInt8]
    /// Random bytes, only for this connection.
    package let privateKey: [UInt8]
    package let primitives: any NoisePrimitives

    package init(key: [UInt8], privateKey: [UInt8], _ primitives: any NoisePrimitives) {
      (self.key, self.privateKey, self.primitives) = (key, privateKey, primitives)
    }
  }

  private enum Phase {
    case greeting(NoiseHandshake)
    case handshake(NoiseHandshake)
    case encrypted(sending: NoiseCipher, receiving: NoiseCipher)
    case plain
    case failed
  }

  /// The longest frame: one of Noise has 16 bits for its length.
  package static let longestFrame = 65_535
  private static let prologue = Array("NoiseAPIInit".utf8)
  private static let chosenProtocol: UInt8 = 1
  /// The words for a wrong key, by which clients recognize it.
  private static let wrongKey = "Handshake MAC failure"

  private let role: Role
  private let encryption: Encryption?
  private let longest: Int
  private var phase: Phase
  private var buffer: [UInt8] = []
  private var output: [UInt8] = []

  /// - Parameters:
  ///   - role: Which end it is.
  ///   - encryption: The key; `nil` for a connection without encryption.
  ///   - longest: The longest frame that this end receives.
  package init(_ role: Role, _ encryption: Encryption?, longest: Int = longestFrame) {
    self.role = role
    self.encryption = encryption
    self.longest = longest
    phase = .plain
    guard let encryption else { return }
    // The prologue contains the client's greeting, which is empty: its length.
    let handshake = NoiseHandshake(
      key: encryption.key,
      privateKey: encryption.privateKey,
      prologue: Self.prologue + [0, 0],
      encryption.primitives
    )
    phase = .greeting(handshake)
    guard case .client = role else { return }
    var first = handshake
    let message = first.writeFirst()
    phase = .greeting(first)
    appendFrame([])
    appendFrame([0] + message)
  }

  /// Whether messages can be sent.
  package var isReady: Bool {
    switch phase {
    case .encrypted, .plain: true
    default: false
    }
  }

  /// Returns the bytes to send since the last call.
  package mutating func drainOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }

  // MARK: Out

  /// Encodes a message; before the connection is ready, and after it has failed, nothing.
  package mutating func send(_ message: APIMessage) {
    let content = message.content
    switch phase {
    case .plain:
      output.append(0)
      Varint.append(UInt64(content.count), to: &output)
      Varint.append(message.type, to: &output)
      output += content
    case .encrypted(var sending, let receiving):
      guard let primitives = encryption?.primitives else { return }
      let header = Self.short(Int(message.type)) + Self.short(content.count)
      let frame = sending.seal((header + content)[...], primitives)
      phase = .encrypted(sending: sending, receiving: receiving)
      appendFrame(frame)
    default: break
    }
  }

  private static func short(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  private mutating func appendFrame(_ frame: [UInt8]) {
    output.append(1)
    output += Self.short(frame.count)
    output += frame
  }

  // MARK: In

  /// Processes received bytes.
  ///
  /// - Returns: What arrived before a fault, and the fault: after it the connection has to be closed, once the output is sent.
  package mutating func receive(_ bytes: some Sequence<UInt8>) -> (events: [Event], APIFault?) {
    if case .failed = phase { return ([], nil) }
    buffer += bytes
    var events: [Event] = []
    var rest = buffer[...]
    do throws(APIFault) {
      while try receiveFrame(&rest, &events) {}
      buffer = Array(rest)
      return (events, nil)
    } catch {
      (phase, buffer) = (.failed, [])
      return (events, error)
    }
  }

  /// Processes the first frame; returns false if it is not complete.
  private mutating func receiveFrame(
    _ rest: inout ArraySlice<UInt8>,
    _ events: inout [Event]
  ) throws(APIFault) -> Bool {
    guard let mark = rest.first else { return false }
    if case .plain = phase {
      guard mark == 0 else { throw refusePlain(mark) }
      return try receivePlain(&rest, &events)
    }
    guard mark == 1 else { throw refuseEncrypted(mark) }
    guard rest.count >= 3 else { return false }
    let header = rest.prefix(3)
    let count = Int(header[header.startIndex + 1]) << 8 | Int(header[header.startIndex + 2])
    guard count <= longest else { throw .tooLong }
    guard rest.count >= 3 + count else { return false }
    let frame = rest.dropFirst(3).prefix(count)
    rest = rest.dropFirst(3 + count)
    try process(frame, &events)
    return true
  }

  private mutating func receivePlain(
    _ rest: inout ArraySlice<UInt8>,
    _ events: inout [Event]
  ) throws(APIFault) -> Bool {
    var frame = rest.dropFirst()
    guard let count = Varint.read(&frame) else { return try checkNumber(frame) }
    guard count <= UInt64(longest) else { throw .tooLong }
    guard let type = Varint.read(&frame) else { return try checkNumber(frame) }
    guard frame.count >= Int(count) else { return false }
    rest = frame.dropFirst(Int(count))
    add(type, frame.prefix(Int(count)), &events)
    return true
  }

  /// A number that is not complete is waited for; one that is too long is a fault.
  private func checkNumber(_ bytes: ArraySlice<UInt8>) throws(APIFault) -> Bool {
    if bytes.count >= Varint.longest { throw .malformed }
    return false
  }

  private mutating func add(_ type: UInt64, _ content: ArraySlice<UInt8>, _ events: inout [Event]) {
    do throws(APIFault) {
      events.append(.message(try APIMessage(type, content)))
    } catch {
      events.append(.unreadable(type: type))
    }
  }

  private mutating func process(
    _ frame: ArraySlice<UInt8>,
    _ events: inout [Event]
  ) throws(APIFault) {
    switch (phase, role) {
    case (.greeting(let handshake), .client):
      guard frame.first == Self.chosenProtocol else { throw .handshake(APIFault.printable(frame)) }
      phase = .handshake(handshake)
    case (.handshake(let handshake), .client):
      try finish(handshake, frame)
      events.append(.ready)
    case (.greeting(let handshake), .server(let name, let address)):
      // Bytes here would be part of the prologue; today's clients send an empty greeting.
      guard frame.isEmpty else { throw refuse("Unknown greeting", .malformed) }
      appendFrame([Self.chosenProtocol] + Array(name.utf8) + [0] + Array(address.utf8) + [0])
      phase = .handshake(handshake)
    case (.handshake(let handshake), .server):
      try answer(handshake, frame)
      events.append(.ready)
    case (.encrypted(let sending, var receiving), _):
      guard let primitives = encryption?.primitives,
        let message = receiving.open(frame, primitives)
      else { throw .notAuthentic }
      phase = .encrypted(sending: sending, receiving: receiving)
      guard message.count >= 4 else { throw .malformed }
      let count = Int(message[2]) << 8 | Int(message[3])
      guard count <= message.count - 4 else { throw .malformed }
      add(UInt64(message[0]) << 8 | UInt64(message[1]), message[4..<4 + count], &events)
    case (.plain, _), (.failed, _): throw .malformed
    }
  }

  // MARK: Handshake

  private mutating func finish(
    _ handshake: NoiseHandshake,
    _ frame: ArraySlice<UInt8>
  ) throws(APIFault) {
    guard let first = frame.first else { throw .malformed }
    guard first == 0 else {
      let words = APIFault.printable(frame.dropFirst())
      throw words == Self.wrongKey ? .wrongKey : .handshake(words)
    }
    var handshake = handshake
    guard let ciphers = handshake.finish(frame.dropFirst()) else { throw .wrongKey }
    phase = .encrypted(sending: ciphers.fromClient, receiving: ciphers.fromServer)
  }

  private mutating func answer(
    _ handshake: NoiseHandshake,
    _ frame: ArraySlice<UInt8>
  ) throws(APIFault) {
    guard frame.first == 0 else { throw refuse("Bad handshake error byte", .malformed) }
    var handshake = handshake
    guard let (message, ciphers) = handshake.answer(frame.dropFirst()) else {
      throw refuse(Self.wrongKey, .wrongKey)
    }
    appendFrame([0] + message)
    phase = .encrypted(sending: ciphers.fromServer, receiving: ciphers.fromClient)
  }

  /// Tells a client why the handshake ends, in words that clients recognize.
  private mutating func refuse(_ words: String, _ fault: APIFault) -> APIFault {
    appendFrame([1] + Array(words.utf8))
    return fault
  }

  /// Refuses an end that wants encryption, on a connection without one.
  private mutating func refusePlain(_ mark: UInt8) -> APIFault {
    // A client recognizes by the zero that this end has no encryption.
    if case .server = role { output += [0] + Array("Bad indicator byte".utf8) }
    return mark == 1 ? .encryptionRequired : .malformed
  }

  /// Refuses an end without encryption, on a connection with one.
  private mutating func refuseEncrypted(_ mark: UInt8) -> APIFault {
    let fault: APIFault = mark == 0 ? .plaintext : .malformed
    if case .encrypted = phase { return fault }
    guard case .server = role else { return fault }
    return refuse("Bad indicator byte", fault)
  }
}
