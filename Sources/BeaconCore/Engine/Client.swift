// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the engine knows of one client.
struct Client: Sendable {
  /// One constraint that the client ranges.
  struct Ranging: Sendable {
    let constraint: IdentityConstraint
    /// The constraint's number in the ``ConstraintTable``.
    let number: Int32
    /// When the client asked; nothing heard before is told, and the first tick is the first whole second after it.
    let startedAt: Timestamp
  }

  let id: ClientID
  /// What the client ranges, in the order of the constraints.
  private(set) var rangings: [Ranging] = []

  /// Adds a constraint, unless the client ranges it already.
  mutating func add(_ ranging: Ranging) {
    let place = rangings.firstIndex { ranging.constraint < $0.constraint } ?? rangings.count
    rangings.insert(ranging, at: place)
  }

  /// Whether the client ranges a constraint.
  func ranges(_ constraint: IdentityConstraint) -> Bool {
    rangings.contains { $0.constraint == constraint }
  }

  /// Removes a constraint and returns whether the client ranged it.
  mutating func remove(_ constraint: IdentityConstraint) -> Bool {
    guard let index = rangings.firstIndex(where: { $0.constraint == constraint }) else {
      return false
    }
    rangings.remove(at: index)
    return true
  }
}
