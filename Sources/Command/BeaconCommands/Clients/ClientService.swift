// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCommandLine
package import BeaconCore
package import Beacons
package import SystemKit

/// A service of the machine that receives for several programs, as another module provides it.
///
/// If one runs, a client's command is one of its programs, and its grants are the service's.
package struct ClientService: Sendable {
  /// A connection to the service that runs.
  package struct Connection: Sendable {
    /// The name of the service in messages.
    package let name: String
    /// Its engine.
    package let engine: RemoteConnection
    /// The client's key in the service, and why nothing comes; again when one of them changes.
    package let standings: Mailbox<Standing>

    package init(name: String, engine: RemoteConnection, standings: Mailbox<Standing>) {
      self.name = name
      self.engine = engine
      self.standings = standings
    }
  }

  /// How a client is served.
  package struct Standing: Sendable, Equatable {
    /// The client's key in the service.
    package let key: String
    /// What keeps it from getting anything, as a sentence with the command that changes it; `nil` for nothing.
    package let limit: String?

    package init(key: String, limit: String?) {
      self.key = key
      self.limit = limit
    }
  }

  /// What `auth` wants of the service.
  package enum Administration: Sendable {
    case status(client: String?)
    /// A grant; without one, a policy that forbids location and keeps the grant.
    case set(client: String, SavedAuthorization.Grant?)
    case precise(client: String, Bool)
    case services(Bool)
    case reset(client: String)
  }

  /// The service's report on its grants.
  package struct Grants: Sendable {
    /// The name of the service in messages.
    package let name: String
    /// Whether its location services are on.
    package let areServicesOn: Bool
    /// The clients by their keys.
    package let clients: [(name: String, grants: SavedAuthorization)]

    package init(
      name: String,
      areServicesOn: Bool,
      clients: [(name: String, grants: SavedAuthorization)]
    ) {
      self.name = name
      self.areServicesOn = areServicesOn
      self.clients = clients
    }
  }

  /// Administers the service that a command line means.
  package typealias Administer =
    @Sendable (Administration, ParsedArguments, CommandIO) async throws -> Grants?

  /// Connects to the service; `nil` if none runs.
  package let connect: @Sendable (CommandIO) async throws -> Connection?
  /// The options of `auth` that choose among services.
  package let options: [any DeclaredOption]
  /// Administers the service that a command line means, and returns its grants; `nil` if none runs.
  package let administer: Administer
  /// Repeats the stream of a client of a service, from the files of the service's recording.
  package let replay: @Sendable (_ key: String, [String], CommandIO) throws -> ExitCode
  /// Describes the service for `doctor`, as part of a sentence.
  package let describe: @Sendable (CommandIO) async -> String

  package init(
    connect: @escaping @Sendable (CommandIO) async throws -> Connection?,
    options: [any DeclaredOption],
    administer: @escaping Administer,
    replay: @escaping @Sendable (_ key: String, [String], CommandIO) throws -> ExitCode,
    describe: @escaping @Sendable (CommandIO) async -> String
  ) {
    self.connect = connect
    self.options = options
    self.administer = administer
    self.replay = replay
    self.describe = describe
  }
}
