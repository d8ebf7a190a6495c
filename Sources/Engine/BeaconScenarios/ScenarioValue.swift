// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Compares the values that a scenario file expects with those of an event.
enum ScenarioValue {
  /// Returns whether a value is the expected one.
  ///
  /// Numbers are compared as they are written, lists by their length and each entry, objects by the given fields.
  static func equals(_ delivered: FormValue, _ expected: JSON5Value, start: Timestamp) -> Bool {
    switch (delivered, expected.content) {
    case (.null, .null): return true
    case (.text(let text), .string(let due)): return text == due
    case (.boolean(let bool), .bool(let due)): return bool == due
    case (.integer(let number), .number(let due)): return Double(number) == due.value
    case (.number(let number), .number(let due)): return number == due.value
    case (.hundredths(let number), .number(let due)):
      // Written numbers have two decimals, so an expectation cannot require more.
      return DecimalText.hundredths(number) == DecimalText.hundredths(due.value)
    case (.span(let span), .number(let due)):
      return span == TimeSpan(seconds: due.value)
    case (.time(let time), .number(let due)):
      return time - start == TimeSpan(seconds: due.value)
    case (.time(let time), .string(let due)): return RFC3339.parse(due) == time
    case (.list(let values), .array(let due)):
      return values.count == due.count
        && zip(values, due).allSatisfy { equals($0, $1, start: start) }
    case (.object(let fields), .object(let due)):
      return due.allSatisfy { member in
        fields.contains { $0.name == member.key && equals($0.value, member.value, start: start) }
      }
    default: return false
    }
  }

  /// Returns the value as a timeline shows it.
  static func text(_ value: FormValue, start: Timestamp) -> String {
    switch value {
    case .null: "null"
    case .text(let text): text
    case .boolean(let bool): "\(bool)"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .hundredths(let number): DecimalText.hundredths(number)
    case .span(let span): DecimalText.seconds(span)
    case .time(let time): DecimalText.seconds(time - start)
    case .list(let values):
      "[" + values.map { text($0, start: start) }.joined(separator: ", ") + "]"
    case .object(let fields):
      "{"
        + fields.map { "\($0.name): \(text($0.value, start: start))" }.joined(separator: ", ")
        + "}"
    }
  }

  /// Returns the expected value as a timeline shows it.
  static func text(_ value: JSON5Value) -> String {
    switch value.content {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .number(let number): number.integer.map { "\($0)" } ?? "\(number.value)"
    case .string(let text): text
    case .array(let values): "[" + values.map { text($0) }.joined(separator: ", ") + "]"
    case .object(let members): "{" + text(members) + "}"
    }
  }

  /// Returns expected fields as a timeline shows them.
  static func text(_ fields: [JSON5Member]) -> String {
    fields.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ")
  }
}
