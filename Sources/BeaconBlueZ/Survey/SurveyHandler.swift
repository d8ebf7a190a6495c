// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import DBus
internal import Synchronization

/// Whether the connection of a survey came about, told once from the bus's thread.
final class SurveyConnection: Sendable {
  private struct State {
    var outcome: String??
    var waiter: CheckedContinuation<String?, Never>?
  }

  private let state = Mutex(State())

  /// Tells that there is a connection (`nil`), or why there is none; only the first counts.
  func settle(_ failure: String?) {
    let waiter = state.withLock { state in
      guard state.outcome == nil else { return nil as CheckedContinuation<String?, Never>? }
      state.outcome = .some(failure)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: failure)
  }

  /// Returns why there is no connection; `nil` where there is one.
  func failure() async -> String? {
    await withCheckedContinuation { waiter in
      let outcome = state.withLock { state in
        if state.outcome == nil { state.waiter = waiter }
        return state.outcome
      }
      if let outcome { waiter.resume(returning: outcome) }
    }
  }
}

/// Connects, and leaves the questions to a task.
final class SurveyHandler: BusHandler {
  private let connection: SurveyConnection

  init(_ connection: SurveyConnection) {
    self.connection = connection
  }

  func connected(_ loop: BusLoop) { connection.settle(nil) }
  func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {}
  func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool { true }
  func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? { nil }
  func drained(_ loop: BusLoop) {}
  var nextDeadline: Uptime? { nil }
  func timePassed(_ loop: BusLoop) {}

  func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
    switch failure {
    case .cannotConnect(let words): connection.settle(words)
    case .notGreeted: connection.settle("the bus does not take us in")
    case .lost: connection.settle("the connection was lost")
    }
    return nil
  }
}
