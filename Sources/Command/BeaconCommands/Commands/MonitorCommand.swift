// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconFormats
internal import SystemKit

/// `monitor`: the states of regions.
package enum MonitorCommand {
  private static let hook = CommandOption(
    "exec",
    .text("CMD"),
    "Run this shell command for each crossing; BEACONS_EVENT and other variables describe it"
  )
  private static let why = CommandFlag(
    "why",
    "Show in a table the whole explanation of each crossing"
  )
  private static let notify = CommandFlag("notify", "Show a desktop notification of each crossing")

  /// `monitor`: regions.
  ///
  /// - Parameters:
  ///   - sources: The sources that other modules provide.
  ///   - participants: The additions of other modules to a run.
  ///   - conditions: The conditions of regions that other modules provide.
  ///   - service: The service through which a client's run goes while it runs.
  /// - Returns: The command.
  package static func command(
    _ sources: [AdditionalSource],
    _ participants: [AdditionalParticipant] = [],
    _ conditions: [AdditionalCondition] = [],
    through service: ClientService? = nil
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      "monitor",
      "Report when regions are entered and left",
      discussion: [
        "A region is entered with the first report of a beacon that satisfies its constraint. It is left"
          + " when all of its beacons have been silent for longer than expected from their intervals.",
        "--exec runs CMD with '/bin/sh -c' when a region is entered or left, live and on a replay. BEACONS_EVENT is enter"
          + " or exit; BEACONS_NAME, the name of the beacon, may be empty. At most \(ShellJobs.limit) run at a time, for at"
          + " most \(ShellJobs.longest.components.seconds) s each, and \(ShellJobs.capacity) more wait."
          + " Its processes in the background count as well, unless one begins a session ('setsid'). If one fails, a line"
          + " says so.",
      ],
      groups: [
        .anySource(sources), .span,
        OptionGroup("Regions", [Options.region, Options.state] + conditions.flatMap(\.options)),
        .asking(adding: [Options.ask] + (service == nil ? [] : [ClientService.direct])),
        .recording(participants), OptionGroup("Crossings", [why, hook, notify]),
        .settings, .events,
      ],
      exclusive: Exclusive.sources(sources) + Exclusive.verbosity
        + Exclusive.span(["record"] + participants.flatMap(\.options).map(\.declaration.name)),
      examples: [
        CommandExample(
          "beaconctl monitor -f log.btsnoop -r a=F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1",
          "Show when room 1 was entered and left"
        ),
        CommandExample(
          "beaconctl monitor -r desk=F7826DA6-4FA2-4E98-8024-BC5B71E0893E --exec ./hook",
          "Run a command at each crossing"
        ),
      ]
    ) { arguments, io in
      if let code = try ClientService.replay(service, arguments, io) { return code }
      guard arguments.has(Options.region) else {
        throw UsageError.missing([Options.region.usage], in: arguments.programName)
      }
      var options = try RunOptions(
        arguments,
        from: io.configurations,
        sources: sources,
        participants: participants
      )
      options.hook = arguments[hook]
      options.output.explains = arguments.has(why)
      options.notifies = arguments.has(notify)
      for condition in conditions { try condition.apply(arguments, &options) }
      // The service knows nothing of a condition, so its run receives by itself.
      let service = options.filter == nil ? service : nil
      let served = try await ClientService.run(service, options, .monitoring, arguments, io)
      if let served { return served }
      return try await options.run(.monitoring, io: io)
    }
  }
}
