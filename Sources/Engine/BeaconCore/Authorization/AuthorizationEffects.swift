// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The effects of one input on the state machines, before they are put in the order of delivery.
package struct AuthorizationEffects: Sendable, Equatable {
  package var withdrawsPrompt = false
  package var dropped: [UInt64] = []
  package var delivered: UInt64?
  package var completions: [Completion] = []
  package var diagnostics: [AuthorizationDiagnostic] = []
  package var shown: Prompt?
  /// Service sessions whose prompt was removed without an answer, and which may request again.
  package var unansweredServices: [UInt64] = []
  /// Whether temporary full accuracy ended by itself, after which service sessions request it again.
  package var temporaryFullLapsed = false

  /// The end of a request for temporary full accuracy.
  package struct Completion: Sendable, Equatable {
    package let purpose: String
    package let error: LocationErrorCode?
  }

  package init() {}

  /// Adds the effects of a later part of the same input.
  package mutating func append(_ later: AuthorizationEffects) {
    withdrawsPrompt = withdrawsPrompt || later.withdrawsPrompt
    dropped += later.dropped
    delivered = later.delivered ?? delivered
    completions += later.completions
    diagnostics += later.diagnostics
    shown = later.shown ?? shown
    unansweredServices += later.unansweredServices
    temporaryFullLapsed = temporaryFullLapsed || later.temporaryFullLapsed
  }

  /// Returns all actions in order: those up to the authorization callback, then those after it.
  ///
  /// The callback precedes a completion (row Ae) and a held event that the new grant releases. A new prompt comes last,
  /// because everything else can cause it.
  package func actions(
    change: AuthorizationAction?,
    presentation: [AuthorizationAction]
  ) -> [AuthorizationAction] {
    var actions: [AuthorizationAction] = []
    if withdrawsPrompt { actions.append(.promptWithdrawn) }
    actions += dropped.map { .dropHeld(id: $0) }
    if let change { actions.append(change) }
    if let delivered { actions.append(.deliverHeld(id: delivered)) }
    actions += completions.map {
      .completion(.temporaryFull(purpose: $0.purpose), error: $0.error)
    }
    actions += diagnostics.map { .diagnostic($0) }
    actions += presentation
    if let shown { actions.append(.prompt(shown)) }
    return actions
  }
}
