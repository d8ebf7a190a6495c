// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands

/// The commands of sites with several receivers.
package enum SiteCommand {
  /// `survey` and `fuse`, in the order in which help lists them.
  package static let commands = [SurveyCommand.command, FuseCommand.command]
}
