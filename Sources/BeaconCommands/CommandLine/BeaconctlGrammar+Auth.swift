// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconctlGrammar {
  /// The grant that `auth set` gives.
  package static let authGrant = CommandArgument(
    "notDetermined|denied|whenInUse|always",
    .choice(["notDetermined", "denied", "whenInUse", "always"]),
    "what the client may: ask anew, nothing, know while it is in use, know at any time"
  )

  /// The position of a switch.
  package static let authSwitch = CommandArgument("on|off", .choice(["on", "off"]), "the position")

  /// `auth`: what clients are granted.
  package static let auth = Command(
    "auth",
    "what clients may know: shown, and changed as in Settings",
    discussion: [
      "A change is effective at once, also in a live run that is under way. The operator, who asks"
        + " unless --client names another, may always know everything."
    ],
    subcommands: [
      authCommand("status", "the grants of a client, or of all that have any"),
      authCommand("set", "grants or refuses in the person's place", [authGrant]),
      authCommand("precise", "full or reduced accuracy", [authSwitch]),
      Command(
        "services",
        "the machine's switch, which holds for every client",
        arguments: [authSwitch],
        groups: [OptionGroup("Output", [.grantFormat])],
        exclusive: [["verbose", "quiet"]]
      ),
      authCommand("reset", "forgets a client, as if it had never asked"),
    ],
    defaultSubcommand: "status",
    examples: [
      CommandExample("beaconctl auth set whenInUse --client guide", "a grant without a question"),
      CommandExample("beaconctl auth services off", "nothing for any client, at once"),
    ]
  )

  private static func authCommand(
    _ name: String,
    _ summary: String,
    _ arguments: [CommandArgument] = []
  ) -> Command {
    Command(
      name,
      summary,
      arguments: arguments,
      groups: [OptionGroup("Whose", [.grantedClient]), OptionGroup("Output", [.grantFormat])],
      exclusive: [["verbose", "quiet"]]
    )
  }
}
