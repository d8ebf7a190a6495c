// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A value of a form, with the type that decides how it is written.
package indirect enum FormValue: Sendable, Equatable {
  /// `null`.
  case null
  /// A text or a name.
  case text(String)
  /// True or false.
  case boolean(Bool)
  /// A whole number.
  case integer(Int)
  /// A number, written so that a reader gets exactly it.
  case number(Double)
  /// A number with two decimals.
  case hundredths(Double)
  /// A length of time, in seconds.
  case span(TimeSpan)
  /// A point in time.
  case time(Timestamp)
  /// Several values.
  case list([FormValue])
  /// Named values in a fixed order.
  case object([FormField])

  /// A text that may be missing.
  package static func optional(_ text: String?) -> FormValue { text.map(FormValue.text) ?? .null }
  /// A whole number that may be missing.
  package static func optional(_ number: Int?) -> FormValue {
    number.map(FormValue.integer) ?? .null
  }
  /// A number with two decimals that may be missing.
  package static func optional(_ number: Double?) -> FormValue {
    number.map(FormValue.hundredths) ?? .null
  }
  /// A length of time that may be missing.
  package static func optional(_ span: TimeSpan?) -> FormValue {
    span.map(FormValue.span) ?? .null
  }
}

/// A key of a form with its value.
package struct FormField: Sendable, Equatable {
  /// The field's name.
  package let name: String
  /// Its value.
  package let value: FormValue

  package init(_ name: String, _ value: FormValue) {
    self.name = name
    self.value = value
  }
}

extension FormValue {
  /// Creates a value that was read.
  package init(_ value: JSON5Value) {
    self =
      switch value.content {
      case .null: .null
      case .bool(let bool): .boolean(bool)
      case .string(let text): .text(text)
      case .array(let values): .list(values.map { FormValue($0) })
      case .object(let members): .object(members.map { FormField($0.key, FormValue($0.value)) })
      case .number(let number): FormValue(number)
      }
  }

  private init(_ number: JSON5Number) {
    self = number.integer.flatMap { Int(exactly: $0) }.map { .integer($0) } ?? .exact(number.value)
  }

  /// A number, written so that a reader gets exactly it; one that is whole has no point.
  package static func exact(_ number: Double) -> FormValue {
    // Up to six decimals are exact in a span.
    let span = TimeSpan(seconds: number)
    return number.magnitude < 1e9 && span.seconds == number ? .span(span) : .number(number)
  }
}
