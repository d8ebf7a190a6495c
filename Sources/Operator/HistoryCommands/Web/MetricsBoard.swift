// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommandLine
internal import BeaconCommands
internal import BeaconCore
internal import BeaconFormats
internal import BeaconHistory
internal import BeaconMuseum
internal import BeaconPlots
internal import BeaconViews
internal import Beacons
internal import Pages
internal import Synchronization
internal import SystemKit
internal import WebServer

/// The values that the server's thread reads and the run's thread replaces; neither waits for the other's work.
final class MetricsBoard: Sendable {
  private struct State {
    var metrics: OperatorMetrics
    var nearby: NearbyList?
    var names: NameBook
    var note: String?
    var offsets: [String: Int] = [:]
  }

  private let state: Mutex<State>
  private let signals = Mutex<RecentSignals?>(nil)
  private let floors: [PlanFloors]
  private let past: PastMinutes?
  private let naming: NamingForm?
  private let pages: [any PageContent]
  private let isLive: Bool
  private let zone: LocalZone
  /// What distinguishes the rows of this run's page from those of another run.
  private let run: String

  /// - Parameters:
  ///   - metrics: The first values.
  ///   - floors: The plans that are drawn.
  ///   - past: The history to look at; `nil` for none.
  ///   - names: The names of beacons.
  ///   - naming: Takes the names that the page gives; `nil` if it gives none.
  ///   - pages: The pages of other modules.
  ///   - isLive: Whether the source is live.
  ///   - zone: The zone of the clock.
  ///   - run: A name of the run.
  init(
    _ metrics: OperatorMetrics,
    floors: [PlanFloors] = [],
    past: PastMinutes? = nil,
    names: NameBook = NameBook(),
    naming: NamingForm? = nil,
    pages: [any PageContent] = [],
    isLive: Bool = false,
    zone: LocalZone = .utc,
    run: String = "0"
  ) {
    state = Mutex(State(metrics: metrics, names: names))
    (self.floors, self.past, self.naming, self.pages) = (floors, past, naming, pages)
    (self.isLive, self.zone, self.run) = (isLive, zone, run)
  }

  /// Shows newer values.
  func show(_ metrics: OperatorMetrics, _ nearby: NearbyList?) {
    state.withLock { ($0.metrics, $0.nearby) = (metrics, nearby) }
  }

  /// Shows by how many dB receivers differ from the survey.
  func show(offsets: [String: Int]) { state.withLock { $0.offsets = offsets } }

  /// The source has ended, also if it contained nothing.
  func end() {
    state.withLock { state in
      state.metrics.end()
      state.nearby?.end()
    }
  }

  /// Changes the signals.
  func change(_ body: (inout RecentSignals?) -> Void) { signals.withLock { body(&$0) } }

  /// Writes the names that the page has sent into a configuration file, and shows them, or the fault.
  ///
  /// - Returns: The last fault.
  @discardableResult
  func keepNames(_ naming: NamingForm, _ file: String?, _ io: CommandIO) -> String? {
    var fault: String?
    for wish in naming.drain() {
      var note: String?
      do {
        try BeaconNameFile.write(wish.name, of: wish.identity, file, io)
      } catch {
        let reason = (error as? CommandFailure)?.lines.joined(separator: "; ") ?? "\(error)"
        note = wish.name == nil ? "The name stays: \(reason)." : "No name was kept: \(reason)."
      }
      state.withLock {
        if note == nil { $0.names[wish.identity] = wish.name }
        $0.note = note
      }
      fault = note ?? fault
    }
    return fault
  }

  /// Performs accepted forms before the command ends, and refuses further ones.
  func close(_ naming: NamingForm, _ file: String?, _ io: CommandIO) {
    naming.forms.close()
    if let fault = keepNames(naming, file, io) { io.show(fault) }
    for page in pages { page.perform(io) }
  }

  /// Whether an answer reads more of the history than which files it has.
  func isSlow(_ request: WebRequest) -> Bool {
    past != nil && ["/", SignalsPage.path].contains(request.path)
      && request.query[StatusPage.minuteKey] != nil
  }

