// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconCommandLine
internal import SystemKit
internal import BeaconTerminal
internal import BeaconCore
internal import BeaconMuseum
internal import WebServer

/// The guide's pages in browsers: the thin shell around their states.
///
/// It publishes whenever the run waits, between the inputs of a paced replay, while a question is open, between the batches
/// of a live source; and at once when what may be shown changes. All on the run's own thread; the server has its own.
final class GuidePages: GuideDisplay, PlaybackClock, UserTerminal {
  private let server: WebServer
  private let plan: Plan
  private let language: String
  private let clock: any PlaybackClock
  private let user: (any UserTerminal)?
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
  ///   - view: What the guide shows at first.
  ///   - io: The clock, and the person at the terminal.
  ///   - announce: Says where the pages are; called once, when there is something to see.
  init(
    _ server: WebServer,
    _ plan: Plan,
    language: String,
    view: GuideView,
    io: CommandIO,
    announce: @escaping () throws -> Void
  ) {
    self.server = server
    self.plan = plan
    self.language = language
    clock = io.clock
    user = io.user
    current = GuideSnapshot(view)
    self.announce = announce
  }

  // MARK: GuideDisplay

  func begin(_ snapshot: ClientSnapshot?, _ userActions: RunUserActions) {
    if let snapshot {
      (current.authorization, current.accuracy) = (snapshot.status, snapshot.accuracy)
      current.indicator = snapshot.indicator
    }
    publish()
    announceOnce()
  }

  func receive(_ delivery: Delivery, to client: String, _ view: GuideView) {
    current.time = delivery.time
    switch delivery.event {
    case .authorization(let status, let accuracy):
      (current.authorization, current.accuracy) = (status, accuracy)
      // Whoever took permission back waits for nothing.
      publish()
    case .indicator(let style): current.indicator = style
    case .ranged: current.view = view
    default: break
    }
    changed()
  }

  func receive(_ event: GuideEvent, _ view: GuideView) {
    current.view = view
    if case .exhibit(let showing?) = event, showing.isAnnounced { announced += 1 }
    changed()
  }

  func receive(_ batch: ScanBatch, receivers: [String]) {
    radios.names = receivers
    radios.process(batch)
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

  func pump() {
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

  // MARK: PlaybackClock

  var elapsed: TimeSpan { clock.elapsed }

  func sleep(for span: TimeSpan) {
    let end = clock.elapsed + span
    repeat {
      pump()
      let rest = end - clock.elapsed
      guard rest > .zero else { return }
      clock.sleep(for: min(rest, Self.interval))
    } while Interruption.exitCode == nil
  }

  // MARK: UserTerminal

  var hasEnded: Bool { user?.hasEnded ?? false }

  func receiveKeys(_ isWanted: Bool) { user?.receiveKeys(isWanted) }

  func key(within patience: Duration) -> UInt8? {
    pump()
    return user?.key(within: patience)
  }
}
