// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the owner must do after an input, in the order given.
public enum AuthorizationAction: Sendable, Hashable {
  /// Take the showing prompt away; it is not answered any more.
  case promptWithdrawn
  /// Forget a held event; it is never told.
  case dropHeld(id: UInt64)
  /// Tell the client that status or accuracy, or both, changed; these are the new values.
  case changed(AuthorizationStatus, AccuracyAuthorization)
  /// Tell the client a held event now.
  case deliverHeld(id: UInt64)
  /// Complete a program's request; only ``AuthorizationRequest/temporaryFull(purpose:)`` has a completion.
  case completion(AuthorizationRequest, error: LocationErrorCode?)
  /// Tell the client why nothing happens.
  case diagnostic(AuthorizationDiagnostic)
  /// Show another usage indicator.
  case indicator(UsageIndicator.Style)
  /// Tell a service session what stands in its way now; empty when nothing does.
  case serviceDiagnostics(id: UInt64, [ServiceSession.Diagnostic])
  /// Show a prompt to the person.
  case prompt(Prompt)
}