  /// Answers a request.
  func answer(_ request: WebRequest) -> WebResponse {
    if request.path == NamingForm.path { return naming?.answer(request) ?? .notFound }
    if let page = pages.first(where: { $0.tab.path == request.path }), let forms = naming?.forms {
      return request.method == .post
        ? forms.answer(request, page.answer) : .html(html(page, forms.token))
    }
    // Nothing else can be changed.
    guard request.method == .get else { return .notFound }
    return switch request.path {
    case "/": .html(page(request).html)
    case SignalsPage.path: .html(signalsPage(request).html)
    case LivePage.stylePath:
      .content(Array(Styles.status.utf8), type: "text/css; charset=utf-8")
    case LivePage.scriptPath:
      .content(Array(Texts.statusScript.utf8), type: "text/javascript; charset=utf-8")
    case "/metrics": metrics(request.query["format"] == "openmetrics" ? .openMetrics : .text)
    default: .notFound
    }
  }

  private func html(_ content: any PageContent, _ token: String) -> String {
    var page = LivePage()
    page.tabs = StatusPage.tabs(nil, pages.map(\.tab))
    page.current = content.tab.path
    content.write(to: &page, token: token)
    return page.html
  }

  /// The page of the present, or of a minute of the history.
  private func page(_ request: WebRequest) -> StatusPage {
    let state = state.withLock { $0 }
    var surroundings = StatusPage.Surroundings(floors: floors, hasHistory: past != nil)
    surroundings.tabs = pages.map(\.tab)
    surroundings.nearby = state.nearby
    surroundings.run = run
    if request.query["run"] == run, let last = request.query["last"].flatMap(Int.init) {
      surroundings.known = last
      surroundings.rows = Set(
        request.query["rows", default: ""].split(separator: ".").compactMap { Int($0) }
      )
    }
    (surroundings.names, surroundings.note) = (state.names, state.note)
    (surroundings.token, surroundings.isLive) = (naming?.forms.token, isLive)
    surroundings.offsets = state.offsets
    guard let past else { return StatusPage(state.metrics, surroundings) }
    do throws(HistoryError) {
      surroundings.days = try past.days()
      guard let minute = request.query[StatusPage.minuteKey].flatMap(PastMinutes.minute) else {
        return StatusPage(state.metrics, surroundings)
      }
      (surroundings.past, surroundings.nearby, surroundings.offsets) = (minute, nil, [:])
      return StatusPage(try past.metrics(minute), surroundings)
    } catch {
      surroundings.fault = "The history cannot be read: \(error)."
      guard surroundings.past != nil else { return StatusPage(state.metrics, surroundings) }
      // Nothing is known of that minute, and the present is something else.
      return StatusPage(
        OperatorMetrics(version: Library.version, book: NameBook()),
        surroundings
      )
    }
  }

  /// The picture of a signal in the last minutes, or around a minute of the history.
  private func signalsPage(_ request: WebRequest) -> SignalsPage {
    let state = state.withLock { $0 }
    let signals = signals.withLock { $0 }
    let asked = request.query[SignalsPage.key].map { text in
      // A name or the beginning of a UUID stands for its beacon, unless a region has that name.
      let isRegion = signals?.regions.contains { $0.identifier.rawValue == text } ?? false
      let found = isRegion ? [] : state.names.candidates(for: text)
      return found.count == 1 ? found[0] : text
    }
    var surroundings = StatusPage.Surroundings(hasHistory: past != nil)
    surroundings.tabs = pages.map(\.tab)
    do throws(HistoryError) {
      surroundings.days = try past?.days()
      if let past, let minute = request.query[StatusPage.minuteKey].flatMap(PastMinutes.minute) {
        surroundings.past = minute
        var page = page(try past.signals(minute, of: asked), state.names, surroundings)
        page.isNarrow = request.query[SignalsPage.narrowKey] != nil
        return page
      }
    } catch {
      surroundings.fault = "The history cannot be read: \(error)."
      if surroundings.past != nil { return page(([], nil, nil), state.names, surroundings) }
    }
    let choices = (signals?.regions ?? []).map { region in
      var name = region.identifier.rawValue
      if case .minor(let identity) = region.constraint, name == "\(identity)" {
        name = Self.name(of: identity, state.names)
      }
      return (region: region.identifier, name: name)
    }
    // A region of one beacon is also that beacon's picture.
    let named = asked.map { text in
      let regions = signals?.regions ?? []
      let found =
        regions.first { $0.identifier.rawValue == text }
        ?? regions.first { "\($0.constraint)" == text }
      return found?.identifier ?? RegionIdentifier(text)
    }
    let chosen = named ?? choices.first?.region
    let name = choices.first { $0.region == chosen }?.name ?? ""
    return SignalsPage(
      choices: choices,
      chosen: chosen,
      plot: chosen.flatMap { signals?.plot(of: $0, named: name) },
      title: "The last minutes",
      zone: zone,
      surroundings: surroundings,
      now: state.metrics.now,
      further: (signals?.furtherRegions ?? 0) + (state.nearby?.further ?? 0),
      isNarrow: request.query[SignalsPage.narrowKey] != nil
    )
  }

