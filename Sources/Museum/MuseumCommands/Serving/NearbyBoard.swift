// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import BeaconViews
internal import Pages
internal import Synchronization

/// The page of the beacons that the guide receives, a tab of the operator's: as far as the visitor permits, since it is
/// fed with the deliveries to the guide.
final class NearbyBoard: Sendable {
  private struct State {
    var list: NearbyList
    var names = NameBook()
    var status = GuideStatus.asking
  }

  private let ranging: RangingConfiguration
  private let state: Mutex<State>

  init(_ ranging: RangingConfiguration = RangingConfiguration()) {
    self.ranging = ranging
    state = Mutex(State(list: NearbyList(ranging)))
  }

  /// Changes the list.
  func change(_ body: (inout NearbyList) -> Void) { state.withLock { body(&$0.list) } }

  /// Shows no more than the visitor permits, and the beacons under their names.
  func limit(to snapshot: GuideSnapshot, _ names: NameBook) {
    let status = snapshot.permitted.status
    state.withLock { state in
      (state.status, state.names) = (status, names)
      if [.asking, .denied, .reduced].contains(status) { state.list.clear(ranging) }
    }
  }

  /// The page in a language of the plan.
  func html(of plan: Plan, in language: String) -> String {
    let state = state.withLock { $0 }
    let phrases = OperatorPhrases.of(language)
    var names = state.names
    for exhibit in plan.exhibits { names[exhibit.identity] = exhibit.title[language] }
    var page = LivePage()
    page.language = phrases.language
    page.title = phrases.title.filled(plan.museum[language])
    page.lost = phrases.lost
    page.tabs = OperatorPage.tabs(in: language)
    page.tabsLabel = phrases.pages
    page.current = PagePaths.nearby(in: language)
    let words = Self.words(phrases, ScreenPhrases.of(language))
    switch state.status {
    case .asking: page.view.element("p", [("role", "status")], phrases.asking)
    case .denied: page.view.element("p", [("role", "status")], phrases.denied)
    case .reduced: page.view.element("p", [("role", "status")], phrases.reduced)
    case .looking, .outside, .inside: NearbySection(state.list, names, words).write(to: &page.view)
    }
    return page.html
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
    (words.further, words.held) = (nil, nil)
    for proximity in [Proximity.immediate, .near, .far, .unknown] {
      words.proximities[proximity] = screen.name(proximity)
    }
    return words
  }
}
