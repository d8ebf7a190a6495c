// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration: ConfigurationSection {
  /// Every constant of the engine.
  public static let constants = engineConstants + authorizationConstants

  static let engineConstants: [SectionConstant<Configuration>] =
    timingConstants + trackConstants + filterConstants + bayesianConstants + distanceConstants
    + proximityConstants + regionConstants + intervalConstants

  private static let timingConstants: [SectionConstant<Configuration>] = [
    .seconds(
      "timing.gap",
      \.timing.gap,
      1...86_400,
      "a silent source is unknown time beyond this; live sources give a mark every 10 s"
    )
  ]

  private static let trackConstants: [SectionConstant<Configuration>] = [
    .count(
      "tracks.limit",
      \.tracks.limit,
      unit: "tracks",
      1...1_000_000,
      "some 50 MB at the most, far beyond any museum; a bound against hostile senders"
    ),
    .seconds(
      "tracks.retention",
      \.tracks.retention,
      60...86_400,
      "longer than any exit time, so that a beacon that is back finds its learned interval"
    ),
  ]
}
