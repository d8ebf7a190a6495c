// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit

/// Shows of many notes about an account's clients the first, and counts the others: a program can cause one with each call.
package struct NoteLimit: Sendable {
  /// How long further ones are only counted: as long as other commands leave out a repeated warning.
  package static let interval = Duration.seconds(10)
  /// The most accounts whose notes of a kind are shown in that time; those of others are counted together.
  package static let most = 20

  private struct Key: Hashable {
    let kind: ServiceNote.Kind
    /// `nil` for the accounts beyond the most.
    let account: Substring?
  }

  private struct Counted: Sendable {
    var since: Uptime
    var left = 0
  }

  private var counted: [Key: Counted] = [:]

  /// Creates a limit that has shown nothing.
  package init() {}

  /// Returns whether a note is shown at a time; otherwise it is counted.
  package mutating func shows(_ note: ServiceNote, at now: Uptime) -> Bool {
    guard let client = note.client, note.kind.isLimited else { return true }
    var key = Key(kind: note.kind, account: client.prefix { $0 != "/" })
    if counted[key] == nil, counted.keys.count(where: { $0.kind == note.kind }) >= Self.most {
      key = Key(kind: note.kind, account: nil)
    }
    guard counted[key] != nil else {
      counted[key] = Counted(since: now, left: key.account == nil ? 1 : 0)
      return key.account != nil
    }
    counted[key]?.left += 1
    return false
  }

  /// Returns a note about each account whose notes were counted for long enough, in order, and forgets them.
  package mutating func due(at now: Uptime) -> [ServiceNote] {
    let ended = counted.filter { now - $0.value.since >= Self.interval }
    var notes: [ServiceNote] = []
    for (key, value) in ended {
      counted[key] = value.left > 0 ? Counted(since: now) : nil
      guard value.left > 0 else { continue }
      let many = value.left == 1 ? "message" : "messages"
      let account = key.account ?? "other accounts"
      let text = "\(value.left) more \(many) about clients of \(account) of the kind '\(key.kind)'"
      notes.append(ServiceNote(key.kind, text))
    }
    return notes.sorted { $0.text < $1.text }
  }
}

extension ServiceNote.Kind {
  /// Whether a client's programs can cause any number of them.
  fileprivate var isLimited: Bool {
    switch self {
    case .storage, .refused, .woken: true
    case .ready, .busLost, .unanswered, .grantFile, .reloaded, .reloadFailed, .recording: false
    }
  }
}
