// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Deadlines, earliest first.
///
/// This is a binary heap. A postponed deadline stays in it: when it comes up early, its owner gives the actual time.
/// It moves a gap instead of swapping: Swift 6.3 removes the checks of `swapAt` in some runs and not in others, and a
/// release must have the same bytes when it is made again.
struct DeadlineQueue<Entry: Comparable & Sendable>: Sendable {
  private var heap: [Entry] = []

  /// The earliest deadline.
  var first: Entry? { heap.first }

  /// The number of deadlines.
  var count: Int { heap.count }

  /// Inserts a deadline in order.
  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var place = heap.count - 1
    while place > 0 {
      let parent = (place - 1) / 2
      let above = heap[parent]
      guard entry < above else { break }
      heap[place] = above
      place = parent
    }
    heap[place] = entry
  }

  /// Removes the earliest deadline.
  mutating func removeFirst() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      let below = heap[child]
      guard below < last else { break }
      heap[place] = below
      place = child
    }
    heap[place] = last
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
