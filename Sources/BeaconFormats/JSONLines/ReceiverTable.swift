// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The receivers a recording names, by index.
struct ReceiverTable: Sendable, Equatable {
  /// Receivers told apart, all that a report's index can say.
  static let capacity = 256

  /// The names, in the order they were met.
  private(set) var names: [String] = []
  /// Each name with the quotes around it, as it stands in a line; one that needs escapes is never found this way.
  private(set) var quoted: [[UInt8]] = []

  /// Returns the index of a name, a new one when it was not met before; `nil` when the table is full.
  mutating func index(of name: String) -> UInt8? {
    if let index = names.firstIndex(of: name) { return UInt8(truncatingIfNeeded: index) }
    guard names.count < Self.capacity else { return nil }
    names.append(name)
    quoted.append([UInt8(ascii: "\"")] + Array(name.utf8) + [UInt8(ascii: "\"")])
    return UInt8(truncatingIfNeeded: names.count - 1)
  }
}
