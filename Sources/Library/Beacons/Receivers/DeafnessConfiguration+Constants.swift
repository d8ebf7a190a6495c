// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension ConfigurationSchema {
  /// The configuration constants of live receivers.
  package static let receivers = ConfigurationSchema(DeafnessConfiguration.constants)
}

extension DeafnessConfiguration: ConfigurationSection {
  /// Creates a profile's configuration, which is the same for all profiles.
  public init(_ profile: Profile) { self.init() }

  /// The constants of the section `deafness`.
  package static let constants: [SectionConstant<DeafnessConfiguration>] = [
    .count(
      "deafness.addresses",
      \.addresses,
      unit: "addresses",
      1...64,
      "received besides those of any one UUID; with fewer, one person who leaves looks like deafness"
    ),
    .number(
      "deafness.likelihood",
      \.likelihood,
      unit: "1",
      1e-12...0.01,
      "how unlikely a silence must be to count as deafness: once in a year of minutes"
    ),
    .number(
      "deafness.departure",
      \.departure,
      unit: "1",
      1e-6...0.5,
      "how likely one transmitter falls silent by itself; at 0.01 it takes three for one in 10⁶"
    ),
    .seconds(
      "deafness.shortestSilence",
      \.shortestSilence,
      0.1...60,
      "longer than a scan's pauses, shorter than the shortest learned exit"
    ),
    .number(
      "deafness.habit",
      \.interval,
      unit: "times",
      1...100,
      "beyond the longest recent silence: some controllers report in bursts"
    ),
    .seconds(
      "deafness.memory",
      \.memory,
      2...600,
      "how long received reports count; long enough for several of a slow device"
    ),
    .seconds(
      "deafness.restartPatience",
      \.restartPatience,
      1...600,
      "how long a restarted discovery may take to receive something, with duplicates filtered or not"
    ),
    .flag(
      "deafness.powerCycles",
      \.powerCycles,
      "whether a deaf adapter may be switched off and on, which ends every program's connections"
    ),
    .seconds(
      "deafness.powerCyclePatience",
      \.powerCyclePatience,
      1...600,
      "how long an adapter may take to receive something after it was switched off and on"
    ),
    .seconds(
      "deafness.again",
      \.again,
      10...86_400,
      "the wait before everything is tried again: soon enough for a gallery, rare enough for a log"
    ),
  ]
}
