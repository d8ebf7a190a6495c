// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The regions' deadlines, earliest first; ties are ordered by region identifier, then by client.
///
/// This is a binary heap. A postponed deadline stays in it: when it comes up early, its region gives the actual time.
struct DeadlineQueue: Sendable {
  struct Entry: Sendable {
    let time: Timestamp
    let identifier: RegionIdentifier
    let region: RegionReference
  }

  private var heap: [Entry] = []

  /// The earliest deadline.
  var first: Entry? { heap.first }

  /// Inserts a deadline in order.
  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard Self.precedes(heap[child], heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the earliest deadline.
  mutating func removeFirst() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && Self.precedes(heap[child], heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(least, parent)
      parent = least
    }
  }

  private static func precedes(_ first: Entry, _ second: Entry) -> Bool {
    if first.time != second.time { return first.time < second.time }
    if first.identifier != second.identifier { return first.identifier < second.identifier }
    if first.region.client != second.region.client {
      return first.region.client < second.region.client
    }
    return first.region.table.rawValue < second.region.table.rawValue
  }
}
