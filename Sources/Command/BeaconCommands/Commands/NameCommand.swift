// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCore
internal import BeaconFormats
internal import SystemKit

/// `name`: the names of beacons, in the account's configuration file.
package enum NameCommand {
  private static let beacon = CommandArgument(
    .beacon,
    "The beacon; without one, all names are listed",
    isOptional: true
  )
  private static let name = CommandArgument(
    .text("NAME"),
    "Its name; without one, the name that it has is shown",
    isOptional: true
  )
  private static let remove = CommandFlag("remove", "Remove the beacon's name")

  /// `name`: gives a beacon a name.
  package static let command = BeaconctlCommand(
    "name",
    "Give a beacon a name, which every table, view and line then shows",
    discussion: [
      "Names are kept in the account's configuration file ('beaconctl config path'), or in that of --config"
        + " or of the variable BEACONS_CONFIG."
        + " Everything else in the file stays as it is, comments included.",
      "Wherever a command needs a beacon, its name is enough; wherever it needs a UUID, the first"
        + " \(UUIDText.fewestDigits) digits or more are enough, if only one UUID of your names, plans and configuration"
        + " begins with them, or else of the captures, such as F782, F782/1 or F782/1/7.",
    ],
    arguments: [beacon, name],
    groups: [OptionGroup("Names", [remove]), OptionGroup("Settings", [Options.config])],
    exclusive: Exclusive.verbosity,
    examples: [
      CommandExample(
        "beaconctl name F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/7 Astrolabe",
        "Name a beacon"
      ),
      CommandExample(
        "beaconctl name Astrolabe --remove",
        "Remove its name"
      ),
    ]
  ) { arguments, io in
    let names = try LoadedConfiguration(arguments, from: io.configurations).names
    let file = io.configurations.named(arguments)
    guard let identity = arguments[beacon] else {
      try io.write(table: names.entries.map { "\($0.identity)  \($0.name)" })
      if file == ConfigurationPlaces.none {
        io.show("no beacon has a name: \(setting(arguments)), so no file is read")
      } else if names.entries.isEmpty {
        io.show("no beacon has a name; 'beaconctl name UUID/MAJOR/MINOR NAME' gives it one")
      }
      return .done
    }
    let isRemoved = arguments.has(remove)
    if let name = arguments[name] {
      if isRemoved { throw UsageError("--remove needs no name; leave out '\(name)'") }
      try refuseNoFile(arguments, file)
      try BeaconNameFile.write(name, of: identity, file, io)
      try io.write(table: ["\(identity)  \(name)"])
    } else if isRemoved {
      try refuseNoFile(arguments, file)
      try BeaconNameFile.write(nil, of: identity, file, io)
      io.show("\(identity) has no name now")
    } else {
      guard let name = names[identity] else {
        throw CommandFailure(
          .failed,
          file == ConfigurationPlaces.none
            ? "\(identity) has no name: \(setting(arguments)), so no file is read"
            : "\(identity) has no name; 'beaconctl name \(identity) NAME' gives it one"
        )
      }
      try io.write(table: [name])
    }
    return .done
  }

  /// Refuses to write a name that no command would read.
  private static func refuseNoFile(
    _ arguments: ParsedArguments,
    _ file: String?
  ) throws(UsageError) {
    guard file == ConfigurationPlaces.none else { return }
    throw UsageError(
      "a name is kept in a file, and \(setting(arguments)), so none is read;"
        + " leave that out, or name a file with --config FILE"
    )
  }

  /// How the user requested that no file is read.
  private static func setting(_ arguments: ParsedArguments) -> String {
    arguments.has(Options.config) ? "--config is none" : "BEACONS_CONFIG is none"
  }
}
