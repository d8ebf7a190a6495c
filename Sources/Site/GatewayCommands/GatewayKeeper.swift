// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconGateway
internal import BeaconSites
internal import Beacons
internal import BrokerClient
internal import SystemKit

/// When the discovery is sent again: any client of the broker may ask for it, and it is a message for each beacon.
struct DiscoveryTurn {
  static let pause = Duration.seconds(10)

  private var sent: Uptime?
  private var isAsked = false

  /// Returns whether to send it now: at most once in a pause, and once more after it if it was asked for again.
  mutating func isDue(isAsked asksAgain: Bool, at now: Uptime) -> Bool {
    isAsked = isAsked || asksAgain
    guard isAsked, sent.map({ now - $0 >= Self.pause }) ?? true else { return false }
    (sent, isAsked) = (now, false)
    return true
  }
}

/// Sends a run's inputs and deliveries to a broker.
final class GatewayKeeper: RunParticipant {
  private let surroundings: AdditionalParticipant.Surroundings
  private let setup: BrokerLink.Setup
  private let isLive: Bool
  private var feed: GatewayFeed
  private var sums: ReceivedSeconds
  private var fusion: SiteFusion?
  private var link: BrokerLink?
  private var announcements = 0
  private var keptLast = LastSeen()
  private var nextKeep = Timestamp.earliest
  private var refused = 0
  private var hasFailed = false
  private var turn = DiscoveryTurn()
  private var connection = ConnectionNews<BrokerFault>()
  /// The version of MQTT of the last connection.
  private var version = ""

  /// How long a start waits for the broker, in milliseconds: a user learns of a wrong password immediately.
  private static let startPatience: Int32 = 5000
  /// How long the end waits for the last messages: a signal ends a command within a second.
  private static let endPatience: Int32 = 800
  /// A replay waits while so many messages wait.
  private static let mostWaiting: UInt64 = 1000
  /// How long a replay waits for a broker that does not take its messages.
  private static let replayPatience: Int32 = 30_000
  /// When beacons were last received is written at most once in this time, and a new place immediately.
  private static let keepInterval = TimeSpan.seconds(60)
  /// The topic on which Home Assistant reports its start.
  private static let homeAssistantStatus = "homeassistant/status"

  init(
    _ topics: SiteTopics,
    _ contents: GatewayContents,
    _ setup: BrokerLink.Setup,
    _ fusion: SiteFusion?,
    isLive: Bool,
    _ surroundings: AdditionalParticipant.Surroundings
  ) {
    self.surroundings = surroundings
    self.isLive = isLive
    self.fusion = fusion
    let boot = String(UInt64.random(in: .min ... .max), radix: 36)
    var contents = contents
    if let file = Self.toldFile(setup), let bytes = try? WholeFile.read(file, mayWait: false) {
      contents.told = AnnouncedComponents(bytes)
    }
    if let file = Self.lastFile(setup), let bytes = try? WholeFile.read(file, mayWait: false) {
      contents.last = LastSeen(bytes)
    }
    feed = GatewayFeed(topics, boot: boot, version: Library.version, contents)
    let options = surroundings.options
    let named = Set(contents.beacons)
    let constraints = options.constraints + options.regions.map(\.constraint)
    sums = ReceivedSeconds { beacon in
      named.contains(beacon) || constraints.contains { $0.isSatisfied(by: beacon) }
    }
    var setup = setup
    setup.access.will = feed.will()
    setup.retainedTopics = feed.retainedTopics
    if contents.discoveryPrefix != nil { setup.subscriptions = [Self.homeAssistantStatus] }
    self.setup = setup
  }

  /// The file of the components that were announced to Home Assistant.
  private func keepTold() {
    if let file = Self.toldFile(setup) { _ = Spool.replace(file, with: feed.told.bytes) }
    announcements = feed.announcements
  }

  /// Writes when beacons were last received, and where: a start after a crash shows it, also if the broker lost it.
  private func keepLast(at time: Timestamp, isEnd: Bool = false) {
    let last = feed.contents.last
    guard last != keptLast, let file = Self.lastFile(setup) else { return }
    let hasMoved = last.entries.contains { $0.value.place != keptLast.entries[$0.key]?.place }
    guard isEnd || hasMoved || time >= nextKeep else { return }
    (keptLast, nextKeep) = (last, time + Self.keepInterval)
    _ = Spool.replace(file, with: last.bytes)
  }

  private static func lastFile(_ setup: BrokerLink.Setup) -> String? {
    setup.spoolFolder.map { $0 + "/last-seen" }
  }

  private static func toldFile(_ setup: BrokerLink.Setup) -> String? {
    setup.spoolFolder.map { $0 + "/components" }
  }

  // MARK: The run

  func handle(_ moment: RunMoment, _ run: inout RunContext) throws {
    switch moment {
    case .begins:
      try begin(at: run.now)
      run.driver?.keepSlices()
    case .recorded(let slice): send(slice, receivers: run.receivers, at: run.now)
    case .delivered(let deliveries): for delivery in deliveries { send(feed.add(delivery)) }
    case .settled:
      showNews()
      waitForRoom()
    case .willWait: showNews()
    case .sourceEnded:
      for input in sums.end(at: run.now) { send(feed.add(input)) }
      send(feed.end(at: run.now))
    case .ended(let isComplete): end(at: run.now, isComplete: isComplete)
    default: break
    }
  }

