// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
package import Beacons

/// Users' actions according to the captures of a replay, queued as it is read.
///
/// A recording of a client's run contains its users' actions and the grants it started with, so a replay delivers what
/// the run delivered whatever the client was granted since. A recording that several runs wrote has the grants of each.
/// Answers that the user gives replace recorded ones.
package final class RecordedUserActions: RunParticipant {
  private let captures: CaptureSource
  private let grants: ClientGrants
  private let hasAnswers: Bool
  private let isForAnyClient: Bool
  /// The client whose actions they are.
  private var name: String
  /// Whether the start of the captures has a line of the client.
  package private(set) var knowsClient = false
  /// Lines that were read before their destination was known.
  private var first: [UserActionLine] = []
  /// The time zone that the lines read so far lead to.
  private var utcOffset: TimeSpan?
  /// The last line with the client's state.
  private var state: UserActionLine?

  /// - Parameters:
  ///   - captures: The captures.
  ///   - grants: The grants of the run's client.
  ///   - hasAnswers: Whether the user gives answers, which replace recorded ones.
  ///   - isForAnyClient: Whether the first client of the captures is meant, if they do not have the run's own.
  package init(
    _ captures: CaptureSource,
    _ grants: ClientGrants,
    hasAnswers: Bool,
    isForAnyClient: Bool = false
  ) {
    self.captures = captures
    self.grants = grants
    self.hasAnswers = hasAnswers
    self.isForAnyClient = isForAnyClient
    name = grants.name
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .begins: try begin(&run)
    case .received: schedule(&run)
    default: break
    }
  }

  /// Finds out whose grants the run starts with, once the first inputs have been read.
  ///
  /// - Throws: ``CommandFailure`` if the user must be asked and cannot be.
  private func begin(_ run: inout RunContext) throws {
    utcOffset = run.engine.configuration?.authorization.utcOffset
    first = captures.drainUserActionLines()
    knowsClient = first.contains { $0.client == name }
    if !knowsClient, isForAnyClient, let other = first.lazy.compactMap(\.client).first {
      (name, knowsClient) = (other, true)
    }
    let start = run.now
    // The part read may contain the start of a later run as well.
    state = first.first { line in
      line.client == name && line.input == ClientStateLine.input
        && (line.scanInputsBefore == 0 || line.time <= start)
    }
    if let state = state.flatMap(ClientStateLine.init) {
      grants.useGrants(ofRecording: state.grants, isForeground: state.isForeground)
    } else if !hasAnswers, knowsClient {
      grants.useGrants(ofRecording: SavedAuthorization())
    } else {
      try grants.fetchGrants()
    }
    run.policy.performsScheduled = !hasAnswers
  }

  private func schedule(_ run: inout RunContext) {
    let lines = first + captures.drainUserActionLines()
    first = []
    for line in lines {
      guard let action = RecordedUserAction(line) ?? start(line) ?? refusal(line) else { continue }
      if case .zone(let offset) = action.input {
        // Every piece of a recording repeats it.
        guard offset != utcOffset else { continue }
        utcOffset = offset
      } else if hasAnswers {
        continue
      }
      run.schedule(action, of: name)
    }
  }

  /// The start of a later run of the client; a piece of the same run only repeats how the client stands.
  private func start(_ line: UserActionLine) -> RecordedUserAction? {
    guard line.client == name, let found = ClientStateLine(line), line != state else {
      return nil
    }
    defer { state = line }
    if let state, line.input == ClientStateLine.input, Self.isSameRun(state.part, line.part) {
      return nil
    }
    return RecordedUserAction(
      time: line.time,
      client: line.client,
      input: .start(found.grants, isForeground: found.isForeground)
    )
  }

  /// A permission that is not understood, such as one of a later version or a damaged one, counts as denied.
  private func refusal(_ line: UserActionLine) -> RecordedUserAction? {
    guard line.client == name, RecordedUserAction(line) == nil, ClientStateLine(line) == nil,
      ["answer", "settings", ClientStateLine.input].contains(line.input)
    else { return nil }
    return RecordedUserAction(
      time: line.time,
      client: line.client,
      input: .settings(authorization: .never)
    )
  }

  /// Whether a part of a recording was written by the run that wrote another one before it.
  private static func isSameRun(_ first: CaptureHeader?, _ second: CaptureHeader?) -> Bool {
    first == nil && second == nil
      || CaptureHeader.isSeamless(from: first, hasEnded: false, to: second)
  }
}

extension RunContext {
  /// Schedules an action from a file, unless it concerns another client than the run's.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - name: The name of the run's client.
  package mutating func schedule(_ action: RecordedUserAction, of name: String) {
    guard action.client == nil || action.client == name else { return }
    schedule(action.input, at: action.time, concernsAll: action.client == nil)
  }
}
