// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the constraints that a beacon satisfies, in time that does not depend on the number of constraints.
///
/// Constraints are stored by value. A beacon can satisfy only three: that of its UUID, of its UUID and major, and of
/// its whole identity.
struct ConstraintIndex<Subscriber: Equatable & Sendable>: Sendable {
  private typealias Entry = ConstraintEntry<Subscriber>

  private var entries: [IdentityConstraint: Entry] = [:]

  /// Whether it is empty.
  var isEmpty: Bool { entries.isEmpty }

  /// Adds a subscriber to a constraint.
  mutating func insert(_ subscriber: Subscriber, for constraint: IdentityConstraint) {
    entries[constraint, default: Entry()].subscribers.append(subscriber)
    if constraint.major != nil { entries[.uuid(constraint.uuid), default: Entry()].narrower += 1 }
  }

  /// Removes a subscriber from a constraint.
  mutating func remove(_ subscriber: Subscriber, for constraint: IdentityConstraint) {
    guard var known = entries[constraint],
      let index = known.subscribers.firstIndex(of: subscriber)
    else { return }
    known.subscribers.remove(at: index)
    entries[constraint] = known.isEmpty ? nil : known
    guard constraint.major != nil, var wide = entries[.uuid(constraint.uuid)] else { return }
    wide.narrower -= 1
    entries[.uuid(constraint.uuid)] = wide.isEmpty ? nil : wide
  }

  /// Returns the first subscriber of a constraint, if any.
  func first(of constraint: IdentityConstraint) -> Subscriber? {
    entries[constraint]?.subscribers.first
  }

  /// Whether a beacon satisfies any constraint.
  func matchesAny(_ identity: BeaconIdentity) -> Bool {
    guard let wide = entries[.uuid(identity.uuid)] else { return false }
    if !wide.subscribers.isEmpty { return true }
    return entries[.major(identity.uuid, identity.major)] != nil
      || entries[.minor(identity)] != nil
  }

  /// Calls a closure with each subscriber whose constraint a beacon satisfies: the widest constraint's first, then in
  /// the order they were added.
  func forEachMatch(_ identity: BeaconIdentity, _ body: (Subscriber) -> Void) {
    guard let wide = entries[.uuid(identity.uuid)] else { return }
    wide.subscribers.forEach(body)
    guard wide.narrower > 0 else { return }
    entries[.major(identity.uuid, identity.major)]?.subscribers.forEach(body)
    entries[.minor(identity)]?.subscribers.forEach(body)
  }
}

/// The subscribers of a constraint.
///
/// Nested in the index, each would need its subscribers to be comparable, which a program looks up when it starts.
private struct ConstraintEntry<Subscriber: Sendable>: Sendable {
  var subscribers: [Subscriber] = []
  /// In the entry of a UUID, how many subscribers its narrower constraints have: a beacon of another UUID costs one
  /// look-up, and so does any beacon without constraints.
  var narrower = 0

  var isEmpty: Bool { subscribers.isEmpty && narrower == 0 }
}
