// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension ConfigurationSchema {
  /// The settings of a museum guide.
  package static let guide = ConfigurationSchema(GuideConfiguration.constants)
}

extension GuideConfiguration: ConfigurationSection {
  /// Creates a profile's configuration; it is the same for all profiles.
  public init(_ profile: Profile) { self.init() }

  /// The constants of the guide.
  package static let constants: [SectionConstant<GuideConfiguration>] = [
    .number(
      "guide.reach",
      \.reach,
      unit: "m",
      0.5...20,
      "an arm's length from the exhibit, and as much for visitors in front"
    ),
    .seconds(
      "guide.dwell",
      \.dwell,
      0...60,
      "two seconds of ranging in a row, so that one reflection shows nothing"
    ),
    .number(
      "guide.sureness",
      \.confidence,
      unit: "",
      0.1...0.99,
      "more than an even chance, or nothing is shown"
    ),
    .number(
      "guide.margin",
      \.margin,
      unit: "",
      1...100,
      "between two exhibits the guide stays with the one it shows"
    ),
    .number(
      "guide.behind",
      \.behind,
      unit: "",
      1...1000,
      "what is a third as probable as anything else is not in front of the visitor, and must not stay for the dwell"
    ),
    .number(
      "guide.leaving",
      \.leaving,
      unit: "",
      0.01...0.99,
      "an exhibit on show stays for a second, in which its visitor must not be through a door; less hides it at more stops"
    ),
    .number(
      "guide.announcingSureness",
      \.announcingConfidence,
      unit: "",
      0.1...0.99,
      "an announcement cannot be undone, so it needs more confidence than what is shown"
    ),
    .seconds(
      "guide.announcingDwell",
      \.announcingDwell,
      0...60,
      "visitors who pass at 0.5 m/s are near for longer than the dwell, and want no announcement"
    ),
    .seconds(
      "guide.repeatAfter",
      \.repeatAfter,
      0...86_400,
      "a visitor who comes back within minutes already knows it"
    ),
    .seconds(
      "guide.roomDwell",
      \.roomDwell,
      0...60,
      "a wall takes 3.4 dB of every beacon beyond it: rooms are distinguished at once"
    ),
    .number(
      "guide.roomSureness",
      \.roomConfidence,
      unit: "",
      0.1...0.99,
      "more than an even chance, or the last shown room stays"
    ),
    .number(
      "guide.deviation",
      \.deviation,
      unit: "dB",
      1...20,
      "4 dB of surroundings, 2 dB of beacons, some 3 dB of body and fading averaged over a second"
    ),
    .number(
      "guide.weight",
      \.weight,
      unit: "",
      0.05...1,
      "less makes the guide slow; the margin covers that errors repeat for visitors who stand still"
    ),
    .number(
      "guide.wallLoss",
      \.wallLoss,
      unit: "dB",
      0...30,
      "a light wall in the COST-231 multi-wall model; a heavy one takes 6.9"
    ),
    .number(
      "guide.walking",
      \.walking,
      unit: "",
      0.01...0.99,
      "the share of a visit that is spent on the way between works"
    ),
    .seconds(
      "guide.rest",
      \.rest,
      1...3600,
      "a shorter stay in a room without beacons is crossing it; a longer one is a rest"
    ),
    .number(
      "guide.restMargin",
      \.restMargin,
      unit: "dB",
      0...20,
      "what the loudest second of a rest varies by; through the door it is 10 dB and more"
    ),
    .seconds(
      "museum.deskReset",
      \.deskReset,
      5...3600,
      "a visitor who passes the desk is gone sooner; a device that was handed in stays"
    ),
  ]
}
