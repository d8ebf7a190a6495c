// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconFormats

/// `monitor`: the states of regions.
package enum MonitorCommand {
  /// `monitor`: regions.
  ///
  /// - Parameters:
  ///   - sources: The sources that other modules provide.
  ///   - participants: What other modules add to a run.
  /// - Returns: The command.
  package static func command(
    _ sources: [AdditionalSource],
    _ participants: [AdditionalParticipant] = []
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      "monitor",
      "Report when regions are entered and left",
      discussion: [
        "A region is entered with the first report of a beacon that satisfies its constraint. It is left"
          + " when all of its beacons have been silent for longer than expected from their intervals."
      ],
      groups: [
        .anySource(sources), OptionGroup("Regions", [Options.region, Options.state]), .asking,
        .recording(participants),
        .settings, .events,
      ],
      exclusive: Exclusive.sources(sources) + Exclusive.verbosity + Exclusive.redaction,
      examples: [
        CommandExample(
          "beaconctl monitor -f log.btsnoop -r a=F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1",
          "Show when room 1 was entered and left"
        )
      ]
    ) { arguments, io in
      guard arguments.has(Options.region) else {
        throw UsageError(
          "\(arguments.commandName) needs --region ID=UUID[/MAJOR[/MINOR]]"
        )
      }
      return try await RunOptions(
        arguments,
        from: io.configurations,
        sources: sources,
        participants: participants
      ).run(
        .monitoring,
        io: io
      )
    }
  }
}
