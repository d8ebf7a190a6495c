// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Constant {
  /// A span of time.
  static func seconds(
    _ key: String,
    _ path: any WritableKeyPath<Configuration, TimeSpan> & Sendable,
    _ bounds: ClosedRange<Double>,
    _ reason: String
  ) -> Constant {
    Constant(
      key: key,
      kind: .seconds(bounds),
      reason: reason,
      read: { .number($0[keyPath: path].seconds) },
      write: { configuration, value in
        if case .number(let number) = value {
          configuration[keyPath: path] = TimeSpan(seconds: number)
        }
      }
    )
  }

  /// A number in a unit.
  static func number(
    _ key: String,
    _ path: any WritableKeyPath<Configuration, Double> & Sendable,
    unit: String,
    _ bounds: ClosedRange<Double>,
    _ reason: String
  ) -> Constant {
    Constant(
      key: key,
      kind: .number(unit: unit, bounds),
      reason: reason,
      read: { .number($0[keyPath: path]) },
      write: { configuration, value in
        if case .number(let number) = value { configuration[keyPath: path] = number }
      }
    )
  }

  /// A whole number in a unit.
  static func count(
    _ key: String,
    _ path: any WritableKeyPath<Configuration, Int> & Sendable,
    unit: String,
    _ bounds: ClosedRange<Int>,
    _ reason: String
  ) -> Constant {
    Constant(
      key: key,
      kind: .count(unit: unit, bounds),
      reason: reason,
      read: { .count($0[keyPath: path]) },
      write: { configuration, value in
        if case .count(let count) = value { configuration[keyPath: path] = count }
      }
    )
  }

  /// A switch.
  static func flag(
    _ key: String,
    _ path: any WritableKeyPath<Configuration, Bool> & Sendable,
    _ reason: String
  ) -> Constant {
    Constant(
      key: key,
      kind: .flag,
      reason: reason,
      read: { .flag($0[keyPath: path]) },
      write: { configuration, value in
        if case .flag(let flag) = value { configuration[keyPath: path] = flag }
      }
    )
  }

  /// A choice of names.
  static func choice(
    _ key: String,
    _ names: [String],
    _ reason: String,
    read: @escaping @Sendable (Configuration) -> String,
    write: @escaping @Sendable (inout Configuration, String) -> Void
  ) -> Constant {
    Constant(
      key: key,
      kind: .choice(names),
      reason: reason,
      read: { .choice(read($0)) },
      write: { configuration, value in
        if case .choice(let name) = value { write(&configuration, name) }
      }
    )
  }
}
