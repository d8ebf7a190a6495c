// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
public import Beacons
package import DBus

/// Why the service cannot be used.
public enum ServiceFailure: BeaconError, Sendable, Equatable {
  /// No service has the name.
  case notRunning
  /// The bus cannot be reached, or ended.
  case bus(String)
  /// The service did not answer in time.
  case noAnswer
  /// The service, or the bus for it, refused to open the client.
  case refused(String)

  /// The fault.
  public var description: String {
    switch self {
    case .notRunning: "no service runs on this bus"
    case .bus(let reason): "the bus of the service cannot be reached: \(reason)"
    case .noAnswer: "the service does not answer"
    case .refused(let reason): "the service refuses this client: \(reason)"
    }
  }
}

/// The service's engine, for a session or a run of this process.
///
/// A service that is started again is found again: its clients are opened again, their constraints are ranged again, and
/// the crossings that were missed are delivered.
package enum ServiceEngine {
  package typealias Failure = ServiceFailure

  /// A client's changes besides its deliveries.
  package struct Standing: Sendable, Equatable {
    /// The client's key, such as `user:anna/guide`.
    package var key = ""
    /// Why nothing comes; empty if nothing prevents anything.
    package var limit = ""
    /// Why the service, which runs, does not serve the client now; `nil` if it does, or is gone.
    ///
    /// It is tried again.
    package var fault: Failure?
  }

  /// Connects to the service of a bus.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - changed: Called on the connection's thread when a client's key or limit changes.
  /// - Returns: The connection.
  /// - Throws: ``Failure`` if there is no bus or no service.
  package static func connect(
    _ bus: BusAddress,
    changed: @escaping @Sendable (ClientID, Standing) -> Void = { _, _ in }
  ) async throws(Failure) -> RemoteConnection {
    let (found, continuation) = AsyncStream<Failure?>.makeStream()
    let thread: BusThread
    do {
      thread = try BusThread(bus, gathering: .zero, takesDescriptors: true) {
        ServiceEngineHandler(changed, continuation)
      }
    } catch {
      throw .bus("\(error)")
    }
    var failure: Failure? = .notRunning
    for await found in found {
      failure = found
      break
    }
    if let failure {
      await thread.stop()
      throw failure
    }
    return connection(thread)
  }

  private static func connection(_ thread: BusThread) -> RemoteConnection {
    RemoteConnection(
      open: { opening in
        let opened: Result<RemoteEngine.Client, Failure> = await withCheckedContinuation { waiter in
          let isPosted = thread.post { loop in
            guard let handler = loop.handler as? ServiceEngineHandler else {
              return waiter.resume(returning: .failure(.notRunning))
            }
            handler.open(opening, loop) { waiter.resume(returning: $0) }
          }
          if !isPosted { waiter.resume(returning: .failure(.notRunning)) }
        }
        return try opened.get()
      },
      refusal: { $0.refusal },
      send: { command in
        thread.post { loop in (loop.handler as? ServiceEngineHandler)?.perform(command, loop) }
      },
      stop: { await thread.stop() }
    )
  }
}
