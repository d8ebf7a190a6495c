// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// The objects of a constraint's ticks.
///
/// An object that a delegate has kept is left to it; the others are used again, for making hundreds anew each second
/// cost more than the rest of the room (docs/core-location.md). Those of two ticks take turns: a delegate that keeps what
/// it was told last gives it back when it is told the next.
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
