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
  private let stands: Bool

  /// - Parameters:
  ///   - loop: Shows the visit.
  ///   - guide: The guide.
  ///   - client: The guide's name as a client.
  ///   - stands: Whether the run stops while a prompt is open, as an unpaced replay does.
  init(
    _ loop: TerminalLoop<GuideScene>,
    _ guide: ProgramHost<Guide>,
    client: String,
    stands: Bool
  ) {
    self.loop = loop
    self.guide = guide
    self.client = client
    self.stands = stands
  }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins:
      // The clock must also advance while the guide may not receive anything.
      run.driver?.keepSlices()
      begin(run)
    case .delivered(let deliveries):
      show(deliveries, &run)
      if needsUser(run) { run.waitForUser() }
    case .noticed: showNotices()
    case .recorded(let slice):
      if let time = slice.admitted.last { loop.update { $0.pass(to: time) } }
    case .received: performActions(&run)
    case .willWait(let time):
      loop.update { $0.pass(to: time) }
      performActions(&run)
    case .user(let span) where needsUser(run):
      loop.wait(within: span)
      performActions(&run)
      if needsUser(run) { run.waitForUser() }
    default: break
    }
  }

  private func begin(_ run: borrowing RunContext) {
    let snapshot = run.snapshot
    let (isAsked, now) = (run.asksUser, run.now)
    loop.update { scene in
      scene.isAsked = isAsked
      scene.authorization = snapshot?.status ?? scene.authorization
      scene.accuracy = snapshot?.accuracy ?? scene.accuracy
      return scene.pass(to: now)
    }
  }

  private func show(_ deliveries: [Delivery], _ run: inout RunContext) {
    let view = guide.program.view
    var answers: [UserAction] = []
    loop.update { scene in
      for delivery in deliveries {
        if let answer = scene.show(delivery, to: client, view) { answers.append(answer) }
      }
      return !deliveries.isEmpty
    }
    for answer in answers { run.perform(answer) }
  }

  private func showNotices() {
    let (notices, view) = (guide.notices, guide.program.view)
    loop.update { scene in
      for (notice, _) in notices { scene.show(notice, view) }
      return !notices.isEmpty
    }
  }

  // MARK: Keys

  private func needsUser(_ run: borrowing RunContext) -> Bool {
    guard stands, run.asksUser, !run.hasActions else { return false }
    return loop.view.prompt != nil && !loop.hasEnded
  }

  private func performActions(_ run: inout RunContext) {
    for action in loop.drainActions() { run.perform(action) }
  }
}
