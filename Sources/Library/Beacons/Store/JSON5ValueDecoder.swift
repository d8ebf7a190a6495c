// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// Converts a JSON value to a value of a type.
enum JSON5ValueDecoder {
  /// Returns the value.
  ///
  /// - Throws: `StoreFile.Damage` that names the key that is missing or has a value of another kind.
  static func decode<Value: Decodable>(
    _ type: Value.Type,
    from value: JSON5Value
  ) throws(StoreFile.Damage) -> Value {
    do {
      return try DecodedPlace(value: value, path: []).decode(type)
    } catch let damage as StoreFile.Damage {
      throw damage
    } catch {
      throw StoreFile.Damage(description: "\(error)")
    }
  }
}

/// A value of the file with the keys that lead to it; it is its own container of a single value.
private struct DecodedPlace: Decoder, SingleValueDecodingContainer {
  let value: JSON5Value
  let path: [String]

  // Errors name the path themselves.
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object = value.content else { throw mismatch("an object") }
    return KeyedDecodingContainer(DecodedObject(place: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try array }

  var array: DecodedArray {
    get throws {
      guard case .array(let elements) = value.content else { throw mismatch("an array") }
      return DecodedArray(place: self, elements: elements)
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value.content == .null }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let found: Any
    if type == Bool.self {
      guard case .bool(let flag) = value.content else { throw mismatch("true or false") }
      found = flag
    } else if type == String.self {
      guard case .string(let text) = value.content else { throw mismatch("a text") }
      found = text
    } else if type == Double.self {
      // A number that is infinite or none is no JSON, and nothing that a program wrote.
      guard case .number(let number) = value.content, number.value.isFinite else {
        throw mismatch("a number")
      }
      found = number.value
    } else if let type = type as? any FixedWidthInteger.Type {
      guard let number = integer(type) else { throw mismatch("a number of type \(type)") }
      found = number
    } else {
      return try type.init(from: self)
    }
    guard let result = found as? Value else { throw mismatch("\(type)") }
    return result
  }

  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    guard case .number(let number) = value.content else { return nil }
    return number.integer.flatMap(Integer.init(exactly:)) ?? Integer(exactly: number.value)
  }

  private func mismatch(_ expected: String) -> StoreFile.Damage {
    let name = path.joined(separator: ".")
    return StoreFile.Damage(description: "'\(name)' is \(value.kindName), not \(expected)")
  }
}

private struct DecodedObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let place: DecodedPlace

  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { place.value.keys.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { place.value[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try member(key).decode(type)
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).array
  }

  func superDecoder() -> any Decoder { place }
  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

  private func member(_ key: Key) throws -> DecodedPlace {
    let path = place.path + [key.stringValue]
    guard let value = place.value[key.stringValue] else {
      throw StoreFile.Damage(description: "'\(path.joined(separator: "."))' is missing")
    }
    return DecodedPlace(value: value, path: path)
  }
}

private struct DecodedArray: UnkeyedDecodingContainer {
  let place: DecodedPlace
  let elements: [JSON5Value]
  private(set) var currentIndex = 0

  init(place: DecodedPlace, elements: [JSON5Value]) {
    self.place = place
    self.elements = elements
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex].content == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next().decode(type)
  }

  mutating func nestedContainer<Nested>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().array
  }

  mutating func superDecoder() throws -> any Decoder { try next() }

  private mutating func next() throws -> DecodedPlace {
    let path = place.path + ["\(currentIndex)"]
    guard currentIndex < elements.count else {
      throw StoreFile.Damage(description: "'\(path.joined(separator: "."))' is missing")
    }
    defer { currentIndex += 1 }
    return DecodedPlace(value: elements[currentIndex], path: path)
  }
}
