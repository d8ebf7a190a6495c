// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds the constraints that a beacon satisfies, in time that does not depend on the number of constraints.
///
/// Constraints are stored by value. A beacon can satisfy only three: that of its UUID, of its UUID and major, and of
/// its whole identity.
struct ConstraintIndex<Subscriber: Equatable & Sendable>: Sendable {
  private var subscribers: [IdentityConstraint: [Subscriber]] = [:]
  /// The number of constraints per UUID, so that a beacon of another UUID costs one look-up.
  private var uuids: [UInt128: Int] = [:]

  /// Whether there are no constraints.
  var isEmpty: Bool { subscribers.isEmpty }

  /// Adds a subscriber to a constraint.
  mutating func insert(_ subscriber: Subscriber, for constraint: IdentityConstraint) {
    subscribers[constraint, default: []].append(subscriber)
    uuids[constraint.uuid, default: 0] += 1
  }

  /// Removes a subscriber from a constraint.
  mutating func remove(_ subscriber: Subscriber, for constraint: IdentityConstraint) {
    guard var known = subscribers[constraint],
      let index = known.firstIndex(of: subscriber)
    else { return }
    known.remove(at: index)
    subscribers[constraint] = known.isEmpty ? nil : known
    let left = (uuids[constraint.uuid] ?? 1) - 1
    uuids[constraint.uuid] = left > 0 ? left : nil
  }

  /// Whether a beacon satisfies any constraint.
  func matchesAny(_ identity: BeaconIdentity) -> Bool {
    guard uuids[identity.uuid] != nil else { return false }
    return subscribers[.uuid(identity.uuid)] != nil
      || subscribers[.major(identity.uuid, identity.major)] != nil
      || subscribers[.minor(identity)] != nil
  }

  /// Calls a closure with each subscriber whose constraint a beacon satisfies: the widest constraint's first, then in
  /// the order they were added.
  func forEachMatch(_ identity: BeaconIdentity, _ body: (Subscriber) -> Void) {
    guard uuids[identity.uuid] != nil else { return }
    subscribers[.uuid(identity.uuid)]?.forEach(body)
    subscribers[.major(identity.uuid, identity.major)]?.forEach(body)
    subscribers[.minor(identity)]?.forEach(body)
  }
}
