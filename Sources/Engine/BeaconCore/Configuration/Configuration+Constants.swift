// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration: ConfigurationSection {
  /// Every constant of the engine.
  package static let constants = engineConstants + authorizationConstants

  static let engineConstants: [SectionConstant<Configuration>] =
    timingConstants + trackConstants + filterConstants + bayesianConstants + distanceConstants
    + proximityConstants + regionConstants + intervalConstants

  private static let timingConstants: [SectionConstant<Configuration>] = [
    .seconds(
      "timing.gap",
      \.timing.gap,
      1...86_400,
      "a silent source is unknown time beyond this; live sources give a mark every 10 s"
    ),
    .seconds(
      "timing.disorder",
      \.timing.disorder,
      0...60,
      "how far a capture's records lie out of order: twice what sniffers buffer, below any exit time"
    ),
    .count(
      "timing.lookahead",
      \.timing.lookahead,
      unit: "records",
      1...100,
      "the records that decide by majority what a jump of a capture's clock is: one may be wrong too"
    ),
    .seconds(
      "timing.earliestPlausible",
      \.timing.earliestPlausible.sinceEpoch,
      0...253_402_300_799,
      "since 1970, in 2010: a capture that starts before Bluetooth 4.0 was made before the clock was set"
    ),
    .seconds(
      "timing.latestPlausible",
      \.timing.latestPlausible.sinceEpoch,
      0...253_402_300_799,
      "since 1970, in 2100: a capture that starts later has a wrong first stamp"
    ),
    .seconds(
      "timing.pause",
      \.timing.pause,
      0...86_400,
      "captures of another format that follow each other closer than this are one recording"
    ),
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

extension Timestamp {
  /// The time since the start of 1970.
  fileprivate var sinceEpoch: TimeSpan {
    get { self - Timestamp(microseconds: 0) }
    set { self = Timestamp(microseconds: 0) + newValue }
  }
}
