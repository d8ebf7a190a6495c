// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Counts the identities sighted, each once as long as it is remembered.
struct SightedIdentities: Sendable {
  private var table = IdentityTable()
  private let limit: Int
  /// Identities counted so far.
  private(set) var count = 0

  /// - Parameter limit: How many are remembered; when there are more, all are forgotten and those heard again count again.
  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// Whether an identity is remembered.
  @inline(__always)
  func contains(_ identity: BeaconIdentity) -> Bool { table.slot(of: TrackKey(identity)) != nil }

  /// Counts an identity that is not remembered, and remembers it.
  mutating func insert(_ identity: BeaconIdentity) {
    if table.count >= limit { table.removeAll() }
    _ = table.insert(TrackKey(identity))
    count &+= 1
  }
}
