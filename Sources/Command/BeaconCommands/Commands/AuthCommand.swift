// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
internal import SystemKit
internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `auth`: what clients are granted, as a user sees and changes it in Settings.
package struct AuthCommand {
  /// The position of a switch.
  private enum Position: String, CaseIterable {
    case on, off
  }

  /// A decision of `auth set`: a grant, or a policy that forbids location and keeps the grant.
  private enum Decision: String, CaseIterable {
    case notDetermined, denied, whenInUse, always, restricted

    var grant: SavedAuthorization.Grant? { SavedAuthorization.Grant(rawValue: rawValue) }
  }
  /// The decision of `auth set`.
  private static let decision = CommandArgument(
    .choice(of: Decision.self),
    "notDetermined (asks again), denied, whenInUse, always, or restricted (by policy)"
  )
  /// The position of a switch.
  private static let position = CommandArgument(.choice(of: Position.self), "Whether it is on")
  /// Changes the switch of the whole machine.
  private static let machine = CommandFlag(
    "machine",
    "Switch for every account of this machine; needs root"
  )
  /// The client whose grants are shown or changed.
  private static let client = CommandOption("client", .text("ID"), "The client")
  /// The format of grants.
  private static let format = CommandOption(
    "format",
    .choice(among: [OutputFormat.table, .json, .jsonl]),
    "Output format (default: table; into a pipe, that of 'output.piped' if set); jsonl is one object per client"
  )

  /// `auth`: the grants of clients.
  ///
  /// - Parameter service: The service whose grants these are while it runs.
  /// - Returns: The command.
  package static func command(_ service: ClientService?) -> BeaconctlCommand {
    let more: String? = service.map { _ in
      "While the service runs, these are its grants, and --account means those of this account's own programs. The two"
        + " sets of grants are independent. Root, the account of the service, the group beacons and accounts with"
        + " polkit's consent may change the service's."
    }
    return BeaconctlCommand(
      "auth",
      "Show and change the permissions of clients",
      discussion: [
        "A change is effective immediately, also in a live run. A run without --client is the operator's,"
          + " without limits."
      ] + (more.map { [$0] } ?? []),
      subcommands: subcommands(service),
      defaultSubcommand: "status",
      examples: examples
    )
  }

  private static func subcommands(_ service: ClientService?) -> [BeaconctlCommand] {
    let whose: [any DeclaredOption] = [machine] + accountOrService(service)
    return [
      subcommand("status", "Show the permissions of a client, or of all clients", through: service)
      {
        try await $0.status()
      },
      subcommand(
        "set",
        "Grant or deny authorization, in place of the user",
        [decision],
        through: service
      ) {
        try await $0.set()
      },
      subcommand("precise", "Switch full accuracy on or off", [position], through: service) {
        try await $0.precise()
      },
      Command(
        "services",
        "Switch location services on or off for every client",
        arguments: [position],
        groups: [OptionGroup("Whose", whose), OptionGroup("Output", [format])],
        exclusive: Exclusive.verbosity
      ) { arguments, io in
        try await AuthCommand(arguments, service, io: io).services()
      },
      subcommand("reset", "Forget the permissions of a client", through: service) {
        try await $0.reset()
      },
      // The service's state is not a file of this account.
      subcommand("forget", "Remove everything that is kept of a client, also its name") {
        try $0.forget()
      },
    ]
  }

  private static let examples: [CommandExample] = [
    CommandExample(
      "beaconctl auth set whenInUse --client guide",
      "Grant without asking the user"
    ),
    CommandExample(
      "beaconctl auth services off",
      "Withhold everything from every client, immediately"
    ),
    CommandExample(
      "sudo beaconctl auth services off --machine",
      "The same for every account of the machine"
    ),
  ]

  private static func subcommand(
    _ name: String,
    _ summary: String,
    _ arguments: [any DeclaredArgument] = [],
    through service: ClientService? = nil,
    run: @escaping @Sendable (AuthCommand) async throws -> ExitCode
  ) -> BeaconctlCommand {
    let whose: [any DeclaredOption] = [client] + accountOrService(service)
    return BeaconctlCommand(
      name,
      summary,
      arguments: arguments,
      groups: [OptionGroup("Whose", whose), OptionGroup("Output", [format])],
      exclusive: Exclusive.verbosity
    ) { arguments, io in try await run(AuthCommand(arguments, service, io: io)) }
  }

  /// Leaves the service's grants aside.
  private static let account = CommandFlag(
    "account",
    "The grants of this account's own programs, also while the service runs"
  )

  /// The options that choose between the account's grants and those of a service.
  private static func accountOrService(_ service: ClientService?) -> [any DeclaredOption] {
    service.map { [account] + $0.options } ?? []
  }

  private let arguments: ParsedArguments
  private let format: OutputFormat
  private let store: ClientStore
  /// The service whose grants are meant while it runs.
  private let service: ClientService?
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, _ service: ClientService? = nil, io: CommandIO) {
    self.arguments = arguments
    self.service = arguments.has(Self.account) ? nil : service
    self.io = io
    format = io.reportFormat(arguments[Self.format], arguments)
    store = ClientStore(environment: io.environment)
  }

  /// `auth status`: the grants of one client, or of all that have any.
  package func status() async throws -> ExitCode {
    let named = arguments[Self.client]
    if let named { try RunClient.check(named, arguments) }
    if try await administer(.status(client: named)) { return .done }
    guard let named else { return try showAll() }
    try show([named], isOne: true)
    return .done
  }

  /// `auth set`: decides in the user's place.
  package func set() async throws -> ExitCode {
    let grant = try arguments.required(Self.decision).grant
    if try await administer({ .set(client: $0, grant) }) { return .done }
    return try change { grants in
      grants.isRestricted = grant == nil
      guard let grant else { return }
      grants.grant = grant
      grants.until = nil
      grants.confirmationDue = false
    }
  }

  /// `auth precise`: full or reduced accuracy.
  package func precise() async throws -> ExitCode {
    let isOn = try arguments.required(Self.position) == .on
    if try await administer({ .precise(client: $0, isOn) }) { return .done }
    return try change { $0.accuracy = isOn ? .full : .reduced }
  }

  /// `auth services`: the switch of the account, or of the machine.
  package func services() async throws -> ExitCode {
    let isOn = try arguments.required(Self.position) == .on
    let isMachines = arguments.has(Self.machine)
    // The machine's switch is a file, with or without the service.
    if !isMachines, try await administer(.services(isOn)) { return .done }
    try keeping { try store.setServices(on: isOn, of: isMachines ? .machine : .account) }
    _ = try showAll()
    var notes: [ClientDiagnostic] = []
    if isOn, !store.areServicesOn(of: isMachines ? .account : .machine, notes: &notes) {
      let command = "beaconctl auth services on\(isMachines ? "" : " --machine")"
      io.show(
        "location services stay off: the \(isMachines ? "account" : "machine")'s switch is off;"
          + " '\(isMachines ? "" : "sudo ")\(command)' switches it on"
      )
    }
    return .done
  }

  /// `auth reset`: the client as if it had never been seen.
  package func reset() async throws -> ExitCode {
    let client = try clientToChange()
    if try await administer(.reset(client: client)) { return .done }
    try keeping { try store.reset(client) }
    try show([client], isOne: true)
    return .done
  }

  /// `auth forget`: removes every file of a client, and writes their paths.
  package func forget() throws -> ExitCode {
    // The operator's regions are kept as well, and can be forgotten.
    guard let client = arguments[Self.client] else {
      _ = try clientToChange()
      return .usage
    }
    try RunClient.check(client, arguments)
    let removed = try keeping { try store.forget(client) }
    if removed.isEmpty { io.show("nothing is kept of \(client)") }
    guard format != .table else {
      try io.write(table: removed)
      return .done
    }
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.string("client", client)
    writer.key("removed")
    writer.beginArray()
    for path in removed { writer.string(path) }
    writer.endArray()
    writer.endLine()
    try io.output.write(writer.bytes)
    return .done
  }

  private func change(_ change: (inout SavedAuthorization) -> Void) throws -> ExitCode {
    let client = try clientToChange()
    var notes: [ClientDiagnostic] = []
    try keeping { try store.change(client, notes: &notes, change) }
    for note in notes { io.show(ClientNote.text(of: note, client)) }
    try show([client], isOne: true)
    return .done
  }

  /// Changes the store, and gives its errors exit codes.
  @discardableResult
  private func keeping<Result>(_ change: () throws -> Result) throws -> Result {
    do {
      return try change()
    } catch let error as SystemError {
      throw CommandFailure(error)
    } catch let error as StoreError {
      throw CommandFailure(.badData, "\(error)")
    } catch let refusal as OutputRefusal {
      // Another file lies in the store; the command line does not name it.
      throw CommandFailure(.badData, "\(refusal)")
    }
  }

  private func clientToChange() throws -> String {
    guard let client = arguments[Self.client] else {
      let known = store.clients.map(\.tableName).joined(separator: ", ")
      throw UsageError.missing(
        [Self.client.usage],
        in: arguments.programName,
        hint: known.isEmpty ? nil : "known clients: \(known)"
      )
    }
    guard client != RunClient.operatorName else {
      throw UsageError(
        "the operator is always authorized, and fully; name a client",
        argument: arguments.place(of: Self.client)
      )
    }
    try RunClient.check(client, arguments)
    return client
  }

  // MARK: The service

  private func administer(
    _ change: (String) -> ClientService.Administration
  ) async throws -> Bool {
    guard service != nil else { return false }
    return try await administer(change(try clientToChange()))
  }

  /// Administers the service, and shows its grants; returns false if none runs.
  private func administer(_ work: ClientService.Administration) async throws -> Bool {
    guard let grants = try await service?.administer(work, arguments, io) else { return false }
    if !arguments.has(Options.quiet) {
      io.show("these are the grants of \(grants.name); --account shows those of this account")
    }
    var isOne = true
    switch work {
    case .status(nil), .services: isOne = false
    default: break
    }
    try show(grants.clients, areServicesOn: grants.areServicesOn, isOne: isOne)
    return true
  }

  // MARK: Showing

  /// Shows the switch and all clients; the code is that of a failure if they are not known.
  private func showAll() throws -> ExitCode {
    let clients: [String]
    do throws(SystemError) {
      clients = try store.knownClients()
    } catch {
      try show([String](), isOne: false)
      io.show("the clients cannot be read: \(error); each of them counts as denied")
      return CommandFailure(error).code
    }
    try show(clients, isOne: false)
    return .done
  }

  private func show(_ clients: [String], isOne: Bool) throws {
    var notes: [ClientDiagnostic] = []
    let areServicesOn = store.areServicesOn(notes: &notes)
    for note in notes { io.show(ClientNote.text(of: note, "every client")) }
    let rows = clients.map { client in
      var ofClient: [ClientDiagnostic] = []
      let grants = store.grants(of: client, notes: &ofClient)
      // The fault of the switch was shown above.
      for note in ofClient where !notes.contains(note) {
        io.show(ClientNote.text(of: note, client))
      }
      return (name: client, grants: grants)
    }
    try show(rows, areServicesOn: areServicesOn, isOne: isOne)
  }

  private func show(
    _ rows: [(name: String, grants: SavedAuthorization)],
    areServicesOn: Bool,
    isOne: Bool
  ) throws {
    var writer = JSONLineWriter()
    switch format {
    case .table:
      var names: [String: Int] = [:]
      for row in rows { names[row.name, default: 0] += 1 }
      var lines = rows.map { row in
        // Two names can be equal to Swift, and to the eye, although their bytes differ.
        let isOne = names[row.name] == 1
        return Self.line(of: row.grants, isOne ? row.name.tableName : "\"\(row.name.exactName)\"")
      }
      if !rows.isEmpty { lines.insert(Self.heading, at: 0) }
      if !isOne || !areServicesOn {
        lines.insert("services \(areServicesOn ? "on" : "off")", at: 0)
      }
      return try io.write(table: lines)
    case .jsonl:
      for row in rows {
        Self.append(row.grants, row.name, to: &writer)
        writer.endLine()
      }
      return try io.output.write(writer.bytes)
    default:
      writer.beginObject()
      writer.bool("services", areServicesOn)
      writer.key("clients")
      writer.beginArray()
      for row in rows {
        Self.append(row.grants, row.name, to: &writer)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
    try io.output.write(writer.bytes + [0x0A])
  }

  private static let heading =
    "\(Column.left("CLIENT", 24))  \(Column.left("STATUS", 20))  LOCATION"

  private static func line(of grants: SavedAuthorization, _ client: String) -> String {
    let accuracy = grants.accuracy == .full ? "precise" : "approximate"
    return
      "\(Column.left(client, 24))  \(Column.left(grants.effective.status.name, 20))  \(accuracy)"
  }

  /// Starts an object with a client's grants.
  private static func append(
    _ grants: SavedAuthorization,
    _ client: String,
    to writer: inout JSONLineWriter
  ) {
    writer.beginObject()
    writer.string("client", client)
    writer.string("status", grants.effective.status.name)
    writer.string("accuracy", grants.accuracy.name)
    writer.string("grant", grants.grant.rawValue)
    writer.bool("services", grants.servicesOn)
  }
}
