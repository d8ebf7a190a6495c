// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

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
  /// The machine's service ended; the client is opened again when it is back.
  case serviceUnavailable
  /// The machine's service is back: ranging continues, and missed crossings are delivered.
  case serviceAvailable

  /// Whether this replaces an earlier diagnostic: of several counts only the last matters.
  func supersedes(_ earlier: ClientDiagnostic) -> Bool {
    if case .deliveriesDropped = self, case .deliveriesDropped = earlier { return true }
    return false
  }

  /// Whether it reports that a fault is over.
  var isGood: Bool { self == .serviceAvailable }
}

extension ClientDiagnostic: CustomStringConvertible {
  /// The condition, for a user.
  public var description: String {
    switch self {
    case .engine(let diagnostic, _): EventSentence.text(of: .diagnostic(diagnostic))
    case .failure(let code, let subject, _): EventSentence.text(of: .failure(code, subject))
    case .requestRefused(let reason): reason
    case .promptUnanswered(let prompt): "nothing answers the prompt '\(prompt.text)'"
    case .deliveriesDropped(let total):
      "\(total) deliveries were dropped, since the program was slow"
    case .stateSetAside(let path, let reason): "the file is damaged (\(reason)) and now \(path)"
    case .stateOfNewerVersion(let path, let version):
      "\(path) is of version \(version) and not read"
    case .switchUnreadable(let path, let reason):
      "\(path) cannot be read (\(reason)): services are off"
    case .persistenceUnavailable(let reason): "state cannot be kept: \(reason)"
    case .nothingRequested: "the replay ended before anything was ranged or monitored"
    case .replayContinued(let waited):
      "the replay continues without \(waited): its events may differ from one run to the next"
    case .serviceUnavailable: "the service has ended; connecting again"
    case .serviceAvailable: "connected to the service again"
    }
  }
}
