// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// The objects of a constraint's ticks.
///
/// An object that a delegate has kept is left to it; the others are used again, for making hundreds anew each second
/// cost more than the rest of the room (docs/core-location.md).
struct TickBeacons {
  private let uuid: UUID
  private var beacons: [CLBeacon] = []

  init(of constraint: IdentityConstraint) {
    uuid = UUID(constraint.uuid)
  }

  /// Returns the beacons of a tick.
  mutating func beacons(of tick: ConstraintRanging) -> [CLBeacon] {
    let count = tick.beacons.count
    if beacons.count > count { beacons.removeLast(beacons.count - count) }
    for index in beacons.indices {
      if isKnownUniquelyReferenced(&beacons[index]) {
        beacons[index].become(tick.beacons[index])
      } else {
        beacons[index] = CLBeacon(tick.beacons[index], uuid: uuid)
      }
    }
    for beacon in tick.beacons.dropFirst(beacons.count) {
      beacons.append(CLBeacon(beacon, uuid: uuid))
    }
    return beacons
  }
}
