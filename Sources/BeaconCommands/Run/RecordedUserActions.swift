// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// What users did according to the captures of a replay, queued as it is read.
///
/// A recording of a client's run contains its users' actions and the grants it started with, so a replay delivers what
/// the run delivered whatever the client was granted since. Answers that the user gives replace recorded ones.
package final class RecordedUserActions: RunParticipant {
  private let captures: Captures
  private let grants: ClientGrants
  private let hasAnswers: Bool
  /// Lines that were read before it was known where they go.
  private var first: [UserActionLine] = []
  /// The time zone that the lines read so far lead to.
  private var utcOffset: TimeSpan?

  package init(_ captures: Captures, _ grants: ClientGrants, hasAnswers: Bool) {
    self.captures = captures
    self.grants = grants
    self.hasAnswers = hasAnswers
  }

  /// Finds out whose grants the run starts with, once the first inputs have been read.
  ///
  /// - Throws: ``CommandFailure`` if the user must be asked and cannot be.
  package func begin(_ driver: inout EngineDriver, receivers: [String]) throws {
    utcOffset = driver.configuration.authorization.utcOffset
    first = captures.drainUserActionLines()
    let states = first.compactMap(ClientStateLine.init)
    if let state = states.first(where: { $0.client == grants.name }) {
      grants.useGrants(ofRecording: state.grants, isForeground: state.isForeground)
    } else if !hasAnswers, first.contains(where: { $0.client == grants.name }) {
      grants.useGrants(ofRecording: SavedAuthorization())
    } else {
      try grants.fetchGrants()
    }
    grants.userActions.areRecorded = !hasAnswers
  }

  package func received() {
    let lines = first + captures.drainUserActionLines()
    first = []
    for action in lines.compactMap(RecordedUserAction.init) {
      if case .zone(let offset) = action.input {
        // Every piece of a recording says it again.
        guard offset != utcOffset else { continue }
        utcOffset = offset
      } else if hasAnswers {
        continue
      }
      grants.userActions.add(action)
    }
  }
}
