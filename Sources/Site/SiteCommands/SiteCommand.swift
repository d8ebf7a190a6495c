// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands

/// The commands of sites: places from several receivers, and constants compared on recordings.
package enum SiteCommand {
  /// `survey`, `fuse` and `sweep`, in the order in which help lists them.
  package static let commands = [SurveyCommand.command, FuseCommand.command, SweepCommand.command]
}
