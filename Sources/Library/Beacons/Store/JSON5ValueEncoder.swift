// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// Converts a value to a JSON value, with the keys of objects in order.
enum JSON5ValueEncoder {
  static func encode(_ value: some Encodable) throws -> JSON5Value {
    let place = EncodedPlace()
    try place.encode(value)
    return place.value
  }
}

/// A place in a JSON value that is being made; it is its own container of a single value.
private final class EncodedPlace: Encoder, SingleValueEncodingContainer {
  private enum Content {
    case scalar(JSON5Value.Content)
    case elements([EncodedPlace])
    case members([String: EncodedPlace])
  }

  private var content = Content.scalar(.null)

  // Errors of these values name no path: their types cannot fail.
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  var value: JSON5Value {
    let start = TextPosition.start
    switch content {
    case .scalar(let scalar): return JSON5Value(scalar, at: start)
    case .elements(let places): return JSON5Value(.array(places.map(\.value)), at: start)
    case .members(let places):
      let members = places.sorted { $0.key < $1.key }.map { key, place in
        JSON5Member(key: key, keyPosition: start, value: place.value)
      }
      return JSON5Value(.object(members), at: start)
    }
  }

  var count: Int {
    if case .elements(let places) = content { places.count } else { 0 }
  }

  /// Adds an element to an array.
  func append() -> EncodedPlace {
    let place = EncodedPlace()
    if case .elements(let places) = content { content = .elements(places + [place]) }
    return place
  }

  /// Adds a key to an object.
  func member(_ key: any CodingKey) -> EncodedPlace {
    let place = EncodedPlace()
    if case .members(var places) = content {
      places[key.stringValue] = place
      content = .members(places)
    }
    return place
  }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    content = .members([:])
    return KeyedEncodingContainer(EncodedObject(place: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    content = .elements([])
    return EncodedArray(place: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { content = .scalar(.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let flag as Bool: content = .scalar(.bool(flag))
    case let text as String: content = .scalar(.string(text))
    case let number as Double:
      content = .scalar(.number(JSON5Number(value: number, integer: Int64(exactly: number))))
    case let number as any FixedWidthInteger:
      let number = JSON5Number(value: Self.double(number), integer: Int64(exactly: number))
      content = .scalar(.number(number))
    default: try value.encode(to: self)
    }
  }

  private static func double(_ number: some FixedWidthInteger) -> Double { Double(number) }
}

private struct EncodedObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: EncodedPlace

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { place.member(key).encodeNil() }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try place.member(key).encode(value)
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { place.member(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    place.member(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { place }
  func superEncoder(forKey key: Key) -> any Encoder { place.member(key) }
}

private struct EncodedArray: UnkeyedEncodingContainer {
  let place: EncodedPlace

  var codingPath: [any CodingKey] { [] }
  var count: Int { place.count }

  func encodeNil() { place.append().encodeNil() }

  func encode<Value: Encodable>(_ value: Value) throws { try place.append().encode(value) }

  func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    place.append().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    place.append().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { place.append() }
}
