// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconService
internal import DBus

/// `service`: what the service's clients are granted.
package enum ServiceCommand {
  /// The position of the switch.
  private enum Position: String, CaseIterable {
    case on, off
  }

  private static let client = CommandOption(
    "client",
    .text("KEY"),
    "The client, such as unit:guide.service"
  )
  private static let grant = CommandArgument(
    .choice(among: [SavedAuthorization.Grant.notDetermined, .denied, .whenInUse, .always]),
    "The grant: ask again, never, while in use, or always"
  )
  private static let accuracy = CommandOption(
    "accuracy",
    .choice(among: [Accuracy.full, .reduced]),
    "The accuracy (default: unchanged)"
  )
  private static let position = CommandArgument(.choice(of: Position.self), "Whether it is on")

  private enum Accuracy: String, CaseIterable {
    case full, reduced
  }

  /// `service`: shows and changes grants.
  package static let command = BeaconctlCommand(
    "service",
    "Show and change what the service's clients may know",
    discussion: [
      "The service has grants of its own. Where it runs, 'beaconctl auth' shows and changes the same ones, unless"
        + " --direct is given. Root, the account of the service, the group beacons and accounts with polkit's consent may"
        + " change them."
    ],
    subcommands: [
      subcommand("status", "Show the clients of the service", [], []) { connection, _, io in
        let values = try await connection.call(ServiceName.admin, "ListClients")
        try io.write(table: lines(values.first))
      },
      subcommand(
        "set",
        "Grant or deny authorization, in place of a user",
        [grant],
        [client, accuracy]
      ) {
        connection,
        arguments,
        _ in
        var options: [DBusEntry] = []
        if let accuracy = arguments[accuracy] {
          options = [
            DBusEntry(key: .string("accuracy"), value: .variant(.string(accuracy.rawValue)))
          ]
        }
        let grant = try arguments.required(grant)
        _ = try await connection.call(
          ServiceName.admin,
          "SetGrant",
          [
            .string(try key(arguments)), .string(grant.rawValue), .dictionary(of: "sv", options),
          ]
        )
      },
      subcommand("reset", "Forget what a client was granted", [], [client]) {
        connection,
        arguments,
        _ in
        _ = try await connection.call(ServiceName.admin, "Reset", [.string(try key(arguments))])
      },
      subcommand("services", "Switch location services on or off for every client", [position], [])
      {
        connection,
        arguments,
        _ in
        let isOn = try arguments.required(position) == .on
        _ = try await connection.call(ServiceName.admin, "SetServices", [.boolean(isOn)])
      },
    ],
    defaultSubcommand: "status",
    examples: [
      CommandExample(
        "sudo beaconctl service set whenInUse --client unit:guide.service",
        "Grant without asking a user"
      )
    ]
  )

  private static func subcommand(
    _ name: String,
    _ summary: String,
    _ arguments: [any DeclaredArgument],
    _ options: [any DeclaredOption],
    _ work: @escaping @Sendable (ServiceConnection, ParsedArguments, CommandIO) async throws -> Void
  ) -> BeaconctlCommand {
    BeaconctlCommand(
      name,
      summary,
      arguments: arguments,
      groups: [OptionGroup("Service", options + [ServiceBus.option])],
      exclusive: Exclusive.verbosity
    ) { arguments, io in
      try await ServiceConnection.use(arguments, io) { try await work($0, arguments, io) }
      return .done
    }
  }

  private static func key(_ arguments: ParsedArguments) throws -> String {
    guard let key = arguments[client] else {
      throw UsageError(
        "\(arguments.commandName) needs --client KEY; 'beaconctl service' lists them"
      )
    }
    return key
  }

  /// The grants in what `ListClients` returns.
  static func grants(in value: DBusValue?) -> [(name: String, grants: SavedAuthorization)] {
    guard case .array(_, let clients)? = value else { return [] }
    return clients.compactMap { client in
      guard case .structure(let members) = client, members.count == 2, let key = members[0].text
      else { return nil }
      let properties = ServiceOptions(members[1])
      var grants = SavedAuthorization()
      let name = (try? properties.text("Grant")) ?? ""
      grants.grant = SavedAuthorization.Grant(rawValue: name) ?? .notDetermined
      grants.accuracy = (try? properties.boolean("Precise")) == false ? .reduced : .full
      return (key, grants)
    }
  }

  private static func lines(_ value: DBusValue?) -> [String] {
    guard case .array(_, let clients)? = value else { return [] }
    var lines = ["\(Column.left("CLIENT", 32))  \(Column.left("GRANT", 18))  LIMIT"]
    for client in clients {
      guard case .structure(let members) = client, members.count == 2, let key = members[0].text,
        case .dictionary(_, let entries) = members[1]
      else { continue }
      func text(_ name: String) -> String {
        for entry in entries where entry.key.text == name {
          if case .variant(let value) = entry.value { return value.text ?? "" }
        }
        return ""
      }
      let limit = text("Limit").isEmpty ? "-" : text("Limit")
      lines.append("\(Column.left(key, 32))  \(Column.left(text("Grant"), 18))  \(limit)")
    }
    return lines
  }
}
