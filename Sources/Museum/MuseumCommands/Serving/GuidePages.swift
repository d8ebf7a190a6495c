// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import BeaconViews
internal import Beacons
internal import WebServer

/// Publishes the states of the guide's web pages while a visit runs.
///
/// It publishes when the run waits, and immediately when a permission changes what may be shown. All of it runs on the
/// run's thread; the server has its own.
final class GuidePages: RunParticipant {
  private let server: WebServer
  private let plan: Plan
  private let names: NameBook
  private let zone: LocalZone
  private let guide: ProgramHost<Guide>
  private let forms: GuideForms
  private let nearby: NearbyBoard
  private let clock: any PlaybackClock
  private let isInterrupted: () -> Bool
  private let announce: () throws -> Void
  private var hasAnnounced = false
  private var current: GuideSnapshot
  private var radios = RadioHealth()
  private var announced = 0
  private var readers = OperatorState.Readers()
  private var last: [String: String] = [:]
  private var isStale = true
  /// Whether the visitor acted since the pages last looked at the guide.
  private var hasActed = false
  private var published: TimeSpan?
  private var beaten = TimeSpan.zero

  /// The shortest time between two states of a page; a user reads no faster.
  private static let interval = TimeSpan.milliseconds(250)
  /// How often an unchanged state is sent again; the page's script waits three times as long before it reports a lost
  /// connection.
  private static let estimatedInterval = TimeSpan.seconds(15)

  /// - Parameters:
  ///   - server: The server of the pages.
  ///   - setup: The options of the visit.
  ///   - guide: The guide.
  ///   - forms: The changes that pages may make.
  ///   - nearby: Shows the beacons that the guide receives.
  ///   - io: The clock for the intervals, and the zone of the pages' clocks.
  ///   - announce: Shows the addresses of the pages; called once, when there is something to see.
  init(
    _ server: WebServer,
    _ setup: GuideSetup,
    _ guide: ProgramHost<Guide>,
    _ forms: GuideForms,
    _ nearby: NearbyBoard,
    _ io: CommandIO,
    announce: @escaping () throws -> Void
  ) {
    self.server = server
    plan = setup.plan
    names = setup.options.names
    zone = io.localZone
    self.guide = guide
    self.forms = forms
    self.nearby = nearby
    clock = io.clock
    isInterrupted = io.isInterrupted
    current = GuideSnapshot(guide.program.view)
    current.origin = setup.source.origin
    self.announce = announce
  }

  // MARK: The run

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins:
      run.driver?.keepSlices()
      begin(&run)
    case .received: performForms(&run)
    case .delivered(let deliveries):
      nearby.receive(deliveries)
      note(run)
      for delivery in deliveries { show(delivery) }
    case .recordedAction: hasActed = true
    case .settled where hasActed:
      hasActed = false
      note(run)
      changed()
    case .noticed: showNotices()
    case .recorded(let slice):
      radios.names = run.receivers
      radios.process(slice.piece)
      nearby.receive(slice, receivers: run.receivers)
      changed()
    case .willWait(let time):
      current.time = max(current.time ?? time, time)
      note(run)
      changed()
      performForms(&run)
      refresh()
    default: break
    }
  }

  private func begin(_ run: inout RunContext) {
    if let snapshot = run.snapshot {
      (current.authorization, current.accuracy) = (snapshot.status, snapshot.accuracy)
      current.indicator = snapshot.indicator
    }
    note(run)
    performForms(&run)
    publish()
    announceOnce()
  }

  /// Notes the open question, and whether the pages may answer it.
  private func note(_ run: borrowing RunContext) {
    let snapshot = run.snapshot
    current.prompt = snapshot?.prompt
    current.isOpen = guide.program.isForeground
    if current.isOpen { current.isGreeted = false }
    current.isAsked = run.asksUser
    let isAllowed = [.whileUsing, .always].contains(snapshot?.settings.authorization)
    current.isRestricted =
      snapshot?.status == .restricted || (snapshot?.status == .denied && isAllowed)
  }

  private func show(_ delivery: Delivery) {
    current.time = delivery.time
    switch delivery.event {
    case .authorization(let status, let accuracy):
      (current.authorization, current.accuracy) = (status, accuracy)
      // A withdrawn permission takes effect immediately.
      publish()
    case .indicator(let style): current.indicator = style
    case .notification(Guide.arrival): current.isGreeted = !current.isOpen
    case .ranged: current.view = guide.program.view
    default: break
    }
    changed()
  }

  private func showNotices() {
    for (notice, _) in guide.notices {
      current.view = guide.program.view
      if case .exhibit(let showing?) = notice, showing.isAnnounced { announced += 1 }
      if notice == .returned { current.visit += 1 }
      changed()
    }
  }

  /// Shows that the source has ended, so that nothing will change.
  func end() {
    current.isOver = true
    nearby.change { $0.end() }
    // After the end of a source a next visitor cannot come.
    forms.pass(to: clock.elapsed, isOpen: false)
    publish()
    announceOnce()
  }

  private func announceOnce() {
    guard !hasAnnounced else { return }
    hasAnnounced = true
    // The pages are served even if standard output is closed.
    try? announce()
  }

  // MARK: Publishing

  private func changed() {
    isStale = true
    publishIfDue()
  }

  private func publishIfDue() {
    if clock.elapsed - beaten >= Self.estimatedInterval {
      beaten = clock.elapsed
      server.keepAlive()
      // A script does not see a keep-alive comment, so the state is sent again.
      last.removeAll()
      return publish()
    }
    guard isStale else { return }
    if let published, clock.elapsed - published < Self.interval { return }
    publish()
  }

  private func publish() {
    isStale = false
    published = clock.elapsed
    nearby.limit(to: current, names)
    current.hasNoRadio = radios.hasNone
    for language in plan.languages {
      let token = forms.offer(VisitorChoice.offered(current, of: plan, in: language))
      send(
        VisitorState(current, of: plan, in: language, token: token).json,
        to: PageRouter.visitorTopic(language)
      )
    }
    for language in plan.languages {
      let state = OperatorState(
        current,
        of: plan,
        in: language,
        radios: radios,
        announced: announced,
        readers: readers,
        names: names,
        zone: zone,
        token: forms.offered
      )
      send(state.json, to: PageRouter.operatorTopic(language))
    }
  }

  private func send(_ state: String, to topic: String) {
    guard last[topic] != state else { return }
    last[topic] = state
    server.publish(state, to: topic)
  }

  /// Performs the actions of the pages: an answer to the open question, a setting, the next visitor.
  private func performForms(_ run: inout RunContext) {
    // The visitors of a recording are the recording's.
    forms.pass(to: clock.elapsed, isOpen: run.asksUser || !run.policy.performsScheduled)
    let actions = forms.drain(isLast: isInterrupted())
    for action in actions {
      if case .answer(let choice, _) = action,
        run.snapshot?.prompt?.choices.contains(choice) != true
      {
        continue
      }
      if action == .nextVisitor { current.visit += 1 }
      run.perform(action)
    }
    if !actions.isEmpty { publish() }
  }

  /// Publishes changed states, and how many readers there are.
  func refresh() {
    let counted = server.statistics
    let now = OperatorState.Readers(
      streams: counted.streams,
      dropped: counted.dropped,
      refused: counted.refused
    )
    if now != readers {
      readers = now
      isStale = true
    }
    publishIfDue()
  }
}
