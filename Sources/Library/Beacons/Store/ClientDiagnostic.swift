// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A condition that a client should know of, found by the engine or by the session.
public enum ClientDiagnostic: Sendable, Equatable {
  /// A condition that the engine found.
  case engine(Diagnostic, at: Timestamp)
  /// A request cannot be fulfilled.
  case failure(LocationErrorCode, FailedSubject, at: Timestamp)
  /// The service of the machine cannot do a request as it is, and does not do it.
  case requestRefused(reason: String)
  /// A prompt is shown and nothing answers it; it stays open.
  indirect case promptUnanswered(Prompt)
  /// A live source continued before its messages were processed: how many were dropped so far, the oldest first.
  case deliveriesDropped(total: Int)
  /// A damaged state file was set aside under a new name, and the monitor started without its state.
  case stateSetAside(path: String, reason: String)
  /// A newer version of the program wrote the file; this one neither reads nor replaces it.
  case stateOfNewerVersion(path: String, version: Int)
  /// A switch of location services exists but cannot be read; it counts as off.
  case switchUnreadable(path: String, reason: String)
  /// State cannot be read or written; the client continues without it.
  case persistenceUnavailable(reason: String)
  /// The replay ended before the client ranged or monitored anything, so it received nothing of the beacons.
  case nothingRequested
  /// The replay waited for a program in which nothing happened for long, and continues without: from here on its events
  /// may differ from one run to the next.
  case replayContinued(without: String)

  /// Whether this replaces an earlier diagnostic: of several counts only the last matters.
  func supersedes(_ earlier: ClientDiagnostic) -> Bool {
    if case .deliveriesDropped = self, case .deliveriesDropped = earlier { return true }
    return false
  }
}
