// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a value on the command line may be, and how its text becomes a value of a type.
package struct ValueKind<Value: Sendable>: Sendable {
  /// What help, completions and messages need to know of it.
  package let form: ValueForm
  /// Reads a value; throws ValueFault saying what would be right.
  package let read: @Sendable (String) throws(ValueFault) -> Value

  /// Creates a kind.
  ///
  /// - Parameters:
  ///   - placeholder: What help writes for the value.
  ///   - completion: What a shell offers.
  ///   - takesNumbers: Whether a number may be meant, so that a value may begin with `-`.
  ///   - isInput: Whether it is a file that the command reads.
  ///   - read: Reads a value.
  package init(
    _ placeholder: String,
    completion: ValueCompletion = .nothing,
    takesNumbers: Bool = false,
    isInput: Bool = false,
    read: @escaping @Sendable (String) throws(ValueFault) -> Value
  ) {
    self.init(
      ValueForm(
        placeholder: placeholder,
        completion: completion,
        takesNumbers: takesNumbers,
        isInput: isInput,
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

/// What is known of a kind of values without its type.
package struct ValueForm: Sendable {
  /// What help writes for the value.
  package let placeholder: String
  /// What a shell offers.
  package let completion: ValueCompletion
  /// Whether a number may be meant, so that a value may begin with `-`.
  package let takesNumbers: Bool
  /// Whether it is a file that the command reads, which no output may be.
  package let isInput: Bool
  /// The names to choose from where the placeholder does not list them; `nil` otherwise.
  let unlistedChoices: [String]?
}

/// What a shell offers for a value.
package enum ValueCompletion: Sendable, Equatable {
  /// Nothing: the value is free.
  case nothing
  /// The files there are.
  case files
  /// Some names.
  case names([String])
}

/// Why a text is not a value of its kind, and what would be right.
package enum ValueFault: Error, Equatable {
  /// What is wrong, in words.
  case wrong(String)
  /// A name that is none of those known.
  case unknown(String, known: [String])
}

// MARK: Kinds

extension ValueKind where Value == String {
  /// Any text; what help calls it.
  package static func text(_ placeholder: String) -> ValueKind {
    ValueKind(placeholder) { $0 }
  }

  /// A file to read, or `-` where a command says so; what help calls it.
  package static func file(_ placeholder: String) -> ValueKind {
    ValueKind(placeholder, completion: .files, isInput: true) { text throws(ValueFault) in
      guard !text.isEmpty else { throw .wrong("\(placeholder) is empty; name a file") }
      return text
    }
  }
}

extension ValueKind where Value == Int {
  /// A whole number in a range; what help calls it.
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
  /// A number in a range; what help calls it.
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
    // Longer names side by side would not leave room on a line for the option they belong to.
    let longest = 40
    let isLong = names.reduce(names.count) { $0 + $1.count } > longest
    let form = ValueForm(
      placeholder: isLong ? "NAME" : names.joined(separator: "|"),
      completion: .names(names),
      takesNumbers: false,
      isInput: false,
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

/// A kind of values of any type, as the parser reads them.
package struct AnyValueKind: Sendable {
  /// What help, completions and messages need to know of it.
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
