// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An action of the caller after an input, in the order given.
package enum AuthorizationAction: Sendable, Hashable {
  /// Remove the prompt that is showing; it can no longer be answered.
  case promptWithdrawn
  /// Drop a held event; it is never delivered.
  case dropHeld(id: UInt64)
  /// Deliver to the client that status or accuracy, or both, changed; these are the new values.
  case changed(AuthorizationStatus, AccuracyAuthorization)
  /// Deliver a held event to the client now.
  case deliverHeld(id: UInt64)
  /// Complete a program's request; only ``AuthorizationRequest/temporaryFull(purpose:)`` has a completion.
  case completion(AuthorizationRequest, error: LocationErrorCode?)
  /// Deliver to the client why nothing happens.
  case diagnostic(AuthorizationDiagnostic)
  /// Show another usage indicator.
  case indicator(UsageIndicator.Style)
  /// Deliver to a service session what prevents its goal now; empty when nothing does.
  case serviceDiagnostics(id: UInt64, [ServiceSession.Diagnostic])
  /// Show a prompt to the user.
  case prompt(Prompt)
}
