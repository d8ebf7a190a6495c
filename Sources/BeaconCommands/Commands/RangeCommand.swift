// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconFormats

/// `range`: what is near, once a second.
package enum RangeCommand {
  /// `range`: what is near, once a second.
  ///
  /// - Parameter sources: The sources that other modules provide.
  /// - Returns: The command.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "range",
      "Show which beacons are near, once a second",
      discussion: [
        "Beacons are listed nearest first, with proximity, distance and its central 90 % interval,"
          + " mean RSSI and the number of reports since the last second."
      ],
      groups: [
        .anySource(sources),
        OptionGroup(
          "Beacons",
          [Options.satisfying, Options.region, Options.whileInside, Options.state]
        ), .asking,
        .recording,
        .settings, .events,
      ],
      exclusive: Exclusive.sources(sources) + Exclusive.verbosity + Exclusive.redaction,
      examples: [
        CommandExample(
          "beaconctl range --from log.btsnoop -s F7826DA6-4FA2-4E98-8024-BC5B71E0893E",
          "Show the beacons of a UUID once a second"
        ),
        CommandExample(
          "beaconctl range --from log.btsnoop -s F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1",
          "Show only those with one major"
        ),
      ]
    ) { arguments, io in
      // Ranging without a constraint would deliver nothing, which would look like an empty capture.
      guard arguments.has(Options.satisfying) else {
        throw UsageError(
          "--satisfying is missing; name a UUID ('beaconctl inspect FILE' lists those of a capture)"
        )
      }
      return try await RunOptions(arguments, schema: io.schema, sources: sources).run(
        .ranging,
        io: io
      )
    }
  }
}
