// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One case of an enum: its name, and the keys of its values.
package struct FormCase<Root>: Sendable {
  /// The name of the case.
  package let name: String
  /// Reads the case's values; returns `nil` after it added a fault.
  let read: @Sendable (inout Form) -> Root?
  /// Writes the values if a value is of this case.
  let write: @Sendable (Root, inout Form) -> Void
  /// Whether a value is of this case.
  let matches: @Sendable (Root) -> Bool

  /// Describes a case with values.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - make: Makes a value of the case.
  ///   - keys: The keys of the case's values; an empty one is an object whose keys stand among the others.
  ///   - values: Returns the case's values; `nil` for another case.
  package init<each Value: Formed>(
    _ name: String,
    _ make: @escaping @Sendable (repeat each Value) -> Root,
    _ keys: String...,
    of values: @escaping @Sendable (Root) -> (repeat each Value)?
  ) {
    self.name = name
    read = { form in
      var next = keys.makeIterator()
      let found = (repeat form.value(next.next() ?? "") as (each Value)?)
      return try? make(repeat Self.unwrap(each found))
    }
    write = { root, form in
      guard let values = values(root) else { return }
      var next = keys.makeIterator()
      repeat form.write(next.next() ?? "", each values, isNullWritten: true)
    }
    matches = { values($0) != nil }
  }

  private init(
    name: String,
    read: @escaping @Sendable (inout Form) -> Root?,
    write: @escaping @Sendable (Root, inout Form) -> Void,
    matches: @escaping @Sendable (Root) -> Bool
  ) {
    self.name = name
    self.read = read
    self.write = write
    self.matches = matches
  }

  /// This case as one of an enum that holds a value of this one.
  package func within<Outer>(
    _ make: @escaping @Sendable (Root) -> Outer,
    of value: @escaping @Sendable (Outer) -> Root?
  ) -> FormCase<Outer> {
    FormCase<Outer>(
      name: name,
      read: { read(&$0).map(make) },
      write: { outer, form in if let root = value(outer) { write(root, &form) } },
      matches: { value($0).map(matches) ?? false }
    )
  }

  private struct Missing: Error {}

  private static func unwrap<Value>(_ value: Value?) throws(Missing) -> Value {
    guard let value else { throw Missing() }
    return value
  }
}

extension FormCase where Root: Equatable & Sendable {
  /// Describes a case without values.
  package init(_ name: String, _ value: Root) {
    self.name = name
    read = { _ in value }
    write = { _, _ in }
    matches = { $0 == value }
  }
}

/// An enum whose form is the name of a case and the case's keys.
package protocol FormedCases: Formed {
  /// The key of the case's name.
  static var caseKey: String { get }
  /// The cases.
  static var cases: [FormCase<Self>] { get }
}

extension FormedCases {
  /// The name of this value's case; `nil` if it has no form.
  package var caseName: String? { Self.cases.first { $0.matches(self) }?.name }

  /// Reads the values of a case.
  package static func read(_ name: String, from form: inout Form) -> Self? {
    cases.first { $0.name == name }?.read(&form)
  }

  /// Writes the values of this value's case.
  package func writeValues(into form: inout Form) {
    Self.cases.first { $0.matches(self) }?.write(self, &form)
  }

  package static func read(from form: inout Form) -> Self? {
    guard let name = form.object?.required(caseKey)?.choice(cases.map(\.name)) else { return nil }
    return read(name, from: &form)
  }

  package func write(into form: inout Form) {
    guard let caseName else { return }
    form.constant(Self.caseKey, .text(caseName))
    writeValues(into: &form)
  }
}
