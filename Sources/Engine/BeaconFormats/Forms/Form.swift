// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The keys of one object, while it is read or written.
///
/// A type describes its form once, key by key in the order of the file, and the description works in both directions:
///
///     extension Manifest: FormedObject {
///       static let blank = Manifest()
///       mutating func form(_ form: inout Form) {
///         form("whenInUse", &whenInUse)
///         form.optional("appClip", &appClip)
///       }
///     }
///
/// While reading, a key's value goes into the variable, and a wrong one is a fault of the file, with line and
/// column. While writing, the variable's value goes into ``fields``.
package struct Form {
  /// The object that is read; `nil` while writing.
  package internal(set) var object: ObjectReader?
  /// The written bytes, in order.
  package private(set) var fields: [FormField] = []
  /// How values are written.
  package let context: FormContext
  private var known: Set<String> = []

  /// Reads an object.
  package init(reading object: ObjectReader) {
    self.object = object
    context = FormContext()
  }

  /// Writes an object.
  package init(writing context: FormContext = FormContext()) { self.context = context }

  /// Whether values are read; otherwise they are written.
  package var isReading: Bool { object != nil }

  /// A value with a key: it may be missing if it is optional, and is then left out.
  package mutating func callAsFunction<Value: Formed>(_ key: String, _ value: inout Value) {
    if isReading {
      if let read: Value = self.value(key) { value = read }
    } else {
      write(key, value, isNullWritten: false)
    }
  }

  /// A value that stays as it is if the key is missing.
  package mutating func optional<Value: Formed>(_ key: String, _ value: inout Value) {
    guard isReading else { return write(key, value, isNullWritten: false) }
    if let reader = object?.optional(key), let read = Value.read(reader) { value = read }
  }

  /// A value that is written as `null` if it is missing.
  package mutating func nullable<Value: Formed>(_ key: String, _ value: inout Value?) {
    if isReading { self(key, &value) } else { write(key, value, isNullWritten: true) }
  }

  /// A number with bounds that hold in a file that a user wrote.
  package mutating func callAsFunction<Value: FormedNumber>(
    _ key: String,
    _ value: inout Value?,
    in bounds: ClosedRange<Double>
  ) {
    guard isReading else { return write(key, value, isNullWritten: false) }
    guard let reader = object?.optional(key) else { return }
    value = reader.faults.isStrict ? Value.read(reader, in: bounds) : Value.read(reader)
  }

  /// Values whose keys are names that a user chose; of equal names, the first counts.
  package mutating func entries<Value: Formed>(
    _ key: String,
    _ entries: inout [(key: String, value: Value)]
  ) {
    if isReading {
      guard var object = object?.optional(key)?.object() else { return }
      entries = object.entries().compactMap { entry in
        Value.read(entry.value).map { (entry.key, $0) }
      }
    } else {
      var names: Set<String> = []
      let first = entries.filter { names.insert($0.key).inserted }
      noteKnown(key)
      guard !first.isEmpty else { return }
      let fields = first.map { FormField($0.key, $0.value.written(context.keeping(nil))) }
      self.fields.append(FormField(key, .object(fields)))
    }
  }

  /// An object within this one without its own type; `isPresent` decides whether it is written.
  package mutating func object(
    _ key: String,
    if isPresent: Bool,
    _ describe: (inout Form) -> Void
  ) {
    if isReading {
      guard let object = object?.optional(key)?.object() else { return }
      var form = Form(reading: object)
      describe(&form)
      form.object?.finish()
    } else {
      noteKnown(key)
      guard isPresent else { return }
      var form = Form(writing: context.keeping(context.old?[key]))
      describe(&form)
      fields.append(FormField(key, .object(form.finished())))
    }
  }

  /// Adds a fault at the object, or at a key of it.
  package mutating func addFault(_ message: String, at key: String? = nil) {
    if let key, let reader = object?.optional(key) { return reader.addFault(message) }
    object?.addFault(message)
  }

  /// Whether the object that is read has a key.
  package mutating func has(_ key: String) -> Bool { object?.optional(key) != nil }

  /// Reads a value, or an object's keys from among the others if the key is empty.
  mutating func value<Value: Formed>(_ key: String) -> Value? {
    if key.isEmpty { return Value.read(from: &self) }
    if let missing = Value.missing { return object?.optional(key).map(Value.read) ?? missing }
    return object?.required(key).flatMap(Value.read)
  }

  /// Writes a value, or an object's keys among the others if the key is empty.
  mutating func write(_ key: String, _ value: some Formed, isNullWritten: Bool) {
    if key.isEmpty { return value.write(into: &self) }
    noteKnown(key)
    let written = value.written(context.keeping(context.old?[key]))
    if written != .null || isNullWritten { fields.append(FormField(key, written)) }
  }

  /// Notes a key of the form: only the others are kept of an object that is replaced.
  private mutating func noteKnown(_ key: String) {
    if context.old != nil { known.insert(key) }
  }

  /// Adds a field that has only one value.
  package mutating func constant(_ key: String, _ value: FormValue) {
    if isReading { _ = has(key) } else { fields.append(FormField(key, value)) }
    noteKnown(key)
  }

  /// The written bytes, with the unknown keys of the object that it replaces.
  package func finished() -> [FormField] {
    guard case .object(let old)? = context.old?.content else { return fields }
    return fields
      + old.filter { !known.contains($0.key) }.map { FormField($0.key, FormValue($0.value)) }
  }
}

