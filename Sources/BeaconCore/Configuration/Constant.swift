// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One number, switch or choice of a ``Configuration``, with everything a person needs to change it.
public struct Constant: Sendable {
  /// What kind of value a constant has.
  public enum Kind: Sendable, Equatable {
    /// A span of time in seconds, within bounds.
    case seconds(ClosedRange<Double>)
    /// A number in a unit, within bounds.
    case number(unit: String, ClosedRange<Double>)
    /// A whole number in a unit, within bounds.
    case count(unit: String, ClosedRange<Int>)
    /// On or off.
    case flag
    /// One of some names.
    case choice([String])
  }

  /// A constant's value.
  public enum Value: Sendable, Equatable {
    /// A number: seconds for a span of time.
    case number(Double)
    /// A whole number.
    case count(Int)
    /// On or off.
    case flag(Bool)
    /// A name.
    case choice(String)
  }

  /// The name, as in `--set KEY=VALUE`: the room, a dot, the constant.
  public let key: String
  /// What kind of value it has.
  public let kind: Kind
  /// Why it has its default, in a sentence.
  public let reason: String
  let read: @Sendable (Configuration) -> Value
  let write: @Sendable (inout Configuration, Value) -> Void

  /// Returns the constant's value in a configuration.
  public func value(in configuration: Configuration) -> Value { read(configuration) }

  /// The unit of the value; empty for switches and choices.
  public var unit: String {
    switch kind {
    case .seconds: "s"
    case .number(let unit, _), .count(let unit, _): unit
    case .flag, .choice: ""
    }
  }
}

/// What is wrong with a value for a constant.
public enum ConstantError: Error, Sendable, Equatable {
  /// No constant has this name.
  case unknownKey(String)
  /// The value is of another kind; the text says what is expected.
  case wrongKind(key: String, expected: String)
  /// The value is out of bounds; the text says what they are.
  case outOfBounds(key: String, expected: String)
}

extension ConstantError: CustomStringConvertible {
  /// What is wrong, and what would be right.
  public var description: String {
    switch self {
    case .unknownKey(let key): "no constant is named '\(key)'"
    case .wrongKind(let key, let expected): "'\(key)' takes \(expected)"
    case .outOfBounds(let key, let expected): "'\(key)' takes \(expected)"
    }
  }
}

extension Constant {
  /// Sets the constant.
  ///
  /// - Throws: ``ConstantError`` when the value is of another kind or out of bounds.
  public func set(_ value: Value, in configuration: inout Configuration) throws(ConstantError) {
    switch (kind, value) {
    case (.seconds(let bounds), .number(let number)), (.number(_, let bounds), .number(let number)):
      guard bounds.contains(number) else { throw .outOfBounds(key: key, expected: expectation) }
    case (.count(_, let bounds), .count(let count)):
      guard bounds.contains(count) else { throw .outOfBounds(key: key, expected: expectation) }
    case (.seconds(let bounds), .count(let count)), (.number(_, let bounds), .count(let count)):
      guard bounds.contains(Double(count)) else {
        throw .outOfBounds(key: key, expected: expectation)
      }
      write(&configuration, .number(Double(count)))
      return
    case (.choice(let names), .choice(let name)):
      guard names.contains(name) else { throw .outOfBounds(key: key, expected: expectation) }
    case (.flag, .flag): break
    default: throw .wrongKind(key: key, expected: expectation)
    }
    write(&configuration, value)
  }

  /// Sets the constant from text, as `--set` has it: a number, `on` or `off`, or a name.
  ///
  /// - Throws: ``ConstantError`` when the text is no value of its kind or out of bounds.
  public func set(parsing text: String, in configuration: inout Configuration) throws(ConstantError)
  {
    let value: Value? =
      switch kind {
      case .seconds: Double(text.hasSuffix("s") ? String(text.dropLast()) : text).map(Value.number)
      case .number: Double(text).map(Value.number)
      case .count: Int(text).map(Value.count)
      case .flag: ["on": true, "true": true, "off": false, "false": false][text].map(Value.flag)
      case .choice: .choice(text)
      }
    guard let value else { throw .wrongKind(key: key, expected: expectation) }
    try set(value, in: &configuration)
  }

  /// What the constant takes, in words.
  public var expectation: String {
    switch kind {
    case .seconds(let bounds):
      "seconds from \(Self.text(bounds.lowerBound)) to \(Self.text(bounds.upperBound))"
    case .number(let unit, let bounds):
      "a number from \(Self.text(bounds.lowerBound)) to \(Self.text(bounds.upperBound))"
        + (unit.isEmpty ? "" : " \(unit)")
    case .count(let unit, let bounds):
      "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        + (unit.isEmpty ? "" : " \(unit)")
    case .flag: "on or off"
    case .choice(let names): "one of " + names.joined(separator: ", ")
    }
  }

  /// A number as people write it: whole numbers without a fraction.
  static func text(_ number: Double) -> String {
    number.magnitude < 1e15 && number == number.rounded(.towardZero)
      ? String(Int64(number)) : String(number)
  }
}

extension Constant.Value: CustomStringConvertible {
  /// The value as `--set` takes it.
  public var description: String {
    switch self {
    case .number(let number): Constant.text(number)
    case .count(let count): String(count)
    case .flag(let flag): flag ? "on" : "off"
    case .choice(let name): name
    }
  }
}
