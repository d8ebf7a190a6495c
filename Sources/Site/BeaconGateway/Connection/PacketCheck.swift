// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A packet that is not valid MQTT.
private struct PacketFault: Error {}

/// Checks the packets of a broker, before a library reads them.
///
/// A library may be less careful than a stranger needs: libmosquitto before 2.0.16 ends the process at a property that MQTT 5
/// does not know, and every version takes memory for a packet of up to 256 MiB, as long as the packet states. Only whole
/// packets with valid properties pass. A message that is too long is left out.
///
/// Source: OASIS, *MQTT Version 5.0*.
package struct PacketCheck: Sendable {
  /// The part of the bytes so far that may pass.
  package struct Passed: Sendable, Equatable {
    /// Whole packets.
    package var bytes: [UInt8] = []
    /// The topics of messages that are too long.
    package var tooLong: [String] = []
  }

  /// Whether every packet so far is valid; nothing that follows another one can be read.
  package private(set) var isValid = true
  private let version: BrokerMachine.MQTTVersion
  private let longest: Int
  /// The start of a packet whose end has not arrived.
  private var held: [UInt8] = []
  /// How many bytes of a packet that is too long have not arrived.
  private var skipped = 0

  /// - Parameters:
  ///   - version: The version of MQTT.
  ///   - longest: The longest packet that passes, in bytes.
  package init(_ version: BrokerMachine.MQTTVersion, longest: Int) {
    self.version = version
    self.longest = longest
  }

  /// Adds bytes in the order in which they arrived; after a packet that is not valid, nothing passes.
  package mutating func add(_ bytes: some Collection<UInt8>) -> Passed {
    var passed = Passed()
    guard isValid else { return passed }
    let left = min(skipped, bytes.count)
    skipped -= left
    held += bytes.dropFirst(left)
    var start = 0
    do throws(PacketFault) {
      while try pass(from: &start, into: &passed) {}
    } catch {
      isValid = false
    }
    held.removeFirst(start)
    return passed
  }

  /// Lets the next packet pass, or leaves it out; returns false if it has not arrived whole.
  private mutating func pass(from start: inout Int, into passed: inout Passed) throws(PacketFault)
    -> Bool
  {
    guard let head = try PacketHead(held[start...]) else { return false }
    let body = start + head.count
    let end = body + head.length
    if head.count + head.length > longest {
      guard let topic = try topic(of: head, held[body...]) else { return false }
      passed.tooLong.append(topic)
      skipped = max(0, end - held.count)
      start = min(end, held.count)
      return true
    }
    guard end <= held.count else { return false }
    if version == .v5 { try Self.checkProperties(of: head, held[body..<end]) }
    passed.bytes += held[start..<end]
    start = end
    return true
  }

  /// The start of a packet without an end, after the last byte has arrived.
  package mutating func end() -> [UInt8] {
    defer { held = [] }
    return held
  }

  /// Returns the topic of a message that is too long; `nil` if it has not arrived whole.
  private func topic(of head: PacketHead, _ body: ArraySlice<UInt8>) throws(PacketFault) -> String?
  {
    guard head.kind == .publish else { throw PacketFault() }
    var reader = PacketReader(body)
    guard body.count >= 2, let count = reader.readUInt16(), count + 2 <= head.length else {
      if body.count < 2 { return nil }
      throw PacketFault()
    }
    return reader.read(count).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Properties

  private static func checkProperties(
    of head: PacketHead,
    _ body: ArraySlice<UInt8>
  ) throws(PacketFault) {
    var reader = PacketReader(body)
    switch head.kind {
    // A broker of an older version refuses without properties.
    case .connack where body.count <= 2: return
    case .connack: _ = reader.read(2)
    case .publish:
      guard let count = reader.readUInt16(), reader.read(count) != nil,
        head.isAcknowledged ? reader.read(2) != nil : true
      else { throw PacketFault() }
    // Without a reason, nothing follows.
    case .acknowledgement where body.count <= 3, .ending where body.count <= 1: return
    case .acknowledgement: _ = reader.read(3)
    case .subscription: _ = reader.read(2)
    case .ending: _ = reader.read(1)
    case .other: return
    }
    guard let length = reader.readVariable(), let properties = reader.read(length) else {
      throw PacketFault()
    }
    var list = PacketReader(properties)
    while !list.isAtEnd {
      guard let kind = list.read(1)?.first, list.skipProperty(kind) else { throw PacketFault() }
    }
  }
}

/// The first bytes of a packet.
private struct PacketHead {
  enum Kind {
    case connack, publish
    /// PUBACK, PUBREC, PUBREL and PUBCOMP.
    case acknowledgement
    /// SUBACK and UNSUBACK.
    case subscription
    /// DISCONNECT and AUTH.
    case ending
    case other
  }

  let kind: Kind
  /// Whether the packet has a number, by which it is acknowledged.
  let isAcknowledged: Bool
  /// Its own bytes.
  let count: Int
  /// The bytes that follow.
  let length: Int

  /// - Returns: `nil` if it has not arrived whole.
  init?(_ bytes: ArraySlice<UInt8>) throws(PacketFault) {
    guard let first = bytes.first else { return nil }
    var reader = PacketReader(bytes.dropFirst())
    guard let length = reader.readVariable() else {
      // Four bytes state each length.
      if bytes.count > 4 { throw PacketFault() }
      return nil
    }
    switch first >> 4 {
    case 2: kind = .connack
    case 3: kind = .publish
    case 4...7: kind = .acknowledgement
    case 9, 11: kind = .subscription
    case 14, 15: kind = .ending
    default: kind = .other
    }
    isAcknowledged = first & 0b110 != 0
    self.length = length
    count = reader.position - bytes.startIndex
  }
}

/// Reads MQTT's values from bytes.
private struct PacketReader {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  /// Returns the next bytes; `nil` if there are not so many.
  mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.endIndex - position else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func readUInt16() -> Int? {
    read(2).map { Int($0[$0.startIndex]) << 8 | Int($0[$0.startIndex + 1]) }
  }

  /// Reads a number of one to four bytes with seven bits each, the lowest first.
  mutating func readVariable() -> Int? {
    var number = 0
    for shift in [0, 7, 14, 21] {
      guard let byte = read(1)?.first else { return nil }
      number |= Int(byte & 0x7f) << shift
      if byte & 0x80 == 0 { return number }
    }
    return nil
  }

  /// Skips the value of a property; returns false if there is no such property, or its value is not whole.
  mutating func skipProperty(_ kind: UInt8) -> Bool {
    switch kind {
    case 1, 23, 25, 36, 37, 40, 41, 42: read(1) != nil
    case 19, 33, 34, 35: read(2) != nil
    case 2, 17, 24, 39: read(4) != nil
    case 11: readVariable() != nil
    case 3, 8, 9, 18, 21, 22, 26, 28, 31: skipText()
    case 38: skipText() && skipText()
    default: false
    }
  }

  private mutating func skipText() -> Bool {
    readUInt16().map { read($0) != nil } ?? false
  }
}
