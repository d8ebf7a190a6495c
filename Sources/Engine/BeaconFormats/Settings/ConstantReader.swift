// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads the object `set` of a file: constants by their keys.
package enum ConstantReader {
  /// Reads every setting of an object, in the order of the file; the fault goes to the reader's faults.
  package static func read(
    _ reader: JSON5Reader,
    _ schema: ConfigurationSchema
  ) -> [ConfigurationSetting] {
    guard var set = reader.object() else { return [] }
    var settings: [ConfigurationSetting] = []
    for (key, _, value) in set.entries() {
      guard let constant = schema.constant(named: key) else {
        let near = NearestName.find(key, in: schema.constants.map(\.key))
        value.addFault(
          "no constant is named '\(key)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
        )
        continue
      }
      guard let read = Self.value(value, for: constant) else { continue }
      do throws(ConstantError) {
        settings.append(try constant.setting(read))
      } catch {
        value.addFault("\(error)")
      }
    }
    return settings
  }

  private static func value(_ reader: JSON5Reader, for constant: Constant) -> Constant.Value? {
    switch constant.kind {
    case .seconds, .number: reader.number().map(Constant.Value.number)
    case .count: reader.integer().map(Constant.Value.count)
    case .flag: reader.bool().map(Constant.Value.flag)
    case .choice(let names): reader.choice(names).map(Constant.Value.choice)
    }
  }
}
