// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import BeaconPlots
internal import BeaconViews
internal import Pages
internal import Synchronization

/// The page of the beacons that the guide receives, a tab of the operator's: as far as the visitor permits, since it is
/// fed with the deliveries to the guide.
final class NearbyBoard: Sendable {
  private struct State {
    var list: NearbyList
    var signals: RecentSignals
    var names = NameBook()
    var status = GuideStatus.asking
  }

  private let ranging: RangingConfiguration
  private let state: Mutex<State>

  init(_ ranging: RangingConfiguration = RangingConfiguration()) {
    self.ranging = ranging
    state = Mutex(State(list: NearbyList(ranging), signals: Self.signals(ranging)))
  }

  private static func signals(_ ranging: RangingConfiguration) -> RecentSignals {
    let limits = (ranging.proximity.immediateLimit, ranging.proximity.nearLimit)
    return RecentSignals([], NameBook(), limits: limits)
  }

  /// Adds deliveries to the guide.
  func receive(_ deliveries: [Delivery]) {
    state.withLock { state in
      state.list.receive(deliveries)
      state.signals.add(seconds: deliveries)
    }
  }

  /// Adds the inputs of the receivers.
  func receive(_ slice: ScanSlice, receivers: [String]) {
    state.withLock { state in
      state.list.receive(slice.piece, receivers: receivers)
      state.signals.add(slice, receivers: receivers)
    }
  }

  /// Changes the list.
  func change(_ body: (inout NearbyList) -> Void) { state.withLock { body(&$0.list) } }

  /// Shows no more than the visitor permits, and the beacons under their names.
  func limit(to snapshot: GuideSnapshot, _ names: NameBook) {
    let status = snapshot.permitted.status
    state.withLock { state in
      (state.status, state.names) = (status, names)
      if [.asking, .denied, .reduced].contains(status) {
        state.list.clear(ranging)
        state.signals = Self.signals(ranging)
      }
    }
  }

  /// The page of the beacons in a language of the plan.
  func html(of plan: Plan, in language: String) -> String {
    let state = state.withLock { $0 }
    return page(of: plan, in: language, PagePaths.nearby(in: language), state) { names, page in
      let phrases = OperatorPhrases.of(language)
      let words = Self.words(phrases, ScreenPhrases.of(language))
      let signals = "\(PagePaths.signals(in: language))&\(PagePaths.beacon)="
      NearbySection(state.list, names, words, signals: signals).write(to: &page)
    }
  }

  /// The page of the picture of a beacon's signal, otherwise of the first beacon's.
  func signals(of plan: Plan, in language: String, _ asked: String?, _ zone: LocalZone) -> String {
    let state = state.withLock { $0 }
    return page(of: plan, in: language, PagePaths.signals(in: language), state) { names, page in
      let phrases = OperatorPhrases.of(language)
      let choices = state.signals.regions.map { region in
        guard case .minor(let identity) = region.constraint, let name = names[identity] else {
          return (id: region.identifier, name: region.identifier.rawValue)
        }
        return (id: region.identifier, name: name)
      }
      guard let chosen = choices.first(where: { $0.id.rawValue == asked }) ?? choices.first,
        let plot = state.signals.plot(of: chosen.id, named: chosen.name)
      else { return page.element("p", [("class", "empty")], phrases.none) }
      page.open("ul", [("class", "choices"), ("aria-label", phrases.signals)])
      for choice in choices {
        let address = "\(PagePaths.signals(in: language))&\(PagePaths.beacon)=\(choice.id.rawValue)"
        page.open("li")
        page.element(
          "a",
          [("href", address)] + (choice.id == chosen.id ? [("aria-current", "true")] : []),
          choice.name.printable
        )
        page.close("li")
      }
      page.close("ul")
      page.line()
      let words = Self.signalWords(phrases, ScreenPhrases.of(language))
      page.markup(SignalPicture(of: plot, titled: phrases.lastMinutes, zone, words).section)
    }
  }

  /// A page of the operator, with its content if the visitor permits it.
  private func page(
    of plan: Plan,
    in language: String,
    _ path: String,
    _ state: State,
    _ write: (NameBook, inout Markup) -> Void
  ) -> String {
    let phrases = OperatorPhrases.of(language)
    var names = state.names
    for exhibit in plan.exhibits { names[exhibit.identity] = exhibit.title[language] }
    var page = LivePage()
    page.language = phrases.language
    page.title = phrases.title.filled(plan.museum[language])
    page.lost = phrases.lost
    page.tabs = OperatorPage.tabs(in: language)
    page.tabsLabel = phrases.pages
    page.current = path
    switch state.status {
    case .asking: page.view.element("p", [("role", "status")], phrases.asking)
    case .denied: page.view.element("p", [("role", "status")], phrases.denied)
    case .reduced: page.view.element("p", [("role", "status")], phrases.reduced)
    case .looking, .outside, .inside: write(names, &page.view)
    }
    return page.html
  }

  private static func signalWords(_ phrases: OperatorPhrases, _ screen: ScreenPhrases)
    -> SignalWords
  {
    var words = SignalWords()
    words.picture = phrases.picture
    (words.distance, words.silence) = (phrases.distanceChart, phrases.silence)
    (words.immediate, words.near) = (screen.immediate, screen.near)
    (words.receivers, words.notRecorded) = (phrases.radios, phrases.notRecorded)
    words.received = { phrases.secondsReceived.filled("\($0)") }
    words.span = { phrases.span.filled($0, $1) }
    words.nothing = phrases.none
    words.states = [
      .listening: phrases.listening, .off: phrases.off, .deaf: phrases.deaf, .gone: phrases.gone,
    ]
    // A guide ranges beacons; the museum's region is the same for all.
    words.hasRegion = false
    return words
  }

  private static func words(_ phrases: OperatorPhrases, _ screen: ScreenPhrases)
    -> NearbySection.Words
  {
    var words = NearbySection.Words()
    words.title = phrases.nearby
    words.interval = { phrases.interval.filled($0, $1) }
    words.ago = { phrases.ago.filled(DecimalText.fixed($0.seconds, decimals: 0)) }
    (words.silent, words.signal) = (phrases.silent, phrases.signal)
    (words.unknown, words.noPower) = (phrases.notKnown, "–")
    (words.waiting, words.nothing) = (phrases.none, phrases.none)
    words.noReceiver = "\(phrases.radios): \(phrases.off)"
    (words.further, words.held) = (nil, phrases.held)
    for proximity in [Proximity.immediate, .near, .far, .unknown] {
      words.proximities[proximity] = screen.name(proximity)
    }
    return words
  }
}
