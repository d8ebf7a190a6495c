// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A participant in a run besides the engine: an output, a recording, a view, a user.
///
/// A run calls its participants in their order, on the run's own thread, if they may block. A participant handles
/// the moments that concern it, and ignores the others.
package protocol RunParticipant: AnyObject {
  /// Handles a moment of a run; it may make requests and perform user actions.
  func handle(_ moment: RunMoment, _ run: inout RunContext) throws
}

/// A moment in a run, as its participants see it.
package enum RunMoment: Sendable {
  /// The run is about to start; a participant that cannot run throws here, before any output is opened.
  case willBegin
  /// The timeline starts; requests can be made.
  case begins
  /// Inputs were read and are processed next, or the source has ended. The names of the receivers are known.
  case received
  /// The engine delivered these, and the program has answered them.
  case delivered([Delivery])
  /// The program may have notices for its user; the deliveries that it answered were shown.
  case noticed
  /// These inputs were admitted; only if a participant asked the driver to keep slices.
  case recorded(ScanSlice)
  /// A user action was performed; its effects are not yet delivered.
  case recordedAction(TimedUserAction)
  /// Everything was delivered before a user action, after one, or at the end of a batch: a client's state may have
  /// changed without a delivery.
  case settled
  /// The run waits, for inputs, a time or its user, and the timeline is at this time; several times a second.
  case willWait(at: Timestamp)
  /// The run waits for its user: a participant that called ``RunContext/waitForUser()`` waits now, at most so long.
  case user(within: Duration)
  /// The source has ended, and every due deadline is delivered.
  case sourceEnded
  /// The run is over. It is complete if everything was delivered, including a drain, and not if it failed.
  ///
  /// Every participant gets it, also if another one throws.
  case ended(isComplete: Bool)
}

/// The context that the participants of a run share: the engine, the client, and their requests to the run.
package struct RunContext: ~Copyable {
  /// The engine, which participants read and ask; only the run asks it for its next step.
  package var engine: RunEngine
  /// The names of the receivers by now, by their number in reports.
  package private(set) var receivers: [String]
  /// How the run ends.
  package var policy: EndPolicy
  /// Whether the run ends before its source does.
  package internal(set) var isCutShort = false
  /// The run's client; `nil` before it is connected, and in a run without one.
  package var client: ClientID?
  /// Whether the user answers prompts while the run continues, and not a file or a recording.
  package var asksUser = true
  /// Whether user actions wait to be performed.
  package internal(set) var hasActions = false
  /// Whether the run must wait for an answer, as a replay that asks its user.
  package internal(set) var needsUser = false
  /// Whether a participant wants the run to end.
  package internal(set) var wantsEnd = false

  /// Creates the context of a run.
  package init(
    _ engine: consuming RunEngine,
    receivers: [String] = [],
    policy: EndPolicy = .replay
  ) {
    self.engine = engine
    self.receivers = receivers
    self.policy = policy
    driver?.name(receivers: receivers)
  }

  /// Notes the names of the receivers by now.
  package mutating func name(receivers: [String]) {
    guard receivers != self.receivers else { return }
    self.receivers = receivers
    driver?.name(receivers: receivers)
  }

  /// The driver; `nil` if the engine is another process's.
  package var driver: EngineDriver? {
    _read { yield engine.driver }
    _modify { yield &engine.driver }
  }

  /// The time of the timeline.
  package var now: Timestamp { engine.now }

  /// The snapshot of the run's client; `nil` for the operator.
  package var snapshot: ClientSnapshot? { client.flatMap { engine.snapshot(of: $0) } }

  /// Lets the run continue only after ``RunMoment/user(within:)``.
  package mutating func waitForUser() { needsUser = true }

  /// Ends the run before it reads more inputs.
  package mutating func end() { wantsEnd = true }

  /// Performs immediately a user's actions.
  package mutating func perform(_ action: UserAction) {
    schedule(action, at: .earliest, concernsAll: action.concernsAll)
  }

  /// Performs a user action at a time.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - time: The time.
  ///   - concernsAll: Whether it concerns every client, and not only that of the run.
  package mutating func schedule(_ action: UserAction, at time: Timestamp, concernsAll: Bool) {
    // Without a client only the time zone matters: a later replay of the recording for a client needs it.
    if client == nil { guard case .zone = action else { return } }
    hasActions = true
    let scheduled = TimedUserAction(
      time: time,
      client: concernsAll ? nil : client,
      action: action
    )
    driver?.schedule(scheduled)
  }
}

extension UserAction {
  /// Whether it concerns every client of the machine.
  package var concernsAll: Bool {
    switch self {
    case .services, .restriction, .screenOn, .zone: true
    case .answer, .settings, .foreground, .background, .quiet, .tapNotification, .press,
      .start:
      false
    }
  }
}
