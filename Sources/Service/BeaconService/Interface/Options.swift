// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
package import DBus

/// The options of a call, `a{sv}`, read by name and type.
package struct ServiceOptions: Sendable {
  private var values: [String: DBusValue] = [:]

  /// Reads the argument.
  package init(_ argument: DBusValue?) {
    guard case .dictionary("sv", let entries)? = argument else { return }
    for entry in entries {
      guard let key = entry.key.text, case .variant(let value) = entry.value else { continue }
      values[key] = value
    }
  }

  /// Reads the argument of a call to the service.
  ///
  /// - Throws: ``ServiceError/unknownOption(_:)`` for an option that is not a known one: without it, the call would mean
  ///   something else.
  package init(_ argument: DBusValue?, only known: [String]) throws(ServiceError) {
    self.init(argument)
    let unknown = values.keys.filter { !known.contains($0) }.min()
    if let unknown { throw .unknownOption(unknown.shortened) }
  }

  /// Returns a text; `nil` if the option is not given.
  package func text(_ key: String) throws(ServiceError) -> String? {
    switch values[key] {
    case nil: return nil
    case .string(let text)?: return text
    default: throw .invalidOption
    }
  }

  /// Returns a Boolean; `nil` if the option is not given.
  package func boolean(_ key: String) throws(ServiceError) -> Bool? {
    switch values[key] {
    case nil: return nil
    case .boolean(let value)?: return value
    default: throw .invalidOption
    }
  }

  /// Returns a 64-bit number; `nil` if the option is not given.
  package func number(_ key: String) throws(ServiceError) -> UInt64? {
    switch values[key] {
    case nil: return nil
    case .uint64(let value)?: return value
    default: throw .invalidOption
    }
  }

  /// Reads an option, or all of them, by the description of a form.
  ///
  /// - Throws: ``ServiceError/refusedOption(_:)`` with the first fault.
  func read<Value>(
    _ key: String?,
    _ describe: (inout ObjectReader) -> Value?
  ) throws(ServiceError) -> Value {
    let all = DBusValue.properties(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    let value = key.map { values[$0] ?? .properties([:]) } ?? all
    let faults = FaultCollector()
    let reader = JSON5Reader(value.json, name: key ?? "the request", faults: faults)
    guard var object = reader.object(), let read = describe(&object) else {
      throw .refusedOption(faults.faults.first?.message ?? "an option has a wrong value")
    }
    object.finish()
    if let fault = faults.faults.first { throw .refusedOption(fault.message) }
    return read
  }

  /// Returns texts by their names; none if the option is not given.
  package func texts(_ key: String) throws(ServiceError) -> [(key: String, text: String)] {
    guard let value = values[key] else { return [] }
    guard case .dictionary("ss", let entries) = value else { throw .invalidOption }
    return entries.compactMap { entry in
      guard let key = entry.key.text, let text = entry.value.text else { return nil }
      return (key, text)
    }
  }

  /// The names of a constraint's parts.
  package static let constraintNames = ["uuid", "major", "minor"]

  /// Returns the constraint: `uuid` as text, `major` and `minor` as 16-bit numbers.
  package func constraint() throws(ServiceError) -> IdentityConstraint {
    guard case .string(let uuid)? = values["uuid"] else { throw .invalidConstraint }
    var text = uuid
    for key in ["major", "minor"] {
      switch values[key] {
      case nil:
        if key == "major", values["minor"] != nil { throw .invalidConstraint }
      case .uint16(let number)?: text += "/\(number)"
      default: throw .invalidConstraint
      }
    }
    // Other forms of identities are for a person to write.
    guard UUIDText.parse(uuid) != nil,
      let parsed = try? IdentityConstraint(parsing: text)
    else { throw .invalidConstraint }
    return parsed
  }
}

extension IdentityConstraint {
  /// The constraint as the service's interface has it, `a{sv}`.
  package var wireValue: DBusValue {
    var entries = [("uuid", DBusValue.string(UUIDText.string(uuid)))]
    if let major { entries.append(("major", .uint16(major))) }
    if let minor { entries.append(("minor", .uint16(minor))) }
    return .dictionary(
      of: "sv",
      entries.map { DBusEntry(key: .string($0.0), value: .variant($0.1)) }
    )
  }
}
