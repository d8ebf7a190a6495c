// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// How much history is kept; whole months are removed, the oldest first.
package struct HistoryLimits: Sendable, Equatable, ConfigurationSection {
  /// For how long a month is kept after its end.
  ///
  /// Thirteen months: a year can be compared with the one before. Location history is kept longer only if configured.
  package var age = TimeSpan.seconds(400 * 86_400)
  /// How many megabytes are kept.
  ///
  /// A year of 40 beacons is less; a card of 16 GB keeps room for everything else.
  package var megabytes = 1000

  package init() {}

  package init(_ profile: Profile) { self.init() }

  /// How many bytes are kept.
  var bytes: Int { megabytes * 1_000_000 }

  /// The constants of the section `history`.
  package static let constants: [SectionConstant<HistoryLimits>] = [
    .seconds(
      "history.age",
      \.age,
      86_400...100_000_000,
      "a month is removed so long after its end; thirteen months let a year be compared with the one before"
    ),
    .count(
      "history.size",
      \.megabytes,
      unit: "MB",
      1...1_000_000,
      "the oldest months are removed beyond this; a year of 40 beacons is less"
    ),
  ]
}

extension ConfigurationSchema {
  /// The constants of the history.
  package static let history = ConfigurationSchema(HistoryLimits.constants)
}
