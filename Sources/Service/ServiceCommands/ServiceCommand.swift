// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconService
internal import DBus

/// `service`: one engine for the programs of a machine.
package enum ServiceCommand {
  /// Returns `service`, with its subcommands.
  ///
  /// - Parameter sources: What `--from` can name for the service other than a capture.
  /// - Returns: The command.
  package static func command(_ sources: [AdditionalSource]) -> BeaconctlCommand {
    BeaconctlCommand(
      "service",
      "Serve other programs over D-Bus, and show its clients",
      subcommands: [RunCommand.command(sources), AgentCommand.command, status],
      defaultSubcommand: "status"
    )
  }

  /// `service status`: the clients of the service.
  private static let status = BeaconctlCommand(
    "status",
    "Show the clients of the service",
    groups: [OptionGroup("Service", [ServiceBusOption.option])],
    exclusive: Exclusive.verbosity
  ) { arguments, io in
    try await ServiceConnection.use(arguments, io) { connection in
      let values = try await connection.call(ServiceName.admin, "ListClients")
      try io.write(table: lines(values.first))
    }
    return .done
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
      grants.isRestricted = (try? properties.text("Authorization")) == "restricted"
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
