// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A service session for as long as it is kept: dropping the handle, or ``invalidate()``, ends it.
public final class ServiceSessionHandle: Sendable {
  /// What was declared.
  public let declaration: ServiceSession
  /// What stands in the way of the goal, anew at each change; empty when nothing does.
  ///
  /// A handle may be kept without listening, so a replay waits for this only once it is iterated.
  public let diagnostics: ClientSequence<[ServiceSession.Diagnostic]>

  private let client: BeaconClient

  init(_ declaration: ServiceSession, of client: BeaconClient) {
    self.declaration = declaration
    self.client = client
    let id = declaration.id
    diagnostics = client.sequence(isDetached: true) { message in
      guard case .delivery(let delivery, _) = message,
        case .serviceDiagnostics(id, let diagnostics) = delivery.event
      else { return nil }
      return diagnostics
    }
  }

  /// Ends the session at once.
  public func invalidate() async { await client.authorize(.endService(id: declaration.id)) }

  deinit {
    client.listeners.leave(.endService(id: declaration.id, of: client.id))
  }
}
