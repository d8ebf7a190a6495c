// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a value on the command line may be.
package enum ValueKind: Sendable, Equatable {
  /// Any text; what help calls it.
  case text(String)
  /// A file to read or write, or `-` where a command says so; what help calls it.
  case file(String)
  /// One of some names.
  case choice([String])
  /// A whole number in a range; what help calls it.
  case integer(String, ClosedRange<Int>)
  /// A number in a range; what help calls it.
  case number(String, ClosedRange<Double>)
  /// A span of time with its unit, such as `10s` or `1.5m`.
  case duration
  /// A distance with its unit in a range of metres, such as `1m` or `50cm`.
  case distance(ClosedRange<Double>)
  /// A number of bytes, such as `10M`.
  case size
  /// A number of bytes or a span of time, told apart by the unit.
  case sizeOrDuration
  /// An identity constraint.
  case constraint
  /// A region: a name, `=`, and an identity constraint.
  case region
  /// A setting: a key, `=`, and a value.
  case setting
  /// A speed of replay: `max`, or a factor such as `10x`.
  case speed
  /// A sink: one of some formats, `:`, and a file.
  case sink([String])

  /// What help writes for the value.
  package var placeholder: String {
    switch self {
    case .text(let name), .file(let name), .integer(let name, _), .number(let name, _): name
    case .choice(let names): Self.isLong(names) ? "NAME" : names.joined(separator: "|")
    case .duration: "TIME"
    case .distance: "DISTANCE"
    case .size: "SIZE"
    case .sizeOrDuration: "SIZE|TIME"
    case .constraint: "UUID[/MAJOR[/MINOR]]"
    case .region: "ID=UUID[/MAJOR[/MINOR]]"
    case .setting: "KEY=VALUE"
    case .speed: "max|1x|10x"
    case .sink: "FORMAT:FILE"
    }
  }

  /// The names to choose from where the placeholder does not say them; `nil` otherwise.
  var unsaidChoices: [String]? {
    if case .choice(let names) = self, Self.isLong(names) { names } else { nil }
  }

  /// Whether names side by side would not leave room on a line for the option they belong to.
  private static func isLong(_ names: [String]) -> Bool {
    let longest = 40
    return names.reduce(names.count) { $0 + $1.count } > longest
  }

  /// Whether a number may be meant, so that a value may begin with `-`.
  var takesNumbers: Bool {
    switch self {
    case .integer, .number: true
    default: false
    }
  }
}
