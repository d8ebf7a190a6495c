// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

// The forms in the encoders and decoders of a program: the same keys, names and units as in our files and lines.

extension Formed {
  /// Writes the form of a value.
  fileprivate func encodeForm(
    to encoder: any Encoder,
    _ context: FormContext = FormContext()
  ) throws {
    try written(context).encode(to: encoder)
  }

  /// Reads the form of a value.
  fileprivate static func decodeForm(from decoder: any Decoder) throws -> Self {
    let value = try JSON5Value(from: decoder)
    do {
      return try read(value, named: "the value")
    } catch {
      let faults = error.faults.map(\.message).joined(separator: "; ")
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: faults)
      )
    }
  }
}

/// Any key of an object.
private struct FormKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

extension FormValue {
  fileprivate func encode(to encoder: any Encoder) throws {
    switch self {
    case .list(let values):
      var list = encoder.unkeyedContainer()
      for value in values { try value.encode(to: list.superEncoder()) }
    case .object(let fields):
      var object = encoder.container(keyedBy: FormKey.self)
      for field in fields {
        try field.value.encode(to: object.superEncoder(forKey: FormKey(field.name)))
      }
    default:
      var single = encoder.singleValueContainer()
      switch self {
      case .text(let text): try single.encode(text)
      case .boolean(let bool): try single.encode(bool)
      case .integer(let number): try single.encode(number)
      case .number(let number): try single.encode(number)
      case .hundredths(let number): try single.encode((number * 100).rounded() / 100)
      case .span(let span): try single.encode(span.seconds)
      case .time(let time): try single.encode(RFC3339.string(time))
      case .null, .list, .object: try single.encodeNil()
      }
    }
  }
}

extension JSON5Value {
  fileprivate init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: FormKey.self) {
      let members = try object.allKeys.map { key in
        let value = try JSON5Value(from: object.superDecoder(forKey: key))
        return JSON5Member(key: key.stringValue, keyPosition: .start, value: value)
      }
      self.init(.object(members), at: .start)
    } else if var list = try? decoder.unkeyedContainer() {
      var values: [JSON5Value] = []
      while !list.isAtEnd { values.append(try JSON5Value(from: list.superDecoder())) }
      self.init(.array(values), at: .start)
    } else {
      let single = try decoder.singleValueContainer()
      let content: Content
      if single.decodeNil() {
        content = .null
      } else if let bool = try? single.decode(Bool.self) {
        content = .bool(bool)
      } else if let number = try? single.decode(Int64.self) {
        content = .number(JSON5Number(value: Double(number), integer: number))
      } else if let number = try? single.decode(Double.self) {
        content = .number(JSON5Number(value: number))
      } else {
        content = .string(try single.decode(String.self))
      }
      self.init(content, at: .start)
    }
  }
}

extension EventLine: Codable {
  /// Reads the object of an event.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes the object of an event; it throws for a sighting and for a tick of several constraints.
  public func encode(to encoder: any Encoder) throws {
    guard event.caseName != nil else {
      throw EncodingError.invalidValue(
        event,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "the event is not one object"
        )
      )
    }
    try encodeForm(to: encoder, .line)
  }
}

extension BeaconIdentity: Codable {
  /// Reads the text `UUID/MAJOR/MINOR`.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes the text `UUID/MAJOR/MINOR`.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension IdentityConstraint: Codable {
  /// Reads the text `UUID[/MAJOR[/MINOR]]`.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes the text `UUID[/MAJOR[/MINOR]]`.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension RegionIdentifier: Codable {
  /// Reads the name.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes the name.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension Region: Codable {
  /// Reads a region with its keys in a configuration file.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes a region with its keys in a configuration file.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension Manifest: Codable {
  /// Reads a manifest with its keys in a scenario.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes a manifest with its keys in a scenario.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension RangedBeacon: Codable {
  /// Reads a beacon with its keys in a line of the type `ranged`.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes a beacon with its keys in a line of the type `ranged`.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder, .line) }
}

extension Timestamp: Codable {
  /// Reads a time in the format of RFC 3339, in UTC with microseconds.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes a time in the format of RFC 3339, in UTC with microseconds.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension TimeSpan: Codable {
  /// Reads a number of seconds.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes a number of seconds.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension Proximity: Codable {
  /// Reads the name that lines have.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes the name that lines have.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension RegionState: Codable {
  /// Reads the name that lines have.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes the name that lines have.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension AuthorizationStatus: Codable {
  /// Reads the name that lines have.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes the name that lines have.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}

extension AccuracyAuthorization: Codable {
  /// Reads the name that lines have.
  public init(from decoder: any Decoder) throws { self = try Self.decodeForm(from: decoder) }
  /// Writes the name that lines have.
  public func encode(to encoder: any Encoder) throws { try encodeForm(to: encoder) }
}
