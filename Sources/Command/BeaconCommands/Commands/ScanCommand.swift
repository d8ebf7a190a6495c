// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconFormats

/// `scan`: every sighting.
package enum ScanCommand {
  /// `scan`: sightings.
  ///
  /// - Parameter sources: The sources that other modules provide.
  /// - Returns: The command.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "scan",
      "Show every received iBeacon report",
      discussion: [
        "This is the operator's view: every report of every beacon, without authorization."
      ],
      groups: [
        .anySource(sources), .span, OptionGroup("Beacons", [Options.beacons]),
        OptionGroup("Recording", [Options.record, Options.mode]), .settings,
        OptionGroup(
          "Output",
          [
            Options.format, Options.output, Options.force, Options.time, Options.summary,
            Options.includeAddresses,
          ]
        ),
      ],
      exclusive: Exclusive.sources(sources) + Exclusive.verbosity + Exclusive.span(["record"]),
      examples: [
        CommandExample(
          "beaconctl scan --from capture.pcapng --format jsonl",
          "Show the sightings of a capture"
        )
      ]
    ) { arguments, io in
      try await RunOptions(arguments, from: io.configurations, sources: sources).run(
        .sightings,
        io: io
      )
    }
  }
}
