// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconFormats

/// `range`: the beacons nearby, once a second.
package enum RangeCommand {
  /// `range`: the beacons nearby, once a second.
  ///
  /// - Parameters:
  ///   - sources: The sources that other modules provide.
  ///   - participants: The additions of other modules to a run.
  ///   - service: The service through which a client's run goes while it runs.
  /// - Returns: The command.
  package static func command(
    _ sources: [AdditionalSource],
    _ participants: [AdditionalParticipant] = [],
    through service: ClientService? = nil
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      "range",
      "Show which beacons are near, once a second",
      discussion: [
        "Without --beacon everything nearby is shown. Beacons are listed nearest first, with proximity, distance and its central 90 % interval,"
          + " mean RSSI and the number of reports since the last second.",
        "'near~' is held: the distance has left this zone, but not yet surely or for long enough (docs/accuracy.md, A held zone).",
      ],
      groups: [
        .anySource(sources), .span,
        OptionGroup(
          "Beacons",
          [Options.beacons, Options.region, Options.whileInside, Options.state]
        ), .asking(adding: [Options.ask] + (service == nil ? [] : [ClientService.direct])),
        .recording(participants),
        .settings, .events,
      ],
      exclusive: Exclusive.sources(sources) + Exclusive.verbosity
        + Exclusive.span(["record"] + participants.flatMap(\.options).map(\.declaration.name)),
      examples: [
        CommandExample("beaconctl range", "Show everything nearby, live"),
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
      if let code = try ClientService.replay(service, arguments, io) { return code }
      // Everything is the operator's view; a program names its constraints.
      guard arguments.has(Options.beacons) || !arguments.isClients else {
        throw UsageError.missing(
          [Options.beacons.usage],
          in: arguments.programName,
          hint: "a client ranges what it names"
        )
      }
      let options = try RunOptions(
        arguments,
        from: io.configurations,
        sources: sources,
        participants: participants
      )
      let served = try await ClientService.run(service, options, .ranging, arguments, io)
      if let served { return served }
      return try await options.run(.ranging, io: io)
    }
  }
}
