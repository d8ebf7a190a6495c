// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The receivers that received a region's beacons: only silence of one that did so lately means that they are gone (row G26).
struct RegionWitnesses: Sendable {
  private struct Witness {
    let receiver: UInt8
    /// When it received one of the beacons for the last time.
    var last: Timestamp
  }

  /// In the order of the last reports.
  private var list: [Witness] = []
  /// Those of an earlier run, by name: a later run may number them differently, or not know them yet.
  private var restored: [String] = []
  private var restoredAt = Timestamp.earliest

  /// Notes a report.
  @inline(__always)
  mutating func received(by receiver: UInt8, at time: Timestamp) {
    if let last = list.last, last.receiver == receiver {
      list[list.count - 1].last = time
    } else {
      add(receiver, at: time)
    }
  }

  @inline(never)
  private mutating func add(_ receiver: UInt8, at time: Timestamp) {
    list.removeAll { $0.receiver == receiver }
    list.append(Witness(receiver: receiver, last: time))
  }

  /// Continues with those that an earlier run saved.
  mutating func restore(_ names: [String], at time: Timestamp) {
    (restored, restoredAt) = (Array(names.prefix(SavedRegion.receiverLimit)), time)
  }

  /// Forgets all reports.
  mutating func forget() {
    list.removeAll(keepingCapacity: true)
    restored = []
  }

  /// Why none of the receivers that received a beacon within a time of the last report listens now; `nil` if one does, or
  /// none received any.
  func loss(_ receivers: ReceiverStates, within time: TimeSpan) -> RegionStateReason? {
    let (list, restored) = latest(within: time)
    return ReceiverStates.deafness(
      list.map { receivers.state(of: $0.receiver) } + restored.map { receivers.state(named: $0) }
    )
  }

  /// The names of the receivers that received a beacon within a time of the last report, for a later run.
  ///
  /// If a source has one receiver, its state is that of reception.
  func names(_ receivers: ReceiverStates, within time: TimeSpan) -> [String] {
    let (list, restored) = latest(within: time)
    let names = receivers.names
    let own = names.count < 2 ? [] : list.map { Int($0.receiver) }.filter(names.indices.contains)
    return Set(own.map { names[$0] } + restored).sorted()
  }

  private func latest(within time: TimeSpan) -> (list: [Witness], restored: [String]) {
    let last = list.last?.last ?? restoredAt
    let isRecent = !restored.isEmpty && last - restoredAt <= time
    return (list.filter { last - $0.last <= time }, isRecent ? restored : [])
  }
}
