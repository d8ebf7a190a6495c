// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCore
internal import BeaconMuseum
internal import WebServer

/// The guide's pages in browsers: publishes their states while a visit runs.
///
/// It publishes whenever the run waits, and at once when what may be shown changes. All on the run's own thread; the server
/// has its own.
final class GuidePages: RunParticipant {
  private let server: WebServer
  private let plan: Plan
  private let language: String
  private let guide: ProgramHost<Guide>
  private let userActions: RunUserActions
  private let clock: any PlaybackClock
  private let announce: () throws -> Void
  private var hasAnnounced = false
  private var current: GuideSnapshot
  private var radios = RadioHealth()
  private var announced = 0
  private var readers = OperatorState.Readers()
  private var last: [String: String] = [:]
  private var isStale = true
  private var published: TimeSpan?
  private var beaten = TimeSpan.zero

  /// As often as a page changes: a person reads no faster.
  private static let interval = TimeSpan.milliseconds(250)
  /// How often a page that nothing changes on is told so; its script waits three times as long.
  private static let estimatedInterval = TimeSpan.seconds(15)

  /// - Parameters:
  ///   - server: Where the pages are served.
  ///   - plan: The museum.
  ///   - language: The language of the operator's names.
  ///   - guide: The guide.
  ///   - userActions: Whose visit it is.
  ///   - clock: When to publish.
  ///   - announce: Says where the pages are; called once, when there is something to see.
  init(
    _ server: WebServer,
    _ plan: Plan,
    language: String,
    _ guide: ProgramHost<Guide>,
    _ userActions: RunUserActions,
    clock: any PlaybackClock,
    announce: @escaping () throws -> Void
  ) {
    self.server = server
    self.plan = plan
    self.language = language
    self.guide = guide
    self.userActions = userActions
    self.clock = clock
    current = GuideSnapshot(guide.program.view)
    self.announce = announce
  }

  // MARK: The run

  var wantsSlices: Bool { true }

  func begin(_ driver: inout EngineDriver, receivers: [String]) {
    if let snapshot = userActions.client.flatMap({ driver.snapshot(of: $0.id) }) {
      (current.authorization, current.accuracy) = (snapshot.status, snapshot.accuracy)
      current.indicator = snapshot.indicator
    }
    publish()
    announceOnce()
  }

  func delivered(_ deliveries: [Delivery], _ driver: borrowing EngineDriver) {
    for delivery in deliveries { show(delivery) }
  }

  private func show(_ delivery: Delivery) {
    current.time = delivery.time
    switch delivery.event {
    case .authorization(let status, let accuracy):
      (current.authorization, current.accuracy) = (status, accuracy)
      // Whoever took permission back waits for nothing.
      publish()
    case .indicator(let style): current.indicator = style
    case .ranged: current.view = guide.program.view
    default: break
    }
    changed()
  }

  func noticed() {
    for (notice, _) in guide.notices {
      current.view = guide.program.view
      if case .exhibit(let showing?) = notice, showing.isAnnounced { announced += 1 }
      changed()
    }
  }

  func recorded(_ slice: ScanSlice, receivers: [String]) {
    radios.names = receivers
    radios.process(slice.piece)
    changed()
  }

  func timePassed(to time: Timestamp) {
    current.time = max(current.time ?? time, time)
    changed()
  }

  /// Says that the source has ended and that nothing will change.
  func end() {
    current.isOver = true
    publish()
    announceOnce()
  }

  private func announceOnce() {
    guard !hasAnnounced else { return }
    hasAnnounced = true
    // Whoever closed standard output can still read the pages.
    try? announce()
  }

  // MARK: Publishing

  private func changed() {
    isStale = true
    publishIfDue()
  }

  private func publishIfDue() {
    guard isStale else { return }
    if let published, clock.elapsed - published < Self.interval { return }
    publish()
  }

  private func publish() {
    isStale = false
    published = clock.elapsed
    for language in plan.languages {
      send(
        VisitorState(current, of: plan, in: language).json,
        to: PageRouter.visitorTopic(language)
      )
    }
    let state = OperatorState(
      current,
      of: plan,
      in: language,
      radios: radios,
      announced: announced,
      readers: readers
    )
    send(state.json, to: PageRouter.operatorTopic)
  }

  private func send(_ state: String, to topic: String) {
    guard last[topic] != state else { return }
    last[topic] = state
    server.publish(state, to: topic)
  }

  func willWait() { refresh() }

  /// Publishes what is new, and shows the readers that the pages are still served.
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
    if clock.elapsed - beaten >= Self.estimatedInterval {
      beaten = clock.elapsed
      server.keepAlive()
      // A script does not see a beat: it is told the state once more.
      last.removeAll()
      publish()
    }
    publishIfDue()
  }
}
