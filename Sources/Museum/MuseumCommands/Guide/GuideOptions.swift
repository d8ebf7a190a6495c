// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommands
package import BeaconCommandLine
package import BeaconMuseum
internal import BeaconCore
internal import BeaconFormats

extension RunOptions {
  /// The name of the guide as a client.
  package static let guideName = "museum-guide"

  /// Reads the options of a run of the guide from a command line.
  ///
  /// - Throws: ``UsageError`` and ``CommandFailure`` if a file or an option is wrong.
  package init(
    guide arguments: ParsedArguments,
    through plan: Plan,
    in language: String,
    from places: ConfigurationPlaces
  ) throws {
    self.init()
    captures = try arguments.captures()
    if captures.filter({ $0 == "-" }).count > 1 {
      throw UsageError("standard input can be only one of the captures")
    }
    isSimulated = arguments.has(MuseumOptions.simulatedVisit)
    adapter = arguments[Options.adapter]
    via = arguments.reportPath
    speed = arguments[Options.speed]?.factor
    let loaded = try LoadedConfiguration(arguments, from: places)
    (configuration, settings) = (loaded.configuration, loaded.settings)
    // A plan read from a file has only powers that can be a calibration.
    try? plan.calibrate(&configuration)
    receiverOffsets = loaded.receiverOffsets
    client = try RunClient(
      arguments,
      as: Self.guideName,
      plan.manifest.manifest(in: language)
    )
    recording = arguments[Options.record]
    recordingMode = arguments[Options.mode] ?? recordingMode
    names = loaded.names
    names.add(plan.names)
    output = OutputOptions(arguments)
    output.piped = loaded.pipedFormat
  }
}
