// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconTerminal
internal import BeaconCore
internal import BeaconMuseum

/// Shows a visit on the terminal: it passes deliveries and notices to a ``GuideScene``, and the actions of keys to the
/// run.
final class GuideScreen: RunParticipant {
  private let loop: TerminalLoop<GuideScene>
  private let guide: ProgramHost<Guide>
  private let client: String
  private let userActions: RunUserActions
  private let stands: Bool

  /// - Parameters:
  ///   - loop: Shows the visit.
  ///   - guide: The guide.
  ///   - client: The guide's name as a client.
  ///   - userActions: Receives the visitor's actions.
  ///   - stands: Whether the run stops while a prompt is open, as an unpaced replay does.
  init(
    _ loop: TerminalLoop<GuideScene>,
    _ guide: ProgramHost<Guide>,
    client: String,
    _ userActions: RunUserActions,
    stands: Bool
  ) {
    self.loop = loop
    self.guide = guide
    self.client = client
    self.userActions = userActions
    self.stands = stands
  }

  // The clock must also advance while the guide may not receive anything.
  var wantsSlices: Bool { true }

  func begin(_ driver: inout EngineDriver, receivers: [String]) {
    let snapshot = userActions.client.flatMap { driver.snapshot(of: $0.id) }
    let (isAsked, now) = (userActions.areAsked, driver.now)
    loop.update { scene in
      scene.isAsked = isAsked
      scene.authorization = snapshot?.status ?? scene.authorization
      scene.accuracy = snapshot?.accuracy ?? scene.accuracy
      return scene.pass(to: now)
    }
  }

  func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) {
    let view = guide.program.view
    var answers: [UserAction] = []
    loop.update { scene in
      for delivery in deliveries {
        if let answer = scene.show(delivery, to: client, view) { answers.append(answer) }
      }
      return !deliveries.isEmpty
    }
    for answer in answers { userActions.add(answer) }
  }

  func noticed() {
    let (notices, view) = (guide.notices, guide.program.view)
    loop.update { scene in
      for (notice, _) in notices { scene.show(notice, view) }
      return !notices.isEmpty
    }
  }

  func recorded(_ slice: ScanSlice, receivers: [String]) {
    if let time = slice.admitted.last { timePassed(to: time) }
  }

  func timePassed(to time: Timestamp) {
    loop.update { $0.pass(to: time) }
  }

  // MARK: Keys

  func received() { performActions() }

  func willWait() { performActions() }

  var needsUser: Bool {
    guard stands, userActions.areAsked, !userActions.isWaiting else { return false }
    return loop.view.prompt != nil && !loop.hasEnded
  }

  func waitForUser(within span: Duration) {
    loop.wait(within: span)
    performActions()
  }

  private func performActions() {
    for action in loop.drainActions() { userActions.add(action) }
  }
}