  private func page(
    _ found: (choices: [BeaconIdentity], chosen: BeaconIdentity?, plot: SignalPlot?),
    _ names: NameBook,
    _ surroundings: StatusPage.Surroundings
  ) -> SignalsPage {
    SignalsPage(
      choices: found.choices.map { (RegionIdentifier("\($0)"), Self.name(of: $0, names)) },
      chosen: found.chosen.map { RegionIdentifier("\($0)") },
      plot: found.plot,
      title: "From the history",
      zone: zone,
      surroundings: surroundings
    )
  }

  private static func name(of identity: BeaconIdentity, _ names: NameBook) -> String {
    names[identity] ?? "\(identity.major)/\(identity.minor)"
  }

  private func metrics(_ format: MetricsExposition.Format) -> WebResponse {
    let use = ResourceUse.now
    let metrics = state.withLock { $0.metrics }
    let bytes = metrics.exposition(format, use: (use.cpu, use.peakMemory))
    return .content(bytes, type: format.mediaType)
  }
}

/// Feeds a board from a run.
final class MetricsFeed: RunParticipant {
  private let board: MetricsBoard
  private let naming: NamingForm?
  private let surroundings: AdditionalParticipant.Surroundings
  private let client: String
  private var metrics: OperatorMetrics
  private var nearby: NearbyList
  private var sums: ReceivedSeconds

  /// - Parameters:
  ///   - board: The shown values.
  ///   - surroundings: The run's options.
  ///   - naming: The names that the page gives; `nil` if it gives none.
  init(
    _ board: MetricsBoard,
    _ surroundings: AdditionalParticipant.Surroundings,
    _ naming: NamingForm? = nil
  ) {
    let options = surroundings.options
    (self.board, self.surroundings, self.naming) = (board, surroundings, naming)
    client = options.client?.name ?? RunClient.operatorName
    metrics = OperatorMetrics(version: Library.version, book: options.names)
    nearby = NearbyList(options.configuration.ranging)
    sums = ReceivedSeconds(isListed: options.isListed)
    let proximity = options.configuration.ranging.proximity
    board.change {
      $0 = RecentSignals(
        options.regions,
        options.names,
        limits: (proximity.immediateLimit, proximity.nearLimit)
      )
    }
  }

  private func add(_ inputs: [OperatorInput]) {
    for input in inputs { metrics.add(input) }
  }

  func show() { board.show(metrics, nearby) }

  func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .begins:
      run.driver?.keepSlices()
      run.driver?.watchSightings(satisfying: surroundings.options.constraints)
      show()
    case .delivered(let deliveries):
      for delivery in deliveries { metrics.add(delivery, client: client) }
      nearby.receive(deliveries)
      board.change { [nearby] signals in
        signals?.add(deliveries)
        signals?.follow(nearby.identities)
      }
    case .recorded(let slice): add(slice, &run)
    case .settled: note(run)
    case .willWait(let time):
      board.change { $0?.pass(to: time) }
      if let naming {
        board.keepNames(naming, surroundings.options.configurationFile, surroundings.io)
      }
      show()
    case .sourceEnded:
      add(sums.end(at: run.now))
      note(run)
      metrics.end()
      nearby.end()
      show()
    default: break
    }
  }

  private func add(_ slice: ScanSlice, _ run: inout RunContext) {
    add(sums.process(slice, receivers: run.receivers))
    nearby.receive(slice.piece, receivers: run.receivers)
    board.change { signals in
      signals?.add(slice, receivers: run.receivers)
      guard let client = run.client else { return }
      for region in surroundings.options.regions {
        guard let exit = run.driver?.exit(of: region.identifier, by: client) else { continue }
        signals?.add(exit, of: region.identifier, at: run.now)
      }
    }
  }

  private func note(_ run: borrowing RunContext) {
    if let statistics = run.engine.statistics { metrics.statistics = statistics }
  }
}
