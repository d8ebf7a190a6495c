// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The calls to other programs that the service makes for the programs of accounts: of each account a few at a time, the
/// next ones in turn.
///
/// A connection to the bus has few calls at a time. So no account can use those of another one, however slowly polkit or an
/// agent answers.
package struct CallTurns<Call> {
  /// How many calls of an account are made at the same time.
  static var atOnce: Int { 4 }
  /// How many more wait.
  static var mostWaiting: Int { 32 }

  private var running: [UInt32: Int] = [:]
  private var waiting: [UInt32: [Call]] = [:]

  /// Creates turns without calls.
  package init() {}

  /// What becomes of a call.
  package enum Turn: Sendable { case now, later, refused }

  /// Adds a call of an account.
  package mutating func add(_ call: Call, of uid: UInt32) -> Turn {
    guard running[uid, default: 0] >= Self.atOnce else {
      running[uid, default: 0] += 1
      return .now
    }
    guard waiting[uid, default: []].count < Self.mostWaiting else { return .refused }
    waiting[uid, default: []].append(call)
    return .later
  }

  /// Notes that a call of an account has ended; returns the one that is made now.
  package mutating func ended(of uid: UInt32) -> Call? {
    if let next = waiting[uid]?.first {
      waiting[uid]?.removeFirst()
      if waiting[uid]?.isEmpty == true { waiting[uid] = nil }
      return next
    }
    running[uid] = running[uid, default: 1] > 1 ? running[uid, default: 1] - 1 : nil
    return nil
  }
}
