// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration {
  /// Every constant there is, ordered by room.
  public static let constants: [Constant] =
    timingConstants + trackConstants + filterConstants + bayesianConstants + distanceConstants
    + proximityConstants + regionConstants + deafnessConstants + authorizationConstants
    + guideConstants

  /// Returns the constant of a name.
  public static func constant(named key: String) -> Constant? {
    constants.first { $0.key == key }
  }

  private static let timingConstants: [Constant] = [
    .seconds(
      "timing.gap",
      \.timing.gap,
      1...86_400,
      "a silent source is unknown time beyond this; live sources give a mark every 10 s"
    )
  ]

  private static let trackConstants: [Constant] = [
    .count(
      "tracks.limit",
      \.tracks.limit,
      unit: "tracks",
      1...1_000_000,
      "some 50 MB at the most, far beyond any museum; hostile air meets this bound"
    ),
    .seconds(
      "tracks.retention",
      \.tracks.retention,
      60...86_400,
      "longer than any exit time, so that a beacon that is back finds its learned interval"
    ),
  ]
}
