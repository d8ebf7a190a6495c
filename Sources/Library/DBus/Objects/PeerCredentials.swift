// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Who a program on the bus is, as the bus knows it from the program's socket.
package struct PeerCredentials: Sendable, Equatable {
  /// The account that it ran as when it connected.
  package var uid: UInt32
  /// The number of its process when it connected, which may have ended since; `nil` if the bus does not know it.
  package var pid: UInt32?
  /// The groups of the account when it connected, its own and the further ones; empty if the bus does not know them.
  package var groups: [UInt32]

  /// Creates credentials.
  package init(uid: UInt32, pid: UInt32? = nil, groups: [UInt32] = []) {
    self.uid = uid
    self.pid = pid
    self.groups = groups
  }

  /// The bus's answer to `GetConnectionCredentials`; `nil` without an account.
  init?(_ answer: [DBusValue]) {
    guard case .dictionary(_, let entries)? = answer.first else { return nil }
    var uid: UInt32?
    pid = nil
    groups = []
    for entry in entries {
      guard case .variant(let value) = entry.value else { continue }
      switch (entry.key.text, value) {
      case ("UnixUserID", .uint32(let number)): uid = number
      case ("ProcessID", .uint32(let number)): pid = number
      case ("UnixGroupIDs", .array(_, let values)):
        groups = values.compactMap { if case .uint32(let group) = $0 { group } else { nil } }
      default: continue
      }
    }
    guard let uid else { return nil }
    self.uid = uid
  }
}

extension BusLoop {
  /// Asks the bus who a program is.
  ///
  /// - Parameters:
  ///   - peer: The program's unique name.
  ///   - timeout: How long to wait.
  ///   - done: Called once, on this thread, with the credentials, or with the reason why they are missing: the program has
  ///     left the bus, or too many questions are open.
  package func credentials(
    of peer: String,
    timeout: Duration,
    then done: @escaping (Result<PeerCredentials, CallError>) -> Void
  ) {
    call(.bus("GetConnectionCredentials", [.string(peer)]), timeout: timeout) { result in
      done(
        result.flatMap { values in
          PeerCredentials(values).map { .success($0) } ?? .failure(.unexpectedAnswer(signature: ""))
        }
      )
    }
  }
}