/// How the values of a form are written.
package struct FormContext: Sendable {
  /// The value that is replaced: of its keys, those that the form does not know are kept.
  package var old: JSON5Value?
  /// Whether fractions have two decimals, as in the lines of events; otherwise they are exact.
  package var roundsFractions: Bool

  package init(keeping old: JSON5Value? = nil, roundsFractions: Bool = false) {
    self.old = old
    self.roundsFractions = roundsFractions
  }

  /// The context of the lines of events.
  package static let line = FormContext(roundsFractions: true)

  /// The context of a value within this one that replaces another value.
  func keeping(_ old: JSON5Value?) -> FormContext {
    FormContext(keeping: old, roundsFractions: roundsFractions)
  }
}

/// A type whose values are read and written by one description.
package protocol Formed: SendableMetatype {
  /// Reads a value; returns `nil` after it added a fault.
  static func read(_ reader: JSON5Reader) -> Self?
  /// The value as it is written.
  func written(_ context: FormContext) -> FormValue
  /// The value of a missing key; `nil` if the key must be there.
  static var missing: Self? { get }
  /// The text by which an element of a list is found again in the list that it replaces; `nil` if it is not.
  var formIdentity: String? { get }
  /// Reads an object's keys from among others.
  static func read(from form: inout Form) -> Self?
  /// Writes an object's keys among others.
  func write(into form: inout Form)
}

extension Formed {
  package static var missing: Self? { nil }
  package var formIdentity: String? { nil }
  package static func read(from form: inout Form) -> Self? { nil }
  package func write(into form: inout Form) {}

  package static func read(_ reader: JSON5Reader) -> Self? {
    guard let object = reader.object() else { return nil }
    var form = Form(reading: object)
    let value = read(from: &form)
    form.object?.finish()
    return value
  }

  package func written(_ context: FormContext) -> FormValue {
    .object(fields(context))
  }

  /// The keys as they are written, with the unknown keys of the object that is replaced.
  package func fields(_ context: FormContext = FormContext()) -> [FormField] {
    var form = Form(writing: context)
    write(into: &form)
    return form.finished()
  }

  /// Reads a whole value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: Its name in messages.
  ///   - isStrict: Whether unknown keys and numbers out of bounds are faults, as in a file that a user wrote.
  /// - Returns: The value.
  /// - Throws: ``JSON5Faults`` with every fault.
  package static func read(
    _ value: JSON5Value,
    named name: String,
    isStrict: Bool = false
  ) throws(JSON5Faults) -> Self {
    try read(value, name, FaultCollector(isStrict: isStrict))
  }

  /// Reads a file.
  ///
  /// - Throws: ``JSON5Faults`` with every fault.
  package static func read(
    _ bytes: [UInt8],
    named name: String,
    isStrict: Bool = true
  ) throws(JSON5Faults) -> Self {
    let faults = FaultCollector(isStrict: isStrict)
    return try read(try JSON5.parse(bytes, faults: faults), name, faults)
  }

  private static func read(
    _ value: JSON5Value,
    _ name: String,
    _ faults: FaultCollector
  ) throws(JSON5Faults) -> Self {
    let reader = JSON5Reader(value, name: name, faults: faults)
    let read = Self.read(reader)
    // Without a fault there is a value.
    if read == nil, faults.faults.isEmpty { reader.addFault("\(name) has no value") }
    try faults.throwIfAny()
    guard let read else { throw JSON5Faults(faults.faults) }
    return read
  }
}

/// A type whose form is an object.
package protocol FormedObject: Formed {
  /// The value before its keys are read.
  static var blank: Self { get }
  /// Describes the keys.
  mutating func form(_ form: inout Form)
}

extension FormedObject {
  package static func read(from form: inout Form) -> Self? {
    var value = blank
    value.form(&form)
    return value
  }

  package func write(into form: inout Form) {
    var value = self
    value.form(&form)
  }
}

extension ObjectReader {
  /// Reads keys by the description of a form.
  package mutating func form<Result>(_ describe: (inout Form) -> Result) -> Result {
    var form = Form(reading: self)
    defer { self = form.object ?? self }
    return describe(&form)
  }
}
