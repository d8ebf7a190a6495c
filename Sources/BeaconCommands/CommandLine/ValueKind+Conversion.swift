// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Why a text is not a value of its kind, and what would be right.
struct ValueFault: Error, Equatable {
  let message: String
}

extension ValueKind {
  /// Reads a value.
  ///
  /// - Throws: ``ValueFault`` saying what would be right.
  func convert(_ text: String) throws(ValueFault) -> OptionValue {
    switch self {
    case .text: return .text(text)
    case .file(let name):
      guard !text.isEmpty else { throw ValueFault(message: "\(name) is empty; name a file") }
      return .text(text)
    case .choice(let names): return .text(try Self.choice(text, of: names))
    case .integer(_, let range):
      guard let value = Self.integer(text), range.contains(value) else {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        throw ValueFault(message: "\(quoted(text)) is not a whole number from \(bounds)")
      }
      return .integer(value)
    case .number(_, let range):
      guard let value = Self.number(text), range.contains(value) else {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        throw ValueFault(message: "\(quoted(text)) is not a number from \(bounds)")
      }
      return .number(value)
    case .duration: return .span(try Self.duration(text))
    case .distance(let range): return .number(try Self.distance(text, in: range))
    case .size: return .bytes(try Self.size(text))
    case .sizeOrDuration:
      if let bytes = try? Self.size(text) { return .bytes(bytes) }
      return .span(try Self.duration(text))
    case .constraint: return .constraint(try Self.constraint(text))
    case .region:
      let (id, constraint) = try Self.pair(text, form: "ID=UUID[/MAJOR[/MINOR]]")
      return .region(RegionArgument(id: id, constraint: try Self.constraint(constraint)))
    case .setting:
      let (key, value) = try Self.pair(text, form: "KEY=VALUE")
      return .setting(SettingArgument(key: key, value: value))
    case .speed: return .speed(try Self.speed(text))
    case .sink(let formats): return .sink(try Self.sink(text, formats: formats))
    }
  }

  private static func choice(_ text: String, of names: [String]) throws(ValueFault) -> String {
    if names.contains(text) { return text }
    if let nearest = NearestName.find(text, in: names) {
      throw ValueFault(message: "\(quoted(text)) is not known; did you mean '\(nearest)'?")
    }
    throw ValueFault(
      message: "\(quoted(text)) is not known; write one of \(names.joined(separator: ", "))"
    )
  }

  private static func constraint(_ text: String) throws(ValueFault) -> IdentityConstraint {
    do {
      return try IdentityConstraint(parsing: text)
    } catch {
      throw ValueFault(message: "\(error)".oneLine)
    }
  }

  /// Splits at the first `=`; the key must not be empty, the value may.
  private static func pair(
    _ text: String,
    form: String
  ) throws(ValueFault) -> (String, String) {
    guard let place = text.firstIndex(of: "="), place != text.startIndex else {
      throw ValueFault(message: "\(quoted(text)) is not of the form \(form)")
    }
    return (String(text[..<place]), String(text[text.index(after: place)...]))
  }

  private static func sink(_ text: String, formats: [String]) throws(ValueFault) -> SinkArgument {
    guard let place = text.firstIndex(of: ":"), text.index(after: place) != text.endIndex else {
      throw ValueFault(
        message: "\(quoted(text)) is not of the form FORMAT:FILE, such as jsonl:events.jsonl"
      )
    }
    let format = try choice(String(text[..<place]), of: formats)
    return SinkArgument(format: format, file: String(text[text.index(after: place)...]))
  }

  // MARK: Numbers

  /// Digits with or without a sign; nothing else that `Int` would take.
  private static func integer(_ text: String) -> Int? {
    text.hasPrefix("+") ? nil : Int(text)
  }

  /// Digits with or without a sign and a point; neither `inf` nor `0x`.
  private static func number(_ text: some StringProtocol) -> Double? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard let first = digits.utf8.first, (0x30...0x39).contains(first),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double(String(text))
  }

  /// The longest span read, three years: what a ``TimeSpan`` from seconds can be.
  private static let longestDuration = 1e8

  private static func duration(_ text: String) throws(ValueFault) -> TimeSpan {
    let units = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)]
    guard let unit = units.first(where: { text.hasSuffix($0.0) }),
      let value = number(text.dropLast(unit.0.count)), value >= 0,
      value * unit.1 <= longestDuration
    else {
      throw ValueFault(
        message: "\(quoted(text)) is not a time; write a number and ms, s, m, h or d, such as 10s"
      )
    }
    return TimeSpan(seconds: value * unit.1)
  }

  /// Reads a distance in metres.
  private static func distance(
    _ text: String,
    in range: ClosedRange<Double>
  ) throws(ValueFault) -> Double {
    let units = [("cm", 0.01), ("m", 1)]
    if let unit = units.first(where: { text.hasSuffix($0.0) }),
      let value = number(text.dropLast(unit.0.count)), range.contains(value * unit.1)
    {
      return value * unit.1
    }
    throw ValueFault(
      message:
        "\(quoted(text)) is not a distance from \(range.lowerBound) to \(range.upperBound) m;"
        + " write it with its unit, such as 1m or 50cm"
    )
  }

  /// Reads bytes; K, M and G are powers of 1024.
  private static func size(_ text: String) throws(ValueFault) -> Int {
    let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
    let shift = text.last.flatMap { shifts[$0] }
    let digits = shift == nil ? text[...] : text.dropLast()
    let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    if isNumber, let value = Int(digits), value > 0 {
      let (bytes, overflow) = value.multipliedReportingOverflow(by: 1 << (shift ?? 0))
      if !overflow { return bytes }
    }
    throw ValueFault(
      message: "\(quoted(text)) is not a size; write bytes, or a number and K, M or G, such as 10M"
    )
  }

  private static func speed(_ text: String) throws(ValueFault) -> ReplaySpeed {
    if text == "max" { return .max }
    // A thousandth to a million: slower nobody waits for, faster is `max`.
    guard text.hasSuffix("x"), let factor = number(text.dropLast()), (0.001...1e6).contains(factor)
    else {
      throw ValueFault(
        message: "\(quoted(text)) is not a speed; write max, or a factor such as 1x or 10x"
      )
    }
    return .times(factor)
  }
}

/// Returns a text in quotes, cut and without control characters, fit for a message of one line.
func quoted(_ text: String) -> String {
  "'\(text.oneLine)'"
}

extension String {
  /// The text cut to what a message can hold, control characters as question marks.
  var oneLine: String {
    let longest = 100
    let scalars = unicodeScalars.prefix(longest).map { scalar -> Character in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .format: "?"
      default: Character(scalar)
      }
    }
    return String(scalars) + (unicodeScalars.count > longest ? "..." : "")
  }
}
