// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// Reuses the beacon objects of a constraint's ticks.
///
/// An object that the delegate retained is not changed. All others are reused, since creating hundreds of objects each
/// second cost more than all other work (docs/core-location.md). The objects of two ticks alternate: a delegate that
/// keeps the last tick releases its objects when it receives the next.
struct TickBeacons {
  private let uuid: UUID
  private var last: [CLBeacon] = []
  private var lastButOne: [CLBeacon] = []

  init(of constraint: IdentityConstraint) {
    uuid = UUID(constraint.uuid)
  }

  /// Returns the beacons of a tick.
  mutating func beacons(of tick: ConstraintRanging) -> [CLBeacon] {
    swap(&last, &lastButOne)
    let count = tick.beacons.count
    if last.count > count { last.removeLast(last.count - count) }
    for index in last.indices {
      if isKnownUniquelyReferenced(&last[index]) {
        last[index].become(tick.beacons[index])
      } else {
        last[index] = CLBeacon(tick.beacons[index], uuid: uuid)
      }
    }
    for beacon in tick.beacons.dropFirst(last.count) {
      last.append(CLBeacon(beacon, uuid: uuid))
    }
    return last
  }
}
