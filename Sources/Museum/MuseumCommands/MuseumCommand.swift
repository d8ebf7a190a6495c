// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
package import BeaconCore
internal import BeaconMuseum

/// `museum`: the visitor's guide, visits and plans.
package enum MuseumCommand {
  /// The constants of the guide and of its pages' server, for the program's schema.
  package static let constants = ConfigurationSchema([.guide, .web])

  /// The command with its subcommands.
  package static let command = BeaconctlCommand(
    "museum",
    "Guide visitors, and make museum plans and reports",
    subcommands: [
      MuseumGuideCommand.command, MuseumServeCommand.command, MuseumSimulateCommand.command,
      MuseumReportCommand.command, MuseumDoctorCommand.command, plan,
    ],
    defaultSubcommand: MuseumGuideCommand.command.name
  )

  /// `museum plan`: making, checking and drawing plans.
  private static let plan = BeaconctlCommand(
    "plan",
    "Make, check and draw museum plans",
    subcommands: [
      PlanNewCommand.command, PlanCheckCommand.command, PlanShowCommand.command,
      PlanEditCommand.command,
    ]
  )
}
