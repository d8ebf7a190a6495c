// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Array {
  /// Removes all elements and reserves capacity for a number of new ones.
  ///
  /// With many beacons the tables are large. The old storage is released before larger storage is allocated, and an
  /// eighth of spare capacity makes that rare: otherwise each additional beacon would leave a hole just too small for
  /// the next table.
  mutating func removeAll(makingRoomFor count: Int) {
    removeAll(keepingCapacity: true)
    guard capacity < count else { return }
    self = []
    reserveCapacity(count + count / 8)
  }
}
