// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How much of a limited table each of several peers uses.
///
/// While there is room, a peer uses as much as it likes. In a full table each peer still gets its equal share, so that no
/// peer takes another one's; the table then has at most twice its limit.
package struct PeerShares: Sendable {
  private let limit: Int
  private var used: [String: Int] = [:]
  /// How much all peers use.
  package private(set) var total = 0

  /// - Parameter limit: How much all peers use before each has only its share.
  package init(limit: Int) { self.limit = limit }

  /// Whether a peer may use more.
  package func mayAdd(_ count: Int, of peer: String) -> Bool {
    guard total + count > limit else { return true }
    let own = used[peer]
    let peers = used.count + (own == nil ? 1 : 0)
    return (own ?? 0) + count <= limit / peers
  }

  /// Notes that a peer uses more, or less if the count is negative.
  package mutating func add(_ count: Int, of peer: String) {
    let own = used[peer] ?? 0
    let new = max(0, own + count)
    total += new - own
    used[peer] = new > 0 ? new : nil
  }
}
