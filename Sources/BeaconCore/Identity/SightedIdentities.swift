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

  /// Counts an identity, unless it is remembered.
  @inline(__always)
  mutating func insert(_ identity: BeaconIdentity) {
    let key = TrackKey(identity)
    if table.slot(of: key) == nil { remember(key) }
  }

  @inline(never)
  private mutating func remember(_ key: TrackKey) {
    if table.count >= limit { table.removeAll() }
    _ = table.insert(key)
    count &+= 1
  }
}
