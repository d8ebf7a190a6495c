// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands

/// `site`: places, beacons and receivers of a site with several receivers.
package enum SiteCommand {
  /// `site`, with its subcommands.
  ///
  /// - Parameters:
  ///   - sources: What `--from` can name other than captures.
  ///   - additional: Subcommands of other modules.
  /// - Returns: The command.
  package static func command(
    _ sources: [AdditionalSource] = [],
    adding additional: [BeaconctlCommand] = []
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      "site",
      "Learn places, find beacons in them, and find what is wrong",
      subcommands: [SurveyCommand.command(sources), FuseCommand.command(sources)] + additional
    )
  }
}
