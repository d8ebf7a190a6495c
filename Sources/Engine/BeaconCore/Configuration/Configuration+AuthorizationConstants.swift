// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration {
  static let authorizationConstants: [SectionConstant<Configuration>] = [
    .seconds(
      "inUse.grace",
      \.authorization.timing.grace,
      0...3600,
      "Apple says a few seconds: a glance at a notification does not lose Allow Once"
    ),
    .seconds(
      "inUse.wake",
      \.authorization.timing.wake,
      0...3600,
      "how long iOS 12 lets a client range that a region woke: the ten seconds Apple gives it to act"
    ),
    .seconds(
      "authorization.staleAge",
      \.authorization.timing.staleAge,
      0...86_400,
      "a held event is delivered if answered soon: after five minutes a visitor has left the room"
    ),
    .seconds(
      "authorization.quiet",
      \.authorization.timing.quiet,
      0...86_400,
      "the second prompt for Always comes so long after its event: the user has finished the interrupted work"
    ),
    .seconds(
      "indicator.solid",
      \.authorization.timing.solid,
      0...3600,
      "outlasts a glance, and still shows single deliveries separately"
    ),
    .seconds(
      "appClip.morning",
      \.authorization.timing.morning,
      0...86_399,
      "from local midnight: at four every evening is over"
    ),
  ]
}
