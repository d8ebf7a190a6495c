// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads one value as the expected type, and adds a fault if it has another type.
///
/// Every function returns `nil` after it added a fault, so that the caller continues and finds the others.
///
///     let faults = FaultCollector()
///     var object = JSON5Reader(value, faults: faults).object()
///     let at = object?.required("at")?.number(in: 0...86_400)
///     let kind = object?.required("input")?.choice(of: InputKind.self)
///     object?.finish()
///     try faults.throwIfAny()
package struct JSON5Reader {
  /// The value.
  package let value: JSON5Value
  /// The value's name in messages: its key, or the file.
  package let name: String
  /// Collects the faults.
  package let faults: FaultCollector

  /// Creates a reader of a value.
  package init(_ value: JSON5Value, name: String = "the file", faults: FaultCollector) {
    self.value = value
    self.name = name
    self.faults = faults
  }

  /// Whether the value is `null`.
  package var isNull: Bool { value.content == .null }

  /// Adds a fault at the value.
  package func addFault(_ reason: any Sendable & CustomStringConvertible) {
    faults.add(reason, at: value.position)
  }

  private func addTypeFault(_ expected: String) {
    addFault("\(name) must be \(expected), not \(value.kindName)")
  }

  /// Reads `true` or `false`.
  package func bool() -> Bool? {
    if case .bool(let bool) = value.content { return bool }
    addTypeFault("true or false")
    return nil
  }

  /// Reads a text.
  package func string() -> String? {
    if case .string(let text) = value.content { return text }
    addTypeFault("a text in quotes")
    return nil
  }

  /// Reads a text that is not empty.
  package func nonEmptyString() -> String? {
    guard let text = string() else { return nil }
    guard text.isEmpty else { return text }
    addFault("\(name) must not be empty")
    return nil
  }

  /// Reads a number that is finite and in a range.
  package func number(
    in range: ClosedRange<Double> = -.greatestFiniteMagnitude...(.greatestFiniteMagnitude)
  ) -> Double? {
    guard case .number(let number) = value.content else {
      addTypeFault("a number")
      return nil
    }
    if range.contains(number.value) { return number.value }
    if range.upperBound == .greatestFiniteMagnitude {
      let bound =
        range.lowerBound == -.greatestFiniteMagnitude
        ? "" : " of at least \(Self.text(range.lowerBound))"
      addFault("\(name) must be a finite number\(bound)")
    } else {
      let (low, high) = (Self.text(range.lowerBound), Self.text(range.upperBound))
      addFault("\(name) must be a number from \(low) to \(high)")
    }
    return nil
  }

  /// Reads a whole number in a range; `5.0` and `5e0` are whole too.
  package func integer(in range: ClosedRange<Int> = .min ... .max) -> Int? {
    guard case .number(let number) = value.content else {
      addTypeFault("a whole number")
      return nil
    }
    // From 2^53 on, a Double does not identify the whole number that was written.
    let largestExact = 9_007_199_254_740_992.0
    var whole = number.integer.flatMap { Int(exactly: $0) }
    if whole == nil, number.value.magnitude < largestExact { whole = Int(exactly: number.value) }
    guard let whole else {
      addFault("\(name) must be a whole number")
      return nil
    }
    guard range.contains(whole) else {
      addFault("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    return whole
  }

  /// Reads one of some names.
  package func choice(_ names: [String]) -> String? {
    guard case .string(let text) = value.content else {
      addTypeFault("one of \(names.joined(separator: ", "))")
      return nil
    }
    if names.contains(text) { return text }
    if let nearest = NearestName.find(text, in: names) {
      addFault("\(name) '\(text.shortened)' is not known; did you mean '\(nearest)'?")
    } else {
      addFault(
        "\(name) '\(text.shortened)' is not known; write one of \(names.joined(separator: ", "))"
      )
    }
    return nil
  }

  /// Reads a case of an enum by its name.
  package func choice<Choice>(of type: Choice.Type) -> Choice?
  where Choice: RawRepresentable<String> & CaseIterable {
    choice(type.allCases.map(\.rawValue)).flatMap(Choice.init(rawValue:))
  }

  /// Reads a text with another parser, whose error becomes the fault.
  package func parsed<Result>(_ parse: (String) throws -> Result) -> Result? {
    guard let text = string() else { return nil }
    do {
      return try parse(text)
    } catch {
      addFault("\(name): \(error)")
      return nil
    }
  }

  /// Reads an identity constraint, `UUID[/MAJOR[/MINOR]]`.
  package func constraint() -> IdentityConstraint? {
    parsed { try IdentityConstraint(parsing: $0) }
  }

  /// Reads a time with an offset from UTC in the format of RFC 3339.
  package func timestamp() -> Timestamp? {
    guard let text = string() else { return nil }
    if let time = RFC3339.parse(text) { return time }
    addFault("\(name) must be a time such as 2026-11-21T22:00:00+01:00")
    return nil
  }

  /// Reads an array and returns a reader for each element.
  package func array() -> [JSON5Reader]? {
    guard case .array(let values) = value.content else {
      addTypeFault("an array in brackets")
      return nil
    }
    return values.map { JSON5Reader($0, name: "an entry of \(name)", faults: faults) }
  }

  /// Reads an object.
  package func object() -> ObjectReader? {
    guard case .object(let members) = value.content else {
      addTypeFault("an object in braces")
      return nil
    }
    return ObjectReader(members, name: name, at: value.position, faults: faults)
  }

  /// A bound as text, without a decimal point if it is whole.
  private static func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
