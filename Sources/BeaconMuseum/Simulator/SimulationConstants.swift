// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The simulator's numbers, each with its unit and where it comes from.
package struct SimulationConstants: Sendable {
  /// One number.
  package struct Entry: Sendable {
    /// Its place in the file, such as `link.powerAtOneMeter`.
    package var key: String
    /// The number.
    package var value: Double
    /// Its unit; empty for a plain number.
    package var unit: String
    /// Where it comes from.
    package var source: String
  }

  /// A number that the file does not have.
  package struct Missing: Error, CustomStringConvertible {
    let key: String
    package var description: String { "the simulator's constants have no '\(key)'" }
  }

  /// All numbers in the order of the file.
  package private(set) var entries: [Entry] = []

  /// Reads the constants that come with the module.
  package init() throws {
    try self.init(parsing: Self.text)
  }

  /// Reads constants.
  ///
  /// - Throws: Every fault of the file at once.
  package init(parsing text: String) throws {
    let value = try JSON5.parse(text)
    let faults = FaultCollector()
    if var groups = JSON5Reader(value, name: "the constants", faults: faults).object() {
      for (group, _, reader) in groups.entries() {
        guard var members = reader.object() else { continue }
        for (key, _, member) in members.entries() {
          guard var entry = member.object() else { continue }
          let number = entry.required("value")?.number()
          let unit = entry.optional("unit")?.string() ?? ""
          let source = entry.required("source")?.nonEmptyString()
          entry.finish()
          guard let number, let source else { continue }
          entries.append(
            Entry(key: "\(group).\(key)", value: number, unit: unit, source: source)
          )
        }
      }
    }
    try faults.throwIfAny()
  }

  /// Returns a number.
  package func number(_ key: String) throws(Missing) -> Double {
    guard let entry = entries.first(where: { $0.key == key }) else { throw Missing(key: key) }
    return entry.value
  }
}
