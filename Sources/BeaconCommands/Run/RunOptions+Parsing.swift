// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconBlueZ
internal import BeaconCore
internal import BeaconFormats
internal import Beacons

extension RunOptions {
  /// Takes what the user said from a command line.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - needed: An option without which the command has nothing to do.
  /// - Throws: ``UsageError`` where it is missing, ``CommandFailure`` where a configuration is wrong or there is no
  ///   source.
  package init(_ arguments: ParsedArguments, needing needed: CommandOption? = nil) throws {
    self.init()
    if let needed, !arguments.has(needed) {
      let kind = needed.kind?.placeholder ?? ""
      throw UsageError("\(arguments.path.name) needs \(needed.longName) \(kind)")
    }
    captures = arguments.texts(.from)
    if captures.filter({ $0 == "-" }).count > 1 {
      throw CommandFailure(.usage, "standard input can be only one of the captures")
    }
    adapter = arguments.text(.adapter)
    via = arguments.reportPath
    constraints = arguments.constraints(.satisfying)
    // Of everything there is, ranging would tell nothing; silence would look like an empty capture.
    if arguments.path.names == [BeaconctlGrammar.range.name], constraints.isEmpty {
      throw UsageError(
        "--satisfying is missing; name a UUID ('beaconctl inspect FILE' lists those of a capture)"
      )
    }
    if case .times(let factor) = arguments.speed(.speed) { speed = factor }
    let loaded = try LoadedConfiguration(arguments)
    (configuration, settings) = (loaded.configuration, loaded.settings)
    receiverOffsets = loaded.receiverOffsets
    regions = arguments.regions(.region).map { loaded.region($0.id, $0.constraint) }
    client = try RunClient(arguments)
    recording = arguments.text(.record)
    stateDirectory = arguments.text(.state)
    drains = arguments.has(.drain)
    output = OutputOptions(arguments)
    try checkRegions(arguments)
  }
}

extension RunOptions {
  /// Takes what the user said about a recording from a command line.
  ///
  /// - Throws: ``CommandFailure`` where a configuration is wrong.
  package init(recording arguments: ParsedArguments) throws {
    self.init()
    adapter = arguments.text(.adapter)
    via = arguments.reportPath
    recording = arguments.text(BeaconctlGrammar.recordFile)
    keptFiles = arguments.integer(.keep) ?? keptFiles
    rotation =
      arguments.span(.rotate).map { .age($0) } ?? arguments.bytes(.rotate).map { .size($0) }
    let loaded = try LoadedConfiguration(arguments)
    (configuration, settings) = (loaded.configuration, loaded.settings)
    output = OutputOptions(arguments)
    output.format = OutputFormat.none
  }

  private mutating func checkRegions(_ arguments: ParsedArguments) throws {
    var seen: [String] = []
    for entry in arguments.all(.region) {
      guard case .region(let region) = entry.value else { continue }
      if seen.contains(region.id) {
        throw UsageError(
          "two regions are named '\(region.id)'; give each a name of its own",
          argument: entry.argument
        )
      }
      seen.append(region.id)
    }
    guard let name = arguments.text(.whileInside) else { return }
    guard seen.contains(name) else {
      throw UsageError(
        "no --region is named '\(name)'" + NearestName.hint(for: name, in: seen),
        argument: arguments.place(of: .whileInside)
      )
    }
    whileInside = RegionIdentifier(name)
  }
}

extension ParsedArguments {
  /// What `--via` says; nothing leaves it to what is permitted.
  package var reportPath: ReportPath {
    switch text(.via) {
    case "dbus": .dbus
    case "kernel": .kernel
    default: .automatic
    }
  }
}

extension OutputOptions {
  /// Takes what the user said about output from a command line.
  package init(_ arguments: ParsedArguments) {
    self.init()
    format = arguments.text(.format).flatMap(OutputFormat.init)
    further = arguments.sinks(.output).compactMap { sink in
      OutputFormat(rawValue: sink.format).map { Further(format: $0, path: sink.file) }
    }
    timeStyle = arguments.text(.time).flatMap { .init(rawValue: $0) } ?? .iso
    color = arguments.text(.color).flatMap(Color.init) ?? .auto
    showsAddresses = arguments.has(.includeAddresses)
    wantsSummary = arguments.has(.summary)
    isQuiet = arguments.has(.quiet)
    isVerbose = arguments.has(.verbose)
  }
}