  private func begin(at time: Timestamp) throws {
    let link: BrokerLink
    do {
      link = try BrokerLink(setup)
    } catch let error as BrokerClientError {
      throw CommandFailure(error)
    } catch let error as SystemError {
      throw CommandFailure(error)
    }
    self.link = link
    // After the link, which has the folder for itself.
    keepTold()
    link.submit([feed.status(isOnline: true, at: time)] + feed.begin(at: time))
    _ = link.wait(milliseconds: Self.startPatience) {
      $0.isConnected || $0.fault != nil || Interruption.cause != nil
    }
    if let fault = link.fault, fault.isPermanent || !isLive {
      // The failure reports it; nothing is tried again.
      hasFailed = true
      throw CommandFailure(fault, setup.access)
    }
    showNews()
  }

  private func send(_ slice: ScanSlice, receivers: [String], at time: Timestamp) {
    for input in sums.process(slice, receivers: receivers) {
      let messages = feed.add(input)
      // The next run must know a component before Home Assistant gets it.
      if feed.announcements != announcements { keepTold() }
      send(messages)
    }
    defer { keepLast(at: time) }
    guard fusion != nil else { return }
    let inputs = zip(slice.range, slice.admitted).map { slice.batch.inputs[$0].at($1) }
    let batch = ScanBatch(bytes: slice.batch.bytes, inputs: inputs, upTo: slice.upTo)
    for estimate in fusion?.add(batch, receivers: receivers) ?? [] { send(estimate) }
  }

  private func send(_ estimate: PlaceEstimate) {
    let place = estimate.place.flatMap { fusion?.model.places[$0].name }
    send(
      feed.add(
        place: place,
        of: estimate.identity,
        probability: estimate.probability,
        receivers: (heard: estimate.heard, deaf: estimate.deaf),
        at: estimate.time
      )
    )
  }

  /// Waits in a replay while too many messages wait.
  private func waitForRoom() {
    guard !isLive, let link else { return }
    _ = link.wait(milliseconds: Self.replayPatience) {
      $0.waiting < Self.mostWaiting || $0.fault != nil || surroundings.io.isInterrupted()
    }
  }

  private func end(at time: Timestamp, isComplete: Bool) {
    guard let link else { return }
    keepLast(at: time, isEnd: true)
    if isComplete, !isLive {
      _ = link.wait(milliseconds: Self.replayPatience) {
        $0.isSettled || surroundings.io.isInterrupted()
      }
    }
    link.submit([feed.status(isOnline: false, at: time)])
    link.stop()
    _ = link.wait(milliseconds: Self.endPatience, until: \.hasEnded)
    if !hasFailed { showNews() }
    if link.waiting > 0, let folder = setup.spoolFolder {
      surroundings.show("\(link.waiting) messages wait in \(folder) for the broker")
    }
    self.link = nil
  }

  // MARK: The link

  private func send(_ messages: [GatewayMessage]) {
    guard let link else { return }
    let left = link.submit(messages)
    if left > 0 { surroundings.show("\(left) messages were left out: the disk is too slow") }
  }

  private func showNews() {
    guard let link else { return }
    for news in link.drainNews() { show(news) }
    show(connection.due(at: Uptime.now))
    // Home Assistant has started and knows nothing.
    let started = link.drainReceived().messages.contains { message in
      message.topic == Self.homeAssistantStatus && message.payload == Array("online".utf8)
        && !message.isRetained
    }
    if turn.isDue(isAsked: started, at: Uptime.now) { link.submit(feed.discovery) }
  }

  private func show(_ item: ConnectionNews<BrokerFault>.Item?) {
    switch item {
    case .connected:
      surroundings.show("connected to \(setup.access.address), MQTT \(version)")
    case .failed(let fault):
      surroundings.show(fault.remedy(setup.access) + "; trying again, messages wait on the disk")
    case nil: break
    }
  }

  private func show(_ news: BrokerLink.News) {
    switch news {
    case .remark(.connected(let version)):
      self.version = version == .v5 ? "5" : "3.1.1"
      show(connection.note(.connected, at: Uptime.now))
    case .remark(.failed(let fault)): show(connection.note(.failed(fault), at: Uptime.now))
    case .refused:
      refused += 1
      if refused == 1 {
        surroundings.show("the broker does not let this user send to a topic under beacons/1/")
      }
    case .lost(let count):
      surroundings.show("\(count) messages were lost: no room for more in the spool")
    case .disk(let text):
      surroundings.show(
        "messages cannot be kept on the disk: \(text); crossings wait in memory, seconds are sent only while"
          + " the broker is connected"
      )
    case .diskAgain(let lost):
      surroundings.show("messages are kept on the disk again; \(lost) seconds were lost meanwhile")
    }
  }
}
