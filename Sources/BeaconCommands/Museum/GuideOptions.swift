// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconMuseum

extension CommandOption {
  /// The seed of a simulated visit.
  package static let simulatedVisit = value(
    "simulate",
    .integer("SEED", 0...Int.max),
    "guide a visitor who is simulated, the same for the same seed"
  )
  /// How fast a visit is played.
  package static let visitSpeed = value(
    "speed",
    .speed,
    "how fast to play; on a screen 1x, else max, unless given",
    needs: ["from", "simulate"]
  )
  /// How fast a visit is played on the pages.
  package static let servedSpeed = value(
    "speed",
    .speed,
    "how fast to play; 1x unless given",
    needs: ["from", "simulate"]
  )
  /// Where the pages are served.
  package static let port = value(
    "port",
    .integer("PORT", 0...65_535),
    "the port to serve on, 0 for one that is free; 8080 unless given"
  )
  /// Lets other machines see the pages.
  package static let publicPages = flag(
    "public",
    "let everybody who can reach this machine see the pages; else only this machine can"
  )
  /// Ends serving with the source.
  package static let once = flag(
    "once",
    "end with the capture or the simulated visit instead of serving its last moment",
    needs: ["from", "simulate"]
  )
  /// The format of the guide's output.
  package static let guideFormat = value(
    "format",
    .choice(["table", "jsonl", "none"]),
    "table narrates; a screen on a terminal, else jsonl, unless given"
  )
}

extension RunOptions {
  /// The name of the guide as a client.
  package static let guideName = "museum-guide"

  /// Takes what the user said about a run of the guide from a command line.
  ///
  /// - Throws: ``UsageError`` and ``CommandFailure`` where a file or an option is wrong.
  package init(guide arguments: ParsedArguments, through plan: Plan, in language: String) throws {
    self.init()
    captures = arguments.texts(.from)
    if captures.filter({ $0 == "-" }).count > 1 {
      throw UsageError("standard input can be only one of the captures")
    }
    adapter = arguments.text(.adapter)
    via = arguments.reportPath
    if case .times(let factor) = arguments.speed(.speed) { speed = factor }
    let loaded = try LoadedConfiguration(arguments)
    (configuration, settings) = (loaded.configuration, loaded.settings)
    // A plan that was read has no power that is no calibration.
    try? plan.calibrate(&configuration)
    receiverOffsets = loaded.receiverOffsets
    client = try RunClient(
      arguments,
      as: Self.guideName,
      plan.manifest.manifest(in: language)
    )
    recording = arguments.text(.record)
    output = OutputOptions(arguments)
  }
}
