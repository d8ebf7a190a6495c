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

  /// Forgets all reports.
  mutating func forget() { list.removeAll(keepingCapacity: true) }

  /// Why none of the receivers that received a beacon within a time of the last report listens now; `nil` if one does, or
  /// none received any.
  func loss(_ receivers: ReceiverStates, within time: TimeSpan) -> RegionStateReason? {
    guard let last = list.last?.last else { return nil }
    return ReceiverStates.deafness(
      list.filter { last - $0.last <= time }.map { receivers.state(of: $0.receiver) }
    )
  }
}
