// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

/// Whether the Bluetooth service lives, and whether its messages over D-Bus are of now.
///
/// Its messages keep their order. So its answer to a question shows that everything was read that it sent before. A service
/// that sends nothing may have nothing to report, or may hang: it is asked, and until it answers time passes only by
/// ``ScanWatch/shortestPause``, so that no exit is concluded from it.
package struct ServiceWatch: Sendable {
  /// After so long without a message it is asked, and not more often.
  package static let interval = TimeSpan.milliseconds(2500)
  /// A service that takes longer for its answer hangs.
  package static let patience = TimeSpan.seconds(4)

  private var lastMessage: Timestamp?
  private var lastQuestion = Timestamp.earliest
  private var number = 0
  private var isAsked = false
  /// Whether its messages are left out until it answers the last question.
  package private(set) var isBehind = false

  package init() {}

  /// When ``isDue(at:)`` or ``hangs(at:)`` may be true next; `nil` before its first message.
  package var deadline: Timestamp? {
    guard let lastMessage else { return nil }
    guard isAsked else { return max(lastMessage, lastQuestion) + Self.interval }
    return isBehind ? nil : max(lastMessage, lastQuestion) + Self.patience
  }

  /// Notes that it sent a message.
  package mutating func heard(at time: Timestamp) { lastMessage = max(lastMessage ?? time, time) }

  /// Whether it should be asked.
  package func isDue(at time: Timestamp) -> Bool {
    !isAsked && deadline.map { $0 <= time } ?? false
  }

  /// Until when its silence is known to be silence.
  package func horizon(at time: Timestamp) -> Timestamp {
    guard isAsked, !isBehind, let lastMessage else { return time }
    return min(time, lastMessage + ScanWatch.shortestPause)
  }

  /// Notes that it is asked, and returns the number of the question.
  package mutating func ask(at time: Timestamp) -> Int {
    (number, isAsked, lastQuestion) = (number + 1, true, time)
    return number
  }

  /// Whether it hangs from now on: it did not answer in time.
  package mutating func hangs(at time: Timestamp) -> Bool {
    guard isAsked, !isBehind, deadline.map({ $0 <= time }) ?? false else { return false }
    isBehind = true
    return true
  }

  /// Notes that this program did not read; messages after the answer to a later question are of now.
  package mutating func stalled() { isBehind = true }

  /// Notes an answer, or that none came in time; returns whether everything is of now again.
  package mutating func answered(_ question: Int, isAnswer: Bool, at time: Timestamp) -> Bool {
    guard question == number else { return false }
    isAsked = false
    guard isAnswer else { return false }
    heard(at: time)
    defer { isBehind = false }
    return isBehind
  }
}
