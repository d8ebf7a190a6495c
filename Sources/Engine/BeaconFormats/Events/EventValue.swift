// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The value of an event's field, with the type that decides how it is written.
package indirect enum EventValue: Sendable, Equatable {
  /// `null`.
  case null
  /// A text or a name.
  case text(String)
  /// True or false.
  case boolean(Bool)
  /// A whole number.
  case integer(Int)
  /// A number with two decimals.
  case hundredths(Double)
  /// A length of time, in seconds.
  case span(TimeSpan)
  /// A point in time.
  case time(Timestamp)
  /// Several values.
  case list([EventValue])
  /// Named values in a fixed order.
  case object([EventField])

  /// A text that may be missing.
  package static func optional(_ text: String?) -> EventValue { text.map(EventValue.text) ?? .null }
  /// A whole number that may be missing.
  package static func optional(_ number: Int?) -> EventValue {
    number.map(EventValue.integer) ?? .null
  }
  /// A number with two decimals that may be missing.
  package static func optional(_ number: Double?) -> EventValue {
    number.map(EventValue.hundredths) ?? .null
  }
  /// A length of time that may be missing.
  package static func optional(_ span: TimeSpan?) -> EventValue {
    span.map(EventValue.span) ?? .null
  }
}

/// A field of an event.
package struct EventField: Sendable, Equatable {
  /// The field's name.
  package let name: String
  /// Its value.
  package let value: EventValue

  package init(_ name: String, _ value: EventValue) {
    self.name = name
    self.value = value
  }
}
