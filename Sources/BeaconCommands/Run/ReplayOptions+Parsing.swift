// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

extension ReplayOptions {
  /// Takes what the user said from a command line.
  ///
  /// - Throws: ``CommandFailure`` where a configuration is wrong or there is no source.
  package init(_ arguments: ParsedArguments) throws {
    self.init()
    captures = arguments.texts(.from)
    if captures.filter({ $0 == "-" }).count > 1 {
      throw CommandFailure(.usage, "standard input can be only one of the captures")
    }
    guard !captures.isEmpty else {
      throw CommandFailure(
        .unavailable,
        "this build cannot listen live; give a capture with --from FILE"
      )
    }
    if case .times(let factor) = arguments.speed(.speed) { speed = factor }
    let loaded = try LoadedConfiguration(arguments)
    configuration = loaded.configuration
    receiverOffsets = loaded.receiverOffsets
    constraints = arguments.constraints(.satisfying)
    output = OutputOptions(arguments)
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
  }
}
