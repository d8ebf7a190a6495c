// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// What takes part in a run beside the engine: outputs, a recording, a view, a user.
///
/// A run calls its participants in their order, on the run's own thread, where they may block. A participant reads the
/// driver and queues user actions in ``RunUserActions``; only the run asks the driver for its next step.
package protocol RunParticipant: AnyObject {
  /// Whether ``recorded(_:receivers:)`` is wanted, which costs time for each input.
  var wantsSlices: Bool { get }
  /// Whether the run is to end.
  var wantsEnd: Bool { get }
  /// Whether the run must wait for an answer in ``waitForUser(within:)``, as on a replay that asks its user.
  var needsUser: Bool { get }
  /// The run is about to start at a time; who cannot take part throws here, before any output is opened.
  func willBegin(at time: Timestamp) throws
  /// The run starts: the timeline starts, and requests can be made.
  func begin(_ driver: inout EngineDriver, receivers: [String]) throws
  /// Inputs were read and are processed next, or the source has ended.
  func received() throws
  /// The names of the receivers, where more are known than at the start; called before the first input of a new one.
  func named(receivers: [String])
  /// The engine delivered these, and the program has answered them.
  func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) throws
  /// The program may have notices for its user; the deliveries that it answers were shown.
  func noticed() throws
  /// These inputs were admitted.
  func recorded(_ slice: ScanSlice, receivers: [String]) throws
  /// A user action was performed; what it caused is not yet delivered.
  func recordedAction(_ action: RecordedUserAction) throws
  /// The client's program starts again: a recording goes on with a later run, which made its requests anew.
  func startedAgain(_ driver: inout EngineDriver)
  /// All is delivered before a user action, after one, and at a batch's end: a client's state may have changed in silence.
  func settled(_ driver: borrowing EngineDriver) throws
  /// The run is about to wait for inputs, or for its user.
  func willWait() throws
  /// The run waits, and this is the time of the timeline meanwhile; called several times a second.
  func timePassed(to time: Timestamp)
  /// Waits for what the user answers, but no longer than a time.
  func waitForUser(within span: Duration) throws
  /// The source has ended, and all that was due is delivered.
  func sourceEnded(_ driver: borrowing EngineDriver) throws
  /// All is delivered that will be, also what a drain delivers behind the end of the source.
  func ended(_ driver: borrowing EngineDriver) throws
  /// The run is over, whether it reached its end or failed.
  func end(at time: Timestamp)
}

extension RunParticipant {
  package var wantsSlices: Bool { false }
  package var wantsEnd: Bool { false }
  package var needsUser: Bool { false }
  package func willBegin(at time: Timestamp) throws {}
  package func begin(_ driver: inout EngineDriver, receivers: [String]) throws {}
  package func received() throws {}
  package func named(receivers: [String]) {}
  package func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) throws {}
  package func noticed() throws {}
  package func recorded(_ slice: ScanSlice, receivers: [String]) throws {}
  package func recordedAction(_ action: RecordedUserAction) throws {}
  package func startedAgain(_ driver: inout EngineDriver) {}
  package func settled(_ driver: borrowing EngineDriver) throws {}
  package func willWait() throws {}
  package func timePassed(to time: Timestamp) {}
  package func waitForUser(within span: Duration) throws {}
  package func sourceEnded(_ driver: borrowing EngineDriver) throws {}
  package func ended(_ driver: borrowing EngineDriver) throws {}
  package func end(at time: Timestamp) {}
}

/// The program of a run's client, whatever its notices are.
package protocol HostedProgram: AnyObject {
  /// Starts the program and returns its first requests.
  func begin(_ snapshot: ClientSnapshot?, at time: Timestamp) -> [ClientRequest]
  /// Answers a delivery.
  func answer(_ delivery: Delivery) -> [ClientRequest]
  /// Answers what the user did with the program itself.
  func answer(_ action: UserAction, at time: Timestamp) -> [ClientRequest]
  /// Drops the notices: every participant has seen them.
  func dropNotices()
}

/// Keeps a program, and its notices until they are shown.
package final class ProgramHost<Program: ClientProgram>: HostedProgram {
  /// The program as it is after its last answer.
  package private(set) var program: Program
  /// The notices that the participants have not seen yet, with the times of what they answer.
  package private(set) var notices: [(notice: Program.Notice, time: Timestamp)] = []
  /// Whether the program has ranged or monitored anything.
  package private(set) var hasAsked = false

  package init(_ program: Program) {
    self.program = program
  }

  package func begin(_ snapshot: ClientSnapshot?, at time: Timestamp) -> [ClientRequest] {
    keep(program.begin(snapshot), at: time)
  }

  package func answer(_ delivery: Delivery) -> [ClientRequest] {
    keep(program.answer(delivery), at: delivery.time)
  }

  package func answer(_ action: UserAction, at time: Timestamp) -> [ClientRequest] {
    keep(program.answer(action), at: time)
  }

  package func dropNotices() { notices = [] }

  private func keep(
    _ answer: ProgramAnswer<Program.Notice>,
    at time: Timestamp
  ) -> [ClientRequest] {
    notices += answer.notices.map { ($0, time) }
    hasAsked = hasAsked || answer.requests.contains(where: \.asksForBeacons)
    return answer.requests
  }
}
