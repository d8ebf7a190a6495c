// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons

/// `auth`: what clients are granted, as a person sees and changes it in Settings.
package struct AuthCommand {
  /// How grants are shown.
  private enum Format: String {
    case table, json, jsonl
  }

  private let arguments: ParsedArguments
  private let format: Format
  private let store: ClientStore
  private let io: CommandIO

  package init(_ arguments: ParsedArguments, io: CommandIO) {
    self.arguments = arguments
    self.io = io
    format =
      arguments.text(.format).flatMap(Format.init) ?? (io.output.isTerminal ? .table : .json)
    store = ClientStore(environment: io.environment)
  }

  /// `auth status`: the grants of one client, or of all that have any.
  package func status() throws -> ExitCode {
    let named = arguments.text(.client)
    if let named { try RunClient.check(named, arguments) }
    try show(named.map { [$0] } ?? store.clients, isOne: named != nil)
    return .done
  }

  /// `auth set`: decides in the person's place.
  package func set() throws -> ExitCode {
    let grant = arguments.text(BeaconctlGrammar.authGrant)
      .flatMap(SavedAuthorization.Grant.init)
    return try change { grants in
      grants.grant = grant ?? grants.grant
      grants.until = nil
      grants.confirmationDue = false
    }
  }

  /// `auth precise`: full or reduced accuracy.
  package func precise() throws -> ExitCode {
    let isOn = arguments.text(BeaconctlGrammar.authSwitch) == "on"
    return try change { $0.accuracy = isOn ? .full : .reduced }
  }

  /// `auth services`: the machine's switch.
  package func services() throws -> ExitCode {
    let isOn = arguments.text(BeaconctlGrammar.authSwitch) == "on"
    try keeping { try store.setServices(on: isOn) }
    try show(store.clients, isOne: false)
    return .done
  }

  /// `auth reset`: the client as if it had never been seen.
  package func reset() throws -> ExitCode {
    let client = try clientToChange()
    try keeping { try store.reset(client) }
    try show([client], isOne: true)
    return .done
  }

  private func change(_ change: (inout SavedAuthorization) -> Void) throws -> ExitCode {
    let client = try clientToChange()
    var notes: [ClientDiagnostic] = []
    try keeping { try store.change(client, notes: &notes, change) }
    for note in notes { io.say(ClientNote.text(of: note, client)) }
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
    }
  }

  private func clientToChange() throws -> String {
    guard let client = arguments.text(.client) else {
      let known = store.clients
      let hint = known.isEmpty ? "" : "; known are \(known.joined(separator: ", "))"
      throw UsageError("\(arguments.path.name) needs --client ID\(hint)")
    }
    guard client != RunClient.operatorName else {
      throw UsageError(
        "the operator is always authorized, and fully; name a client",
        argument: arguments.place(of: .client)
      )
    }
    try RunClient.check(client, arguments)
    return client
  }

  // MARK: Showing

  private func show(_ clients: [String], isOne: Bool) throws {
    var notes: [ClientDiagnostic] = []
    let areServicesOn = store.areServicesOn(notes: &notes)
    let rows = clients.map { (name: $0, grants: store.grants(of: $0, notes: &notes)) }
    for note in notes { io.say(ClientNote.text(of: note, clients.first ?? "the machine")) }
    var writer = JSONLineWriter()
    switch format {
    case .table:
      var lines = rows.map { Self.line(of: $0.grants, $0.name) }
      if !isOne || !areServicesOn {
        lines.insert("services \(areServicesOn ? "on" : "off")", at: 0)
      }
      return try io.output.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    case .jsonl:
      for row in rows {
        Self.append(row.grants, row.name, to: &writer)
        writer.endLine()
      }
      return try io.output.write(writer.bytes)
    case .json:
      writer.beginObject()
      writer.key("services")
      writer.bool(areServicesOn)
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

  /// The status that a client reads.
  private static func status(of grants: SavedAuthorization) -> AuthorizationStatus {
    guard grants.servicesOn else { return .denied }
    guard !grants.isRestricted else { return .restricted }
    return switch grants.grant {
    case .notDetermined: .notDetermined
    case .denied: .denied
    case .whenInUse, .untilMorning: .authorizedWhenInUse
    case .provisionalAlways, .always: .authorizedAlways
    }
  }

  private static func line(of grants: SavedAuthorization, _ client: String) -> String {
    let accuracy = grants.accuracy == .full ? "precise" : "approximate"
    return "\(Column.left(client, 24))  \(Column.left(status(of: grants).name, 20))  \(accuracy)"
  }

  /// Begins an object that says a client's grants.
  private static func append(
    _ grants: SavedAuthorization,
    _ client: String,
    to writer: inout JSONLineWriter
  ) {
    writer.beginObject()
    writer.key("client")
    writer.string(client)
    writer.key("status")
    writer.string(status(of: grants).name)
    writer.key("accuracy")
    writer.string(grants.accuracy.name)
    writer.key("grant")
    writer.string(grants.grant.rawValue)
    writer.key("services")
    writer.bool(grants.servicesOn)
  }
}
