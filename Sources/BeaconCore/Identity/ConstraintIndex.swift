// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Finds what a beacon satisfies among any number of constraints, in time that does not depend on their number.
///
/// Each constraint is kept under its own three fields; a beacon can satisfy only the three constraints that its own
/// fields spell.
struct ConstraintIndex<Subscriber: Equatable & Sendable>: Sendable {
  private var subscribers: [IdentityConstraint: [Subscriber]] = [:]
  /// Constraints a UUID, so that a beacon of a UUID nobody asked for costs one look-up.
  private var uuids: [UInt128: Int] = [:]

  /// Whether nobody asks for anything.
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
