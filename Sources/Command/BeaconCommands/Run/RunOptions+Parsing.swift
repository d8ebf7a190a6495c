// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconBlueZ
package import BeaconFormats
internal import Beacons
internal import BeaconCore

extension RunOptions {
  /// Reads the user's requests from a command line.
  ///
  /// - Throws: ``UsageError`` if it does not make sense, ``CommandFailure`` if a configuration is wrong.
  package init(
    _ arguments: ParsedArguments,
    from places: ConfigurationPlaces,
    sources: [AdditionalSource] = [],
    participants choices: [AdditionalParticipant] = []
  ) throws {
    self.init()
    captures = try arguments.captures()
    try chooseNetwork(arguments, sources)
    if captures.filter({ $0 == "-" }).count > 1 {
      throw CommandFailure(.usage, "standard input can be only one of the captures")
    }
    adapter = arguments[Options.adapter]
    via = arguments.reportPath
    constraints = arguments.all(Options.beacons)
    speed = arguments[Options.speed]?.factor
    let loaded = try LoadedConfiguration(arguments, from: places)
    (configuration, settings) = (loaded.configuration, loaded.settings)
    names = loaded.names
    configurationFile = places.named(arguments)
    for source in sources {
      guard let chosen = try source.choose(arguments, &configuration, &names) else { continue }
      (opener, isSimulated) = (chosen, true)
    }
    receiverOffsets = loaded.receiverOffsets
    regions = arguments.all(Options.region).map { loaded.region($0.id, $0.constraint) }
    client = try RunClient(arguments)
    recording = arguments[Options.record]
    recordingMode = arguments[Options.mode] ?? recordingMode
    stateDirectory = arguments[Options.state]
    drains = arguments.has(Options.drain)
    span = try shownSpan(arguments)
    participants = try choices.compactMap { try $0.choose(arguments) }
    folders = choices.compactMap { $0.folder(arguments) }
    output = OutputOptions(arguments)
    output.piped = loaded.pipedFormat
    try checkRegions(arguments)
  }

  /// Takes the address of a source in the network out of the captures.
  private mutating func chooseNetwork(
    _ arguments: ParsedArguments,
    _ sources: [AdditionalSource]
  ) throws {
    guard let network = try AdditionalSource.network(of: captures, arguments, sources) else {
      return
    }
    (opener, captures) = (network, [])
  }

  private func shownSpan(_ arguments: ParsedArguments) throws -> MomentSpan? {
    let span = MomentSpan(arguments)
    guard !span.isAll else { return nil }
    guard !captures.isEmpty else {
      throw UsageError("--since and --until are for captures, and this source is live")
    }
    return span
  }

  private mutating func checkRegions(_ arguments: ParsedArguments) throws {
    var seen: Set<String> = []
    for entry in arguments.entries(Options.region) {
      let name = entry.value.id
      guard seen.insert(name).inserted else {
        throw UsageError(
          "two regions are named '\(name)'; give each a name of its own",
          argument: entry.place
        )
      }
    }
    guard let name = arguments[Options.whileInside] else { return }
    guard seen.contains(name) else {
      throw UsageError(
        "no --region is named '\(name)'" + NearestName.hint(for: name, in: seen.sorted()),
        argument: arguments.place(of: Options.whileInside)
      )
    }
    whileInside = RegionIdentifier(name)
  }

  /// Runs an engine over the captures, or live without captures.
  package func run(_ kind: EventCSVWriter.Kind, io: CommandIO) async throws -> ExitCode {
    try await EventRun.run(self, kind, io: io)
  }
}

extension ParsedArguments {
  /// The value of `--via`; without one the permitted way is used.
  package var reportPath: ReportPath { self[Options.via] ?? .automatic }
}

extension OutputOptions {
  /// Reads the output options from a command line.
  package init(_ arguments: ParsedArguments) {
    self.init()
    format = arguments[Options.format]
    further = arguments.all(Options.output)
    timeStyle = arguments[Options.time] ?? .local
    color = arguments[Options.color] ?? .auto
    showsAddresses = arguments.has(Options.includeAddresses)
    wantsSummary = arguments.has(Options.summary)
    isQuiet = arguments.has(Options.quiet)
    isVerbose = arguments.has(Options.verbose)
  }
}
