// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit

/// A call that waits for its answer.
struct WaitingCall {
  let destination: String
  let deadline: Uptime
  let answered: (borrowing Message) -> Void
  let failed: (CallError) -> Void
}

/// The calls that wait for their answers, by the number of the message.
struct CallTable {
  /// The number of pending calls that the system bus allows for one connection (`max_replies_per_connection`).
  static let capacity = 128

  private var calls: [UInt32: WaitingCall] = [:]
  /// The earliest deadline; stored, because it is read before every wait.
  private(set) var nextDeadline: Uptime?

  var isFull: Bool { calls.count >= Self.capacity }

  mutating func add(_ call: WaitingCall, _ serial: UInt32) {
    calls[serial] = call
    nextDeadline = min(nextDeadline ?? call.deadline, call.deadline)
  }

  func destination(of serial: UInt32) -> String? { calls[serial]?.destination }

  mutating func remove(_ serial: UInt32) -> WaitingCall? {
    defer { nextDeadline = calls.values.map(\.deadline).min() }
    return calls.removeValue(forKey: serial)
  }

  /// Removes and returns the calls whose deadline has passed, in the order they were made.
  mutating func removeOverdue(_ now: Uptime) -> [WaitingCall] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    return calls.filter { $0.value.deadline <= now }.keys.sorted().compactMap { remove($0) }
  }

  /// Removes and returns all calls, in the order they were made.
  mutating func removeAll() -> [WaitingCall] {
    calls.keys.sorted().compactMap { remove($0) }
  }
}
