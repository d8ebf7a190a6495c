// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// What persons did according to the captures of a replay, put into its queue as it is read.
///
/// A recording of a client's run brings its own persons and the grants it began with, so that it replays to what the run
/// told whatever the client was granted since. Answers that the user gives take the place of recorded ones.
package final class RecordedUserActions {
  private let captures: Captures
  private let grants: ClientGrants
  private let hasAnswers: Bool
  /// Lines that were read before it was known where they go.
  private var first: [UserActionLine] = []

  package init(_ captures: Captures, _ grants: ClientGrants, hasAnswers: Bool) {
    self.captures = captures
    self.grants = grants
    self.hasAnswers = hasAnswers
    grants.userActions.beforeHearing = { [unowned self] in take() }
  }

  /// Finds out whose grants the run begins with, once the first inputs have been read.
  ///
  /// - Throws: ``CommandFailure`` where the person must be asked and cannot be.
  package func begin() throws {
    first = captures.drainUserActionLines()
    let states = first.compactMap(ClientStateLine.init)
    if let state = states.first(where: { $0.client == grants.name }) {
      grants.takeGrants(ofRecording: state.grants)
    } else if !hasAnswers, first.contains(where: { $0.client == grants.name }) {
      grants.takeGrants(ofRecording: SavedAuthorization())
    } else {
      try grants.fetchGrants()
    }
    grants.userActions.areRecorded = !hasAnswers
  }

  private func take() {
    let lines = first + captures.drainUserActionLines()
    first = []
    guard !hasAnswers else { return }
    for moment in lines.compactMap(RecordedUserAction.init) { grants.userActions.queue.add(moment) }
  }
}
