// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Array {
  /// Removes all elements and makes room for as many as will come.
  ///
  /// A crowd's tables are large. So what room there was is given back before larger room is taken, which an eighth to spare
  /// makes seldom: otherwise each second's one beacon more would leave a hole just too small for the next.
  mutating func removeAll(makingRoomFor count: Int) {
    removeAll(keepingCapacity: true)
    guard capacity < count else { return }
    self = []
    reserveCapacity(count + count / 8)
  }
}
