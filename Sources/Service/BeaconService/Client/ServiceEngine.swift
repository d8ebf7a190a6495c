// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
package import BeaconCore
package import Beacons
package import DBus
internal import Glibc
internal import Synchronization

/// The service's engine, for a session of this process.
///
/// A service that is started again is found again: its clients are opened again, what they ranged is ranged again, and
/// the crossings that were missed are delivered.
package final class ServiceEngine: RemoteEngine {
  /// Why the service cannot be used.
  package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// No service has the name.
    case notRunning
    /// The bus cannot be reached, or ended.
    case bus(String)
    /// The service refused to open the client.
    case refused(String)

    /// What is wrong.
    package var description: String {
      switch self {
      case .notRunning: "no service runs on this bus"
      case .bus(let reason): "the bus of the service cannot be reached: \(reason)"
      case .refused(let reason): "the service refuses this client: \(reason)"
      }
    }
  }

  /// What changed for a client besides its deliveries.
  package struct Standing: Sendable, Equatable {
    /// The client's key, such as `user:anna/guide`.
    package var key = ""
    /// Why nothing comes; empty if nothing prevents anything.
    package var limit = ""
  }

  /// What the connection's thread shares with others.
  final class Shared: Sendable {
    struct State: Sendable {
      var failure: Failure?
      var standings: [ClientID: Standing] = [:]
      var time = Timestamp.earliest
    }

    let state = Mutex(State())
    let changed: @Sendable (ClientID, Standing) -> Void

    init(_ changed: @escaping @Sendable (ClientID, Standing) -> Void) { self.changed = changed }
  }

  private let thread: BusThread
  private let shared: Shared

  /// Connects to the service of a bus.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - changed: Called on the connection's thread when a client's key or limit changes.
  /// - Throws: ``Failure`` if there is no bus or no service.
  package init(
    _ bus: BusAddress,
    changed: @escaping @Sendable (ClientID, Standing) -> Void = { _, _ in }
  ) async throws(Failure) {
    let shared = Shared(changed)
    self.shared = shared
    let (found, continuation) = AsyncStream<Failure?>.makeStream()
    do {
      thread = try BusThread(bus, gathering: .zero, takesDescriptors: true) {
        ServiceEngineHandler(shared, continuation)
      }
    } catch {
      throw .bus("\(error)")
    }
    var failure: Failure? = .notRunning
    for await found in found {
      failure = found
      break
    }
    guard let failure else { return }
    await thread.stop()
    throw failure
  }

  /// What is known of a client besides its deliveries.
  package func standing(of client: ClientID) -> Standing? {
    shared.state.withLock { $0.standings[client] }
  }

  package var now: Timestamp {
    // A service that replays a capture has another timeline.
    shared.state.withLock {
      $0.time > .earliest ? $0.time : Timestamp(microseconds: WallTime.microseconds)
    }
  }

  package var failure: (any Error)? { shared.state.withLock(\.failure) }

  package func open(
    _ client: ClientID,
    named name: String,
    _ manifest: Manifest,
    isForeground: Bool,
    deliver: @escaping @Sendable (Event, Timestamp) -> Void
  ) async throws -> RemoteClient {
    let opened: Result<RemoteClient, Failure> = await withCheckedContinuation { waiter in
      let isPosted = thread.post { loop in
        guard let handler = loop.handler as? ServiceEngineHandler else {
          return waiter.resume(returning: .failure(.notRunning))
        }
        let program = ServiceEngineHandler.Program(
          name: name,
          manifest: manifest,
          isForeground: isForeground,
          deliver: deliver
        )
        handler.open(client, program, loop) { waiter.resume(returning: $0) }
      }
      if !isPosted { waiter.resume(returning: .failure(.notRunning)) }
    }
    return try opened.get()
  }

  package func refusal(of request: ClientRequest) -> String? { request.refusal }

  package func request(_ request: ClientRequest, by client: ClientID) {
    post { $0.request(request, by: client, $1) }
  }

  package func setForeground(_ isForeground: Bool, of client: ClientID) {
    post { $0.setForeground(isForeground, of: client, $1) }
  }

  package func close(_ client: ClientID) { post { $0.close(client, $1) } }

  package func stop() async { await thread.stop() }

  private func post(_ work: @escaping @Sendable (ServiceEngineHandler, BusLoop) -> Void) {
    thread.post { loop in
      if let handler = loop.handler as? ServiceEngineHandler { work(handler, loop) }
    }
  }
}
