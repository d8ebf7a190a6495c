// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A number, switch or choice that can be set, with everything a user needs to know to change it.
///
/// It has bounds and a reason, but does not know where its value is kept: its ``ConfigurationSection`` does.
package struct Constant: Sendable {
  /// The kind of a constant's value.
  package enum Kind: Sendable, Equatable {
    /// A span of time in seconds, within bounds.
    case seconds(ClosedRange<Double>)
    /// A number in a unit, within bounds.
    case number(unit: String, ClosedRange<Double>)
    /// A whole number in a unit, within bounds.
    case count(unit: String, ClosedRange<Int>)
    /// On or off.
    case flag
    /// One of several names.
    case choice([String])
  }

  /// A constant's value.
  package enum Value: Sendable, Equatable {
    /// A number: seconds for a span of time.
    case number(Double)
    /// A whole number.
    case count(Int)
    /// On or off.
    case flag(Bool)
    /// A name.
    case choice(String)
  }

  /// The name, as in `--set KEY=VALUE`: the section, a dot, the constant.
  package let key: String
  /// The kind of its value.
  package let kind: Kind
  /// The reason for its default, in one sentence.
  package let reason: String
  /// Reads the value from the constant's section if one is given, otherwise from settings.
  let read: @Sendable (ConfigurationSettings, (any ConfigurationSection)?) -> Value

  /// Returns the constant's value under some settings.
  ///
  /// - Parameters:
  ///   - settings: The profile and the settings.
  ///   - section: A section that was decoded from the settings and changed since; its own constants are read from it.
  /// - Returns: The value; the profile's value if the constant is not set.
  package func value(
    in settings: ConfigurationSettings,
    given section: (any ConfigurationSection)? = nil
  ) -> Value {
    read(settings, section)
  }

  /// The unit of the value; empty for switches and choices.
  package var unit: String {
    switch kind {
    case .seconds: "s"
    case .number(let unit, _), .count(let unit, _): unit
    case .flag, .choice: ""
    }
  }
}

/// An invalid setting of a constant.
package enum ConstantError: Error, Sendable, Equatable {
  /// No constant has this name.
  case unknownKey(String)
  /// The value has another kind; the text names the expected kind.
  case wrongKind(key: String, expected: String)
  /// The value is out of bounds; the text gives the bounds.
  case outOfBounds(key: String, expected: String)
}

extension ConstantError: CustomStringConvertible {
  /// The fault, and the expected value.
  package var description: String {
    switch self {
    case .unknownKey(let key): "no constant is named '\(key)'"
    case .wrongKind(let key, let expected): "'\(key)' takes \(expected)"
    case .outOfBounds(let key, let expected): "'\(key)' takes \(expected)"
    }
  }
}

extension Constant {
  /// Creates a setting of the constant.
  ///
  /// - Throws: ``ConstantError`` if the value has another kind or is out of bounds.
  package func setting(_ value: Value) throws(ConstantError) -> ConfigurationSetting {
    ConfigurationSetting(key: key, value: try checked(value))
  }

  /// Creates a setting of the constant from text, as in `--set`: a number, for seconds also with a unit, such as `500ms` or
  /// `5m`; `on` or `off`; or a name.
  ///
  /// - Throws: ``ConstantError`` if the text is not a value of its kind or is out of bounds.
  package func setting(parsing text: String) throws(ConstantError) -> ConfigurationSetting {
    let value: Value? =
      switch kind {
      case .seconds: Self.seconds(text).map(Value.number)
      case .number: Double(text).map(Value.number)
      case .count: Int(text).map(Value.count)
      case .flag: ["on": true, "true": true, "off": false, "false": false][text].map(Value.flag)
      case .choice: .choice(text)
      }
    guard let value else { throw .wrongKind(key: key, expected: expectation) }
    return try setting(value)
  }

  /// Reads seconds, or a number with the unit of a time.
  private static func seconds(_ text: String) -> Double? {
    let units = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)]
    guard let unit = units.first(where: { text.hasSuffix($0.0) }) else { return Double(text) }
    return Double(text.dropLast(unit.0.count)).map { $0 * unit.1 }
  }

  /// Converts a value to the constant's own kind; a whole number is also accepted as a number.
  private func checked(_ value: Value) throws(ConstantError) -> Value {
    let isWithin: Bool
    var value = value
    switch (kind, value) {
    case (.seconds(let bounds), .number(let number)), (.number(_, let bounds), .number(let number)):
      isWithin = bounds.contains(number)
    case (.seconds(let bounds), .count(let count)), (.number(_, let bounds), .count(let count)):
      isWithin = bounds.contains(Double(count))
      value = .number(Double(count))
    case (.count(_, let bounds), .count(let count)): isWithin = bounds.contains(count)
    case (.choice(let names), .choice(let name)): isWithin = names.contains(name)
    case (.flag, .flag): isWithin = true
    default: throw .wrongKind(key: key, expected: expectation)
    }
    guard isWithin else { throw .outOfBounds(key: key, expected: expectation) }
    return value
  }

  /// The values that the constant accepts, in words.
  package var expectation: String {
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

  /// Returns a number as people write it: whole numbers without a fraction.
  static func text(_ number: Double) -> String {
    number.magnitude < 1e15 && number == number.rounded(.towardZero)
      ? String(Int64(number)) : String(number)
  }
}

extension Constant.Value: CustomStringConvertible {
  /// The value in the form that `--set` accepts.
  package var description: String {
    switch self {
    case .number(let number): Constant.text(number)
    case .count(let count): String(count)
    case .flag(let flag): flag ? "on" : "off"
    case .choice(let name): name
    }
  }
}
