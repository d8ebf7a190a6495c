// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A handle that keeps a service session running: releasing the handle, or ``invalidate()``, ends the session.
public final class ServiceSessionHandle: Sendable {
  /// The session's declaration.
  public let declaration: ServiceSession
  /// The obstacles to the goal, delivered again at each change, if any.
  public let diagnostics: ClientSequence<[ServiceSession.Diagnostic]>

  private let client: BeaconClient

  init(_ declaration: ServiceSession, of client: BeaconClient) {
    self.declaration = declaration
    self.client = client
    let id = declaration.id
    diagnostics = client.sequence("diagnostics") { message in
      guard case .delivery(let delivery, _) = message,
        case .serviceDiagnostics(id, let diagnostics) = delivery.event
      else { return nil }
      return diagnostics
    }
  }

  /// Ends the session immediately.
  public func invalidate() async {
    await client.requestAuthorization(.endService(id: declaration.id))
  }

  deinit {
    client.listeners.leave(.endService(id: declaration.id, of: client.id))
  }
}
