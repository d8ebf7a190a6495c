// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons
internal import DBus

/// The bus on which a service is looked for.
public enum ServiceBus: Sendable, Hashable {
  /// The bus of the machine.
  case system
  /// A bus by its address, in D-Bus's form.
  case address(String)
}

extension BusAddress {
  init(_ bus: ServiceBus) {
    switch bus {
    case .system: self = .system
    case .address(let text): self.init(text)
    }
  }
}

extension BeaconSession {
  /// Creates a session whose engine is the service's.
  ///
  /// Clients have the same requests, sequences and diagnostics as in a session with a separate source. Grants and
  /// regions are the service's, under `user:ACCOUNT/NAME` or the program's system unit; a user answers its agent. A
  /// region with a separate place is refused, and so is a notification without a text or with more settings, with
  /// ``ClientDiagnostic/requestRefused(reason:)``. The service's agent shows notifications, and the client learns of one
  /// when the user taps it.
  ///
  /// While the service is gone, a client gets ``ClientDiagnostic/serviceUnavailable``, and then
  /// ``ClientDiagnostic/serviceAvailable``.
  ///
  /// - Parameters:
  ///   - bus: The bus of the service.
  ///   - log: Receives messages for the program's user.
  /// - Throws: ``ServiceFailure`` if there is no bus or no service.
  public init(service bus: ServiceBus, log: SessionLog? = nil) async throws {
    self.init(remote: try await ServiceEngine.connect(BusAddress(bus)), log: log)
  }
}

/// Connects to the service of the machine; `nil` if none runs.
///
/// `CoreLocation` calls this by its symbol, since an import would have to be loaded, with the C module of libdbus, by
/// every package of the same build that asks `canImport(CoreLocation)`.
@_silgen_name("beacons_open_service")
package nonisolated(nonsending) func openService() async -> RemoteConnection? {
  do throws(ServiceEngine.Failure) {
    return try await ServiceEngine.connect(.system)
  } catch {
    return nil
  }
}
