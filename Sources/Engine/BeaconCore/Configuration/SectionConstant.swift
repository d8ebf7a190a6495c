// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A constant with the place of its value in a section of the configuration.
package struct SectionConstant<Section: ConfigurationSection>: Sendable {
  /// The constant.
  package let constant: Constant
  let write: @Sendable (inout Section, Constant.Value) -> Void

  /// Creates a constant from functions that read and write its value; most constants are made from a key path.
  ///
  /// - Parameters:
  ///   - key: The name, as in `--set KEY=VALUE`: the section, a dot, the constant.
  ///   - kind: The kind of its value; `write` receives no other kind.
  ///   - reason: The reason for its default, in one sentence.
  ///   - read: Returns the value.
  ///   - write: Changes the value.
  package init(
    _ key: String,
    _ kind: Constant.Kind,
    _ reason: String,
    read: @escaping @Sendable (Section) -> Constant.Value,
    write: @escaping @Sendable (inout Section, Constant.Value) -> Void
  ) {
    constant = Constant(
      key: key,
      kind: kind,
      reason: reason,
      read: { settings, section in read(section as? Section ?? Section(settings)) }
    )
    self.write = write
  }
}

extension SectionConstant {
  /// A span of time.
  package static func seconds(
    _ key: String,
    _ path: any WritableKeyPath<Section, TimeSpan> & Sendable,
    _ bounds: ClosedRange<Double>,
    _ reason: String
  ) -> Self {
    Self(key, .seconds(bounds), reason) {
      .number($0[keyPath: path].seconds)
    } write: { section, value in
      if case .number(let number) = value { section[keyPath: path] = TimeSpan(seconds: number) }
    }
  }

  /// A number in a unit.
  package static func number(
    _ key: String,
    _ path: any WritableKeyPath<Section, Double> & Sendable,
    unit: String,
    _ bounds: ClosedRange<Double>,
    _ reason: String
  ) -> Self {
    Self(key, .number(unit: unit, bounds), reason) {
      .number($0[keyPath: path])
    } write: { section, value in
      if case .number(let number) = value { section[keyPath: path] = number }
    }
  }

  /// A number of a part that may be absent; without the part it reads as 0 and cannot be set.
  package static func number<Part: Sendable>(
    _ key: String,
    of part: any WritableKeyPath<Section, Part?> & Sendable,
    _ path: any WritableKeyPath<Part, Double> & Sendable,
    unit: String,
    _ bounds: ClosedRange<Double>,
    _ reason: String
  ) -> Self {
    Self(key, .number(unit: unit, bounds), reason) {
      .number($0[keyPath: part]?[keyPath: path] ?? 0)
    } write: { section, value in
      if case .number(let number) = value { section[keyPath: part]?[keyPath: path] = number }
    }
  }

  /// A whole number in a unit.
  package static func count(
    _ key: String,
    _ path: any WritableKeyPath<Section, Int> & Sendable,
    unit: String,
    _ bounds: ClosedRange<Int>,
    _ reason: String
  ) -> Self {
    Self(key, .count(unit: unit, bounds), reason) {
      .count($0[keyPath: path])
    } write: { section, value in
      if case .count(let count) = value { section[keyPath: path] = count }
    }
  }

  /// A whole number of a part that may be absent; without the part it reads as 0 and cannot be set.
  package static func count<Part: Sendable>(
    _ key: String,
    of part: any WritableKeyPath<Section, Part?> & Sendable,
    _ path: any WritableKeyPath<Part, Int> & Sendable,
    unit: String,
    _ bounds: ClosedRange<Int>,
    _ reason: String
  ) -> Self {
    Self(key, .count(unit: unit, bounds), reason) {
      .count($0[keyPath: part]?[keyPath: path] ?? 0)
    } write: { section, value in
      if case .count(let count) = value { section[keyPath: part]?[keyPath: path] = count }
    }
  }

  /// A switch.
  package static func flag(
    _ key: String,
    _ path: any WritableKeyPath<Section, Bool> & Sendable,
    _ reason: String
  ) -> Self {
    Self(key, .flag, reason) {
      .flag($0[keyPath: path])
    } write: { section, value in
      if case .flag(let flag) = value { section[keyPath: path] = flag }
    }
  }

  /// A choice between names.
  package static func choice(
    _ key: String,
    _ names: [String],
    _ reason: String,
    read: @escaping @Sendable (Section) -> String,
    write: @escaping @Sendable (inout Section, String) -> Void
  ) -> Self {
    Self(key, .choice(names), reason) {
      .choice(read($0))
    } write: { section, value in
      if case .choice(let name) = value { write(&section, name) }
    }
  }
}
