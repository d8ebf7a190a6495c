// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import DBus

/// The next action of the service's shell.
package enum ServiceAction: Sendable, Equatable {
  /// Show a session's object to its owner.
  case publish(session: SessionNumber, owner: String)
  /// Remove a session's object.
  case unpublish(session: SessionNumber)
  /// A client's process starts: connect the client to the engine, or let it continue.
  case start(client: String, uid: UInt32, Manifest, wake: String?, isForeground: Bool)
  /// A client's last session ended: its ranging stops, its regions are still watched.
  case end(client: String)
  /// Write a request about a region into the client's journal, before the engine gets it.
  case keep(client: String, ClientRequest)
  /// Keep which notifications a client asked for.
  case keepNotifications(client: String, [ServedNotification])
  /// Send a client's request to the engine.
  case request(client: String, ClientRequest)
  /// Perform a user's actions.
  case user(client: String, UserAction)
  /// Send a signal of a session to its owner.
  case signal(session: SessionNumber, owner: String, String, [DBusValue])
  /// Tell a session's owner which properties changed.
  case changed(session: SessionNumber, owner: String, [String: DBusValue])
  /// Find out whether a program reads what is sent to it.
  case findOutWhetherItReads(String)
  /// Close a stream.
  case close(stream: UInt32)
  /// Ask a user through an agent.
  case ask(AgentQuestion)
  /// Take a question back.
  case cancel(agent: String, path: String, question: UInt32)
  /// Start the program of a client that is not running.
  case wake(String, client: String)
  /// Show the operator that an agent for a client's question is missing.
  case note(String, client: String)
}

/// A question on its way to an agent.
package struct AgentQuestion: Sendable, Equatable {
  /// Its number.
  package let number: UInt32
  /// The agent's name on the bus, and its object.
  package let agent: String
  package let path: String
  /// The client that asks, and whether it is known which program it is.
  package let client: String
  package let isVerified: Bool
  /// The question, or the notification.
  package let subject: Subject

  /// A task of an agent.
  package enum Subject: Sendable, Equatable {
    /// Ask a user.
    case prompt(Prompt)
    /// Show the notification of a region.
    case notification(RegionIdentifier, text: String)
  }

  /// The agent's method.
  package var member: String {
    switch subject {
    case .prompt: "Ask"
    case .notification: "Notify"
    }
  }

  /// The arguments of the method.
  package var arguments: [DBusValue] {
    switch subject {
    case .prompt(let prompt): arguments(prompt)
    // The agent needs no region.
    case .notification(_, let text):
      [.uint32(number), .string(client), .boolean(isVerified), .string(text)]
    }
  }

  private func arguments(_ prompt: Prompt) -> [DBusValue] {
    var detail: [DBusEntry] = [
      Self.entry("text", .string(prompt.text)),
      Self.entry("choices", .array(of: "s", prompt.choices.map { .string($0.rawValue) })),
      Self.entry("precise", .boolean(prompt.offersPrecise)),
    ]
    if let purpose = prompt.purpose { detail.append(Self.entry("purpose", .string(purpose))) }
    return [
      .uint32(number), .string(client), .boolean(isVerified), .string(prompt.kind.rawValue),
      .dictionary(of: "sv", detail),
    ]
  }

  private static func entry(_ key: String, _ value: DBusValue) -> DBusEntry {
    DBusEntry(key: .string(key), value: .variant(value))
  }
}

/// A program on the bus, as the service identified it.
package struct ServicePeer: Sendable, Equatable {
  /// Its unique name.
  package var name: String
  /// Its account.
  package var uid: UInt32
  /// Its origin.
  package var origin: CallerOrigin
  /// Whether it may do everything: root, the group of the service, the service's own account.
  package var isAdministrator: Bool

  /// Creates a peer.
  package init(name: String, uid: UInt32, origin: CallerOrigin, isAdministrator: Bool = false) {
    self.name = name
    self.uid = uid
    self.origin = origin
    self.isAdministrator = isAdministrator
  }
}
