// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension ConfigurationSchema {
  /// The configuration constants of live receivers.
  public static let receivers = ConfigurationSchema(DeafnessConfiguration.constants)
}

extension DeafnessConfiguration: ConfigurationSection {
  /// Creates a profile's configuration, which is the same for all profiles.
  public init(_ profile: Profile) { self.init() }

  /// The constants of the section `deafness`.
  public static let constants: [SectionConstant<DeafnessConfiguration>] = [
    .count(
      "deafness.addresses",
      \.addresses,
      unit: "addresses",
      1...64,
      "heard beside any one family of beacons; with fewer, one person who leaves looks like it"
    ),
    .number(
      "deafness.likelihood",
      \.likelihood,
      unit: "1",
      1e-12...0.01,
      "how unlikely a silence is to be taken for the radio's: once in a year of minutes"
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
      "beyond the longest silence heard lately: some controllers are heard in bursts"
    ),
    .seconds(
      "deafness.memory",
      \.memory,
      2...600,
      "for how long what was heard counts; some reports of each slow device"
    ),
    .seconds(
      "deafness.restartPatience",
      \.restartPatience,
      1...600,
      "what a discovery begun anew may take to hear something, duplicates filtered or not"
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
      "what an adapter may take from being switched off and on to hearing something"
    ),
    .seconds(
      "deafness.again",
      \.again,
      10...86_400,
      "the wait before all is tried again; soon enough for a gallery, rare enough for a log"
    ),
  ]
}
