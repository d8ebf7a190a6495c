// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons
package import DBus

// What programs read of their client, and administrators of all clients.

extension ServiceMachine {
  /// Sends the properties that changed to the owners of a client's sessions.
  mutating func refresh(_ key: String) {
    guard let client = clients[key] else { return }
    for number in client.sessions {
      let values = properties(of: number)
      let old = sessions[number]?.sent ?? [:]
      let new = values.filter { old[$0.key] != $0.value }
      guard !new.isEmpty, let owner = sessions[number]?.owner else { continue }
      // The state at the start is read by the client, not signaled. The rest is sent when the program reads.
      if !old.isEmpty {
        guard budgets.maySend(to: owner) else { continue }
        budgets.sent(Self.changeBytes, to: owner)
        actions.append(.changed(session: number, owner: owner, new))
      }
      sessions[number]?.sent = values
    }
  }

  /// The most bytes of a signal of changed properties.
  private static let changeBytes = 1024

  /// The properties of a session.
  package func properties(of number: SessionNumber) -> [String: DBusValue] {
    guard let session = sessions[number], let client = clients[session.client] else { return [:] }
    let state = client.state ?? ClientReading()
    return [
      "Client": .string(client.key),
      "Verified": .boolean(client.isVerified),
      "Authorization": .string(state.effective.status.name),
      "Precise": .boolean(state.accuracy == .full),
      "Limit": .string(limit(of: client).rawValue),
    ]
  }

  func limit(of client: Client) -> SessionLimit {
    let state = client.state ?? ClientReading(isInUse: client.isForeground)
    return SessionLimit(
      state.effective,
      accuracy: state.accuracy,
      isInUse: state.isInUse,
      lacksSession: state.lacksSession,
      hasAgent: agents.canAsk(uid: client.uid),
      radio: radio
    )
  }

  /// What administrators see of the clients.
  ///
  /// - Parameter known: The store's state of clients; of those that the engine does not know yet, this is listed.
  /// - Returns: Each client with its properties, `a(sa{sv})`.
  package func clientList(with known: [String: SavedAuthorization]) -> DBusValue {
    var all = clients
    for (key, grants) in known where all[key]?.state == nil {
      var client =
        all[key] ?? Client(key: key, isVerified: key.hasPrefix("unit:"), uid: Self.unknownAccount)
      client.state = ClientReading(
        effective: grants.effective,
        accuracy: grants.accuracy,
        isInUse: client.isForeground,
        grants: grants
      )
      all[key] = client
    }
    return .array(of: "(sa{sv})", all.values.sorted { $0.key < $1.key }.map(entry))
  }

  /// Stands for the account of a client without a program so far; no account has this number.
  private static let unknownAccount = UInt32.max

  private func entry(_ client: Client) -> DBusValue {
    let state = client.state ?? ClientReading()
    var values: [(String, DBusValue)] = [
      ("Verified", .boolean(client.isVerified)),
      ("Authorization", .string(state.effective.status.name)),
      ("Grant", .string(state.grants.grant.rawValue)),
      ("Precise", .boolean(state.accuracy == .full)),
      ("Limit", .string(limit(of: client).rawValue)),
      ("Sessions", .uint32(UInt32(client.sessions.count))),
      ("Regions", .uint32(UInt32(client.regions?.count ?? 0))),
      ("LastUse", .int64(client.lastUse?.microseconds ?? 0)),
    ]
    if client.uid != Self.unknownAccount { values.append(("Account", .uint32(client.uid))) }
    let entries = values.map { DBusEntry(key: .string($0.0), value: .variant($0.1)) }
    return .structure([.string(client.key), .dictionary(of: "sv", entries)])
  }
}
