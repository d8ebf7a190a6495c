// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A kind of value on the command line: which texts are valid, and how a text becomes a value of a type.
package struct ValueKind<Value: Sendable>: Sendable {
  /// The properties for help, completions and messages.
  package let form: ValueForm
  /// Reads a value; throws ``ValueFault`` with what would be right.
  package let read: @Sendable (String) throws(ValueFault) -> Value

  /// Creates a kind.
  ///
  /// - Parameters:
  ///   - placeholder: The text for the value in help.
  ///   - completion: A shell's suggestions.
  ///   - takesNumbers: Whether a number is valid, so that a value may start with `-`.
  ///   - isInput: Whether the value is a file that the command reads.
  ///   - nameInside: Returns the part of a value that may be a name, which is looked up after parsing.
  ///   - read: Reads a value.
  package init(
    _ placeholder: String,
    completion: ValueCompletion = .nothing,
    takesNumbers: Bool = false,
    isInput: Bool = false,
    nameInside: @escaping @Sendable (String) -> Substring? = { _ in nil },
    read: @escaping @Sendable (String) throws(ValueFault) -> Value
  ) {
    self.init(
      ValueForm(
        placeholder: placeholder,
        completion: completion,
        takesNumbers: takesNumbers,
        isInput: isInput,
        nameInside: nameInside,
        unlistedChoices: nil
      ),
      read: read
    )
  }

  private init(
    _ form: ValueForm,
    read: @escaping @Sendable (String) throws(ValueFault) -> Value
  ) {
    self.form = form
    self.read = read
  }
}

/// The properties of a kind of value that do not depend on its type.
package struct ValueForm: Sendable {
  /// The text for the value in help.
  package let placeholder: String
  /// A shell's suggestions.
  package let completion: ValueCompletion
  /// Whether a number is valid, so that a value may start with `-`.
  package let takesNumbers: Bool
  /// Whether the value is a file that the command reads.
  ///
  /// Such a file may not be an output.
  package let isInput: Bool
  /// Returns the part of a value that may be a name; `nil` for a value without one.
  let nameInside: @Sendable (String) -> Substring?
  /// The names to choose from if the placeholder does not list them; `nil` otherwise.
  let unlistedChoices: [String]?
}

/// A shell's suggestions for a value.
package enum ValueCompletion: Sendable, Equatable {
  /// Nothing: the value is free.
  case nothing
  /// Existing files.
  case files
  /// Some names.
  case names([String])
  /// The lines that a shell command prints, each a word, with a text behind each, such as `=`.
  ///
  /// They may come from a file of another author: no shell expands them. Its messages are not shown.
  case output(of: String, suffix: String)
  /// Some names, each with a colon and an existing file after it.
  case filesAfter([String])
}

/// The reason why text is not a value of its kind, and what would be right.
package enum ValueFault: Error, Equatable {
  /// A description of the fault.
  case wrong(String)
  /// A name that is not one of the known names.
  case unknown(String, known: [String])
}

// MARK: Kinds

extension ValueKind where Value == String {
  /// Any text; the parameter is its placeholder in help.
  package static func text(_ placeholder: String) -> ValueKind {
    ValueKind(placeholder) { $0 }
  }

  /// A file to read, or `-` for commands that accept it; the parameter is its placeholder in help.
  package static func file(_ placeholder: String) -> ValueKind {
    ValueKind(placeholder, completion: .files, isInput: true) { text throws(ValueFault) in
      guard !text.isEmpty else { throw .wrong("\(placeholder) is empty; name a file") }
      return text
    }
  }
}

extension ValueKind where Value == Int {
  /// A whole number in a range.
  package static func integer(_ placeholder: String, _ range: ClosedRange<Int>) -> ValueKind {
    ValueKind(placeholder, takesNumbers: true) { text throws(ValueFault) in
      guard let value = NumberText.integer(text), range.contains(value) else {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        throw .wrong("\(quoted(text)) is not a whole number from \(bounds)")
      }
      return value
    }
  }

  /// A number of bytes, such as `10M`; K, M and G are powers of 1024.
  package static var size: ValueKind {
    ValueKind("SIZE") { text throws(ValueFault) in
      guard let bytes = NumberText.bytes(text) else {
        throw .wrong(
          "\(quoted(text)) is not a size; write bytes, or a number and K, M or G, such as 10M"
        )
      }
      return bytes
    }
  }
}

extension ValueKind where Value == Double {
  /// A number in a range.
  package static func number(_ placeholder: String, _ range: ClosedRange<Double>) -> ValueKind {
    ValueKind(placeholder, takesNumbers: true) { text throws(ValueFault) in
      guard let value = NumberText.decimal(text), range.contains(value) else {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        throw .wrong("\(quoted(text)) is not a number from \(bounds)")
      }
      return value
    }
  }
}

extension ValueKind where Value: RawRepresentable, Value.RawValue == String {
  /// One of the cases of a type, by its raw value.
  package static func choice(of type: Value.Type) -> ValueKind where Value: CaseIterable {
    choice(among: Array(type.allCases))
  }

  /// One of some cases of a type, by its raw value.
  package static func choice(among cases: [Value]) -> ValueKind {
    let names = cases.map(\.rawValue)
    // A longer list of names would leave no room on the line for its option.
    let longest = 40
    let isLong = names.reduce(names.count) { $0 + $1.count } > longest
    let form = ValueForm(
      placeholder: isLong ? "NAME" : names.joined(separator: "|"),
      completion: .names(names),
      takesNumbers: false,
      isInput: false,
      nameInside: { _ in nil },
      unlistedChoices: isLong ? names : nil
    )
    return ValueKind(form) { text throws(ValueFault) in
      guard let choice = cases.first(where: { $0.rawValue == text }) else {
        throw .unknown(text, known: names)
      }
      return choice
    }
  }
}

// MARK: Without their types

/// A kind of value without its type, for the parser.
package struct AnyValueKind: Sendable {
  /// The properties for help, completions and messages.
  package let form: ValueForm
  /// The type of the values.
  package let type: ObjectIdentifier
  let read: @Sendable (String) throws(ValueFault) -> any Sendable

  init<Value>(_ kind: ValueKind<Value>) {
    form = kind.form
    type = ObjectIdentifier(Value.self)
    read = { text throws(ValueFault) in try kind.read(text) }
  }
}
