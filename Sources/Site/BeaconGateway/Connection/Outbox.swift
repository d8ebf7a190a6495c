// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Which records of the spool were sent, and which the broker has.
///
/// Records have numbers in the order in which they were written. New messages go first; the backlog is sent in
/// order after them. After a lost connection everything that the broker has not acknowledged is sent again.
package struct Outbox: Sendable {
  /// The most messages that wait for the broker's acknowledgment: what brokers allow at least.
  package static let inFlightLimit = 20
  /// Of these so many are left to new messages.
  package static let reserved = 5

  /// The first record that the broker does not have.
  package private(set) var head: UInt64
  /// The number of the next record that is written.
  package private(set) var end: UInt64
  private var next: UInt64
  private var done: Set<UInt64> = []
  private var inFlight: [Int32: UInt64] = [:]
  private var sent: Set<UInt64> = []

  /// - Parameters:
  ///   - head: The first record that the broker does not have.
  ///   - end: The number of the next record.
  package init(head: UInt64, end: UInt64) {
    self.head = min(head, end)
    self.end = end
    next = self.head
  }

  /// How many records the broker does not have.
  package var waiting: UInt64 { end - head - UInt64(done.count) }
  /// How many messages wait for an acknowledgment.
  package var unacknowledged: Int { inFlight.count }
  /// Whether a message that happens now may be sent now.
  package var hasRoom: Bool { inFlight.count < Self.inFlightLimit }

  /// A record was written; returns its number.
  package mutating func append() -> UInt64 {
    defer { end += 1 }
    return end
  }

  /// The record to send next of those that wait; `nil` while there is none, or too many are not acknowledged.
  package mutating func nextRecord() -> UInt64? {
    guard inFlight.count < Self.inFlightLimit - Self.reserved else { return nil }
    next = max(next, head)
    while next < end, done.contains(next) || sent.contains(next) { next += 1 }
    return next < end ? next : nil
  }

  /// A record was handed to the connection under a separate number.
  package mutating func sending(_ record: UInt64, as message: Int32) {
    inFlight[message] = record
    sent.insert(record)
  }

  /// The broker has a message; returns whether the head has moved.
  package mutating func acknowledged(_ message: Int32) -> Bool {
    guard let record = inFlight.removeValue(forKey: message) else { return false }
    sent.remove(record)
    return finish(record)
  }

  /// Whether the broker has a record.
  package func isDone(_ record: UInt64) -> Bool { record < head || done.contains(record) }

  /// A record cannot be read; it is left out.
  package mutating func skip(_ record: UInt64) -> Bool { finish(record) }

  private mutating func finish(_ record: UInt64) -> Bool {
    guard record >= head else { return false }
    done.insert(record)
    let old = head
    while done.remove(head) != nil { head += 1 }
    return head != old
  }

  /// The records before a number are no longer there.
  ///
  /// - Returns: How many of them the broker never got.
  package mutating func drop(before record: UInt64) -> UInt64 {
    var lost: UInt64 = 0
    while head < min(record, end) {
      if done.remove(head) == nil { lost += 1 }
      head += 1
    }
    next = max(next, head)
    return lost
  }

  /// The connection ended: unacknowledged messages are sent again, in order.
  package mutating func disconnected() {
    inFlight = [:]
    sent = []
    next = head
  }
}
