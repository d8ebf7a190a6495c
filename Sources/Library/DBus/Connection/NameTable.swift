// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The owners of the followed names.
struct NameTable {
  /// The unique names of programs whose end is awaited.
  private var peers: Set<String> = []
  private var watches = false
  private var owners: [(name: String, owner: SenderName?)] = []

  /// Follows a name; its owner is not known yet.
  mutating func follow(_ name: String) {
    if !isFollowed(name) { owners.append((name, nil)) }
  }

  func isFollowed(_ name: String) -> Bool { owners.contains { $0.name == name } }

  mutating func set(owner: String?, of name: String) {
    guard let index = owners.firstIndex(where: { $0.name == name }) else { return }
    owners[index].owner = owner.map { SenderName($0) }
  }

  /// Watches a program; returns false if it was watched already.
  mutating func watch(peer: String) -> Bool { peers.insert(peer).inserted }

  /// Returns true for the first program of a connection.
  mutating func beginsWatching() -> Bool {
    defer { watches = true }
    return !watches
  }

  /// Ends watching a program; returns false if it was not watched.
  mutating func unwatch(peer: String) -> Bool { peers.remove(peer) != nil }

  /// Removes all names: following ends with the connection.
  mutating func forget() {
    owners = []
    peers = []
    watches = false
  }

  /// Whether the message's sender owns a followed name.
  func isSent(byFollowed message: borrowing Message) -> Bool {
    for entry in owners {
      if let owner = entry.owner, message.isSent(by: owner) { return true }
    }
    return false
  }

  /// Whether the message's sender is the program that was called.
  ///
  /// If the name is not followed, this relies on the bus, which passes on answers only from the program that was
  /// called.
  func mayAnswer(_ message: borrowing Message, for destination: String) -> Bool {
    guard let entry = owners.first(where: { $0.name == destination }) else { return true }
    guard let owner = entry.owner else { return false }
    return message.isSent(by: owner)
  }

  /// Reads the bus's `NameOwnerChanged`; the owner is empty if the name has no owner any more.
  static func ownerChange(
    in message: borrowing Message
  ) -> (name: String, owner: String)? {
    message.read { cursor in
      guard let name = cursor.text(), cursor.advance(), cursor.advance(), let owner = cursor.text()
      else { return nil }
      return (name, owner)
    }
  }
}
