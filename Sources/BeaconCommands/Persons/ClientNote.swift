// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// What a person should know of a client's files, in a line.
enum ClientNote {
  static func text(
    of note: ClientDiagnostic,
    _ client: String,
    _ what: String = "grants"
  ) -> String {
    switch note {
    case .stateSetAside(let path, let reason):
      "the \(what) of \(client) were damaged (\(reason)): the file is now \(path), and they start fresh"
    case .persistenceUnavailable(let reason): "the \(what) of \(client) cannot be kept: \(reason)"
    case .engine, .failure, .promptUnanswered, .deliveriesDropped: "\(note)"
    }
  }
}
