// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import DBus
internal import Synchronization
internal import SystemKit

/// A connection to the operator's stream of a service.
package final class SightingStream: Sendable {
  private struct State: Sendable {
    var lines: [[UInt8]] = []
    var hasEnded = false
  }

  /// The state that the reading thread and the user of the stream share.
  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  /// More lines than that do not wait: they are hours of a reader that stopped.
  private static let limit = 10_000

  private let connection: ServiceConnection
  private let reader: StreamLineReader
  private let shared: Shared

  /// Opens the stream.
  ///
  /// - Throws: ``BusFailure`` without a bus, ``CallError`` if there is no service or it refuses.
  package init(_ bus: BusAddress) async throws {
    let connection = try await ServiceConnection(bus)
    let shared = Shared()
    do {
      let values = try await connection.call(ServiceName.admin, "OpenSightings")
      guard case .descriptor(let file)? = values.first, let number = file.take() else {
        throw CallError.disconnected
      }
      reader = StreamLineReader(number) {
        shared.state.withLock { $0.hasEnded = true }
      } deliver: { line in
        shared.state.withLock { if $0.lines.count < Self.limit { $0.lines.append(line) } }
      }
    } catch {
      await connection.close()
      throw error
    }
    self.connection = connection
    self.shared = shared
  }

  /// Returns the lines that came since the last call, without their ends, in order; `nil` once the stream has ended and all
  /// were returned.
  package func drain() -> [[UInt8]]? {
    shared.state.withLock { state in
      defer { state.lines = [] }
      return state.lines.isEmpty && state.hasEnded ? nil : state.lines
    }
  }

  /// Closes the connection.
  package func close() {
    reader.stop()
    Task { [connection] in await connection.close() }
  }
}
