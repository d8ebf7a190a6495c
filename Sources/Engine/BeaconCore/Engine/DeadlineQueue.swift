// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Deadlines, earliest first.
///
/// This is a binary heap. A postponed deadline stays in it: when it comes up early, its owner gives the actual time.
struct DeadlineQueue<Entry: Comparable & Sendable>: Sendable {
  private var heap: [Entry] = []

  /// The earliest deadline.
  var first: Entry? { heap.first }

  /// Inserts a deadline in order.
  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { return }
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
      where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(least, parent)
      parent = least
    }
  }
}

/// A deadline of a region; ties are ordered by region identifier, then by client.
struct RegionDeadline: Comparable, Sendable {
  let time: Timestamp
  let identifier: RegionIdentifier
  let region: RegionReference

  static func < (first: RegionDeadline, second: RegionDeadline) -> Bool {
    if first.time != second.time { return first.time < second.time }
    if first.identifier != second.identifier { return first.identifier < second.identifier }
    if first.region.client != second.region.client {
      return first.region.client < second.region.client
    }
    return first.region.table.rawValue < second.region.table.rawValue
  }
}

/// The deadlines of clients' authorizations; a step of one client does not look at the others.
struct AuthorizationDeadlines: Sendable {
  private struct Entry: Comparable, Sendable {
    let time: Timestamp
    let client: Int

    static func < (first: Entry, second: Entry) -> Bool {
      (first.time, first.client) < (second.time, second.client)
    }
  }

  private var queue = DeadlineQueue<Entry>()
  /// The earliest time at which each client is in the queue; `nil` for a client that is not.
  private var queued: [Timestamp?] = []

  /// The earliest deadline; its client may have postponed it.
  var first: (time: Timestamp, client: Int)? { queue.first.map { ($0.time, $0.client) } }

  /// Notes a client's deadline, if any.
  mutating func note(_ time: Timestamp?, of client: Int) {
    guard let time else { return }
    while queued.count <= client { queued.append(nil) }
    if let earlier = queued[client], earlier <= time { return }
    queued[client] = time
    queue.insert(Entry(time: time, client: client))
  }

  /// Removes the earliest deadline.
  mutating func removeFirst() {
    guard let entry = queue.first else { return }
    queue.removeFirst()
    if queued[entry.client] == entry.time { queued[entry.client] = nil }
  }
}
