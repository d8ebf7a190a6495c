// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// The names that a monitor's conditions have as regions of the client.
///
/// A program's regions and conditions are regions of the same client. A control character in a condition's name keeps it
/// different from the names that people give to regions.
enum ConditionName {
  private static let separator = "\u{1F}"

  /// Returns the region of a condition of a monitor.
  static func region(_ condition: String, in monitor: String) -> RegionIdentifier {
    RegionIdentifier(monitor + separator + condition)
  }

  /// Whether a region is a monitor's condition.
  static func isCondition(_ region: RegionIdentifier) -> Bool {
    region.rawValue.contains(separator)
  }

  /// Returns a region's name, or that of a monitor's condition.
  static func shown(_ region: RegionIdentifier) -> String {
    region.rawValue.split(separator: separator).last.map(String.init) ?? region.rawValue
  }

  /// Returns a condition's name in a monitor; `nil` if the region is not one of the monitor's conditions.
  static func name(of region: RegionIdentifier, in monitor: String) -> String? {
    let prefix = monitor + separator
    guard region.rawValue.hasPrefix(prefix) else { return nil }
    return String(region.rawValue.dropFirst(prefix.count))
  }
}
