// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
package import BeaconCommands
internal import BeaconCore
internal import BeaconService
internal import Beacons
internal import DBus
internal import Glibc
internal import SystemKit

extension ClientService {
  /// The service on the system bus, for the commands that are a client of it while it runs.
  package static let ofMachine = ClientService(
    connect: { _ in try await connection() },
    options: [ServiceBusOption.option],
    administer: { work, arguments, io in try await administer(work, arguments, io) },
    replay: { key, paths, io in try StreamReplay.run(key, paths, io) },
    describe: { _ in await description() }
  )

  /// The name of the service in messages.
  private static let title = "the service on the system bus"

  // MARK: A run through it

  private static func connection() async throws -> Connection? {
    let standings = try Mailbox<Standing>()
    do throws(ServiceEngine.Failure) {
      let engine = try await ServiceEngine.connect(.system) { _, standing in
        guard !standing.key.isEmpty else { return }
        let fault = standing.fault.map { "\($0); trying again" }
        let limit =
          fault ?? SessionLimit(rawValue: standing.limit).flatMap { text(of: $0, standing.key) }
        standings.put(Standing(key: standing.key, limit: limit))
      }
      return Connection(name: title, engine: engine, standings: standings)
    } catch {
      // Without a bus the service is missing; a command that needs the bus reports it.
      return nil
    }
  }

  /// What keeps a client from getting anything, with the command that changes it.
  static func text(of limit: SessionLimit, _ key: String) -> String? {
    let off = "beacons and regions are off for \(key)"
    func set(_ grant: String) -> String { "'beaconctl auth set \(grant) --client \(key)'" }
    switch limit {
    case .none: return nil
    case .noAgent:
      return "not decided: \(off), and no agent can ask a user; \(set("whenInUse")) decides it"
    case .notDetermined: return "not decided: \(off) until a user answers the agent"
    case .denied: return "denied: \(off); \(set("whenInUse")) changes it"
    case .restricted: return "restricted: \(off) by a policy; \(set("whenInUse")) ends it"
    case .reduced:
      return "approximate: \(off); 'beaconctl auth precise on --client \(key)' changes it"
    case .servicesOff:
      return "services off: \(off); 'beaconctl auth services on' changes it"
    case .serviceSessionRequired:
      return "\(off): its manifest has explicitServiceSession, and it declares no goal"
    case .notInUse: return "not in use: \(off); \(set("always")) changes it"
    case .radioOff: return "no receiver of the service is on"
    case .radioDeaf: return "the receivers of the service receive nothing although they should"
    }
  }

  // MARK: Administration

  /// Returns a connection to the service; `nil` if there is no bus or no service.
  private static func serviceConnection() async throws -> ServiceConnection? {
    let connection: ServiceConnection
    do {
      connection = try await ServiceConnection(.system)
    } catch is BusFailure {
      return nil
    }
    do throws(CallError) {
      let owned = try await connection.busCall("NameHasOwner", [.string(ServiceName.bus)])
      if owned.first == .boolean(true) { return connection }
    } catch {
      // A bus that does not report a service has none to use.
    }
    await connection.close()
    return nil
  }

  /// The key of a client: as it is, or that of a program of this account.
  private static func key(_ client: String) -> String {
    if client.hasPrefix("unit:") || client.hasPrefix("user:") { return client }
    return "user:\(CallerProbe.accountName(of: getuid()))/\(client)"
  }

  private static func administer(
    _ work: Administration,
    _ arguments: ParsedArguments,
    _ io: CommandIO
  ) async throws -> Grants? {
    // A service that the user names is there, or the command fails; the machine's own is used while it runs.
    guard !arguments.has(ServiceBusOption.option) else {
      let bus = arguments[ServiceBusOption.option] ?? .system
      return try await ServiceConnection.use(arguments, io) {
        try await administer(work, $0, "the service on the \(bus.rawValue) bus")
      }
    }
    guard let connection = try await serviceConnection() else { return nil }
    return try await connection.use(.system) { try await administer(work, $0, title) }
  }

  private static func administer(
    _ work: Administration,
    _ connection: ServiceConnection,
    _ name: String
  ) async throws -> Grants {
    var shown: String?
    switch work {
    case .status(let client): shown = client.map(key)
    case .set(let client, let grant):
      shown = key(client)
      try await set(key(client), grant?.rawValue ?? "restricted", nil, connection)
    case .precise(let client, let isOn):
      shown = key(client)
      try await set(key(client), "", isOn ? "full" : "reduced", connection)
    case .services(let isOn):
      _ = try await connection.call(ServiceName.admin, "SetServices", [.boolean(isOn)])
    case .reset(let client):
      shown = key(client)
      _ = try await connection.call(ServiceName.admin, "Reset", [.string(key(client))])
    }
    let list = try await connection.call(ServiceName.admin, "ListClients")
    let services = try await connection.call(
      BusName.properties,
      "Get",
      [.string(ServiceName.manager), .string("Services")]
    )
    let areOn = services.first != .variant(.boolean(false))
    var clients = ServiceCommand.grants(in: list.first)
    for index in clients.indices { clients[index].grants.servicesOn = areOn }
    return Grants(
      name: name,
      areServicesOn: areOn,
      clients: clients.filter { shown == nil || $0.name == shown }
    )
  }

  private static func set(
    _ key: String,
    _ grant: String,
    _ accuracy: String?,
    _ connection: ServiceConnection
  ) async throws(CallError) {
    var options: [DBusEntry] = []
    if let accuracy {
      options = [DBusEntry(key: .string("accuracy"), value: .variant(.string(accuracy)))]
    }
    let arguments: [DBusValue] = [.string(key), .string(grant), .dictionary(of: "sv", options)]
    _ = try await connection.call(ServiceName.admin, "SetGrant", arguments)
  }

  // MARK: What doctor shows

  private static func description() async -> String {
    guard let connection = try? await serviceConnection() else {
      return "does not run here; each program receives by itself"
    }
    var text = "runs and serves programs over D-Bus"
    do throws(CallError) {
      let list = try await connection.call(ServiceName.admin, "ListClients")
      let clients = ServiceCommand.grants(in: list.first)
      let granted = clients.count { $0.grants.grant != .notDetermined }
      let number = clients.count == 1 ? "1 client" : "\(clients.count) clients"
      text = "runs with \(number), of which \(granted) have grants ('beaconctl service')"
    } catch {
      text += "; this account may not list its clients"
    }
    await connection.close()
    return text
  }
}
