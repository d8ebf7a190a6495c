// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconTerminal
package import BeaconCore
package import BeaconFormats

/// Ranging as a user at a terminal sees it: the deliveries, the shown part of them, and the keys.
///
/// A value: deliveries, batches and keys come in, a ``Screen`` comes out. It reads no clock; the time is the timeline's.
package struct RangeView: TerminalView {
  /// The values of the view other than deliveries.
  package struct Setting: Sendable {
    /// The work of the key that ends the view, in words.
    package var leaving = "q leaves"
    /// The constraints that are ranged, as a user reads them.
    package var constraints: [IdentityConstraint]
    /// How the engine ranges.
    package var ranging: RangingConfiguration
    /// The source of the reports, in a word or two, until receivers have names.
    package var source: String
    /// The names of beacons.
    package var book = NameBook()
    /// How far local time is ahead of UTC.
    package var zone = LocalZone.utc
    /// Whether everything nearby is shown.
    package var showsEverything: Bool { constraints.isEmpty }
    /// Whether device addresses may be shown.
    package var showsAddresses = false
    /// What pictures are made of.
    package var glyphs: Glyphs = .unicode

    package init(constraints: [IdentityConstraint], ranging: RangingConfiguration, source: String) {
      self.constraints = constraints
      self.ranging = ranging
      self.source = source
    }
  }

  /// What fills the screen.
  package enum Page: Sendable, Equatable {
    case list, beacon, events, help
  }

  /// A key's request to the run.
  package enum Action: Sendable, Equatable {
    /// To start a recording, or to end the one that is written.
    case toggleRecording
    /// To give a beacon a name.
    case name(BeaconIdentity, String)
  }

  /// A name that the user types.
  struct Naming: Sendable, Equatable {
    /// The beacon that gets it.
    let identity: BeaconIdentity
    /// The text so far.
    var text: String
  }

  package private(set) var setting: Setting
  /// The deliveries up to now.
  package private(set) var model: RangeModel
  /// What had been delivered when the view was paused; `nil` while it continues.
  private var stopped: RangeModel?
  package private(set) var page = Page.list
  package private(set) var order = RangeOrder.distance
  /// The row that is chosen; `nil` for the first.
  package private(set) var chosen: RangeRow.Key?
  /// How far a page is scrolled.
  private(set) var offset = 0
  /// The name that is being typed; `nil` while keys have their usual meaning.
  private(set) var naming: Naming?
  /// The file that is being recorded to; `nil` while none is.
  package var recording: String?
  /// How many rows the last screen had for beacons, by which a page key moves.
  private var pageSize = 10

  /// The smallest screen that has room for anything.
  package static let smallest = (columns: 60, rows: 10)

  /// Starts empty.
  package init(_ setting: Setting) {
    self.setting = setting
    model = RangeModel(
      mergesSameIdentity: setting.ranging.mergesSameIdentity,
      countsOthers: setting.showsEverything,
      book: setting.book,
      linger: setting.ranging.linger
    )
  }

  /// The shown part: the deliveries up to now, or up to the pause.
  package var shown: RangeModel { stopped ?? model }

  /// Whether the view is paused; the run continues.
  package var isStopped: Bool { stopped != nil }

  /// The rows in the chosen order; of everything nearby those of one UUID together.
  package var rows: [RangeRow] {
    let sorted = shown.rows.values.sorted { order.puts($0, before: $1) }
    guard setting.showsEverything else { return sorted }
    var uuids: [UInt128] = []
    var groups: [UInt128: [RangeRow]] = [:]
    for row in sorted {
      let uuid = row.key.identity.uuid
      if groups[uuid] == nil { uuids.append(uuid) }
      groups[uuid, default: []].append(row)
    }
    return uuids.flatMap { groups[$0] ?? [] }
  }

  /// The index of the chosen row.
  func chosenIndex(in rows: [RangeRow]) -> Int {
    rows.firstIndex { $0.key == chosen } ?? 0
  }

  // MARK: Input

  /// Receives a delivery; returns whether there is something new to see.
  package mutating func receive(_ deliveries: [Delivery]) -> Bool {
    var isNew = false
    for delivery in deliveries where model.receive(delivery) { isNew = true }
    return isNew && !isStopped
  }

  /// Receives a batch; returns whether there is something new to see.
  package mutating func receive(_ batch: ScanBatch, receivers: [String]) -> Bool {
    model.receive(batch, receivers: receivers) && !isStopped
  }

  /// Adds a line of what happened.
  package mutating func show(_ text: String) {
    model.show(text, at: model.hasBegun ? model.now : nil)
    if isStopped { stopped?.show(text, at: model.hasBegun ? model.now : nil) }
  }

  /// Shows a beacon under its new name.
  package mutating func rename(_ identity: BeaconIdentity, _ name: String) {
    setting.book[identity] = name
    model.book = setting.book
    stopped?.book = setting.book
  }

  /// The source has ended; the deliveries stay.
  package mutating func end() {
    model.end()
    stopped?.end()
    show("the source has ended; \(setting.leaving)")
  }

  /// Notes that time has passed on the timeline; returns whether the clock shows another second.
  package mutating func pass(to time: Timestamp) -> Bool {
    let before = model.now
    model.pass(to: time)
    return before.microseconds / 1_000_000 != model.now.microseconds / 1_000_000 && !isStopped
  }

  // MARK: Keys

  /// Performs a key, and returns its request to others.
  package mutating func press(_ key: Key) -> TerminalRequest<Action>? {
    if let naming { return type(key, naming) }
    switch key {
    case .character("q") where page == .help: show(.list)
    case .character("q"), .function(10): return .quit
    case .character("r"), .function(5): return .action(.toggleRecording)
    case .control("l"): return .redraw
    case .character("?"), .character("h"), .function(8): show(.help)
    case .character("i"), .function(2): show(.beacon)
    case .enter: show(page == .list ? .beacon : .list)
    case .character("e"), .function(6): show(.events)
    case .character("l"), .function(1), .escape, .backspace: show(.list)
    case .character("n"), .function(7): beginNaming()
    case .character("s"), .function(3): sort(by: order.next)
    case .character("p"), .character(" "), .function(4): stopped = isStopped ? nil : model
    default: move(key)
    }
    return nil
  }

  /// The key of the page that is shown leaves it.
  private mutating func show(_ next: Page) {
    if next == .beacon, page != .beacon { chosen = rows[safely: chosenIndex(in: rows)]?.key }
    page = page == next ? .list : next
    offset = 0
  }

  /// Lets the user type a name for the chosen beacon.
  private mutating func beginNaming() {
    guard page == .list || page == .beacon,
      let key = page == .beacon ? chosen : rows[safely: chosenIndex(in: rows)]?.key
    else { return }
    // The row stays chosen when its name changes its place.
    chosen = key
    naming = Naming(identity: key.identity, text: setting.book[key.identity] ?? "")
  }

  /// Performs a key while a name is typed.
  private mutating func type(_ key: Key, _ typed: Naming) -> TerminalRequest<Action>? {
    switch key {
    case .character(let character):
      if typed.text.count < NameBook.longestName { naming?.text.append(character) }
    case .backspace: naming?.text = String(typed.text.dropLast())
    case .control("u"): naming?.text = ""
    case .escape: naming = nil
    case .enter:
      naming = nil
      return typed.text.isEmpty ? nil : .action(.name(typed.identity, typed.text))
    case .control("l"): return .redraw
    case .function(10): return .quit
    default: break
    }
    return nil
  }

  private mutating func sort(by next: RangeOrder) {
    order = next
    page = .list
  }

  private mutating func move(_ key: Key) {
    let step: Int
    switch key {
    case .up, .character("k"): step = -1
    case .down, .character("j"): step = 1
    case .pageUp: step = -pageSize
    case .pageDown: step = pageSize
    case .home, .character("g"): step = -RangeModel.rowsLimit
    case .end, .character("G"): step = RangeModel.rowsLimit
    default: return
    }
    switch page {
    case .list, .beacon:
      let rows = rows
      let index = min(max(chosenIndex(in: rows) + step, 0), max(0, rows.count - 1))
      chosen = rows[safely: index]?.key ?? chosen
    case .events: offset = max(0, offset - step)
    case .help: break
    }
  }

  // MARK: What goes out

  /// Draws the view for a terminal of a size.
  package mutating func screen(columns: Int, rows count: Int) -> Screen {
    var screen = Screen(columns: columns, rows: count, glyphs: setting.glyphs)
    guard columns >= Self.smallest.columns, count >= Self.smallest.rows else {
      drawTooSmall(on: &screen)
      return screen
    }
    drawHeader(on: &screen)
    drawFooter(on: &screen)
    // Two lines of header, one of what happened, one of keys.
    let area = RangeArea(top: 2, height: count - 4)
    pageSize = max(1, area.height - 1)
    switch page {
    case .list: drawList(on: &screen, in: area)
    case .beacon: drawBeacon(on: &screen, in: area)
    case .events:
      offset = min(offset, max(0, shown.lines.count - area.height))
      drawEvents(on: &screen, in: area)
    case .help: drawHelp(on: &screen, in: area)
    }
    return screen
  }

  /// Keeps the chosen row within the rows that are shown, and returns the first of them.
  mutating func scroll(to index: Int, of count: Int, showing height: Int) -> Int {
    offset = min(offset, max(0, count - height))
    if index < offset { offset = index }
    if index >= offset + height { offset = index - height + 1 }
    return offset
  }
}

/// The rows of a screen that a page fills.
struct RangeArea {
  let top: Int
  let height: Int
  /// The row after the last.
  var bottom: Int { top + height }
}

extension Array {
  /// The element at an index, if any.
  subscript(safely index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}

extension RangeView {
  private static let helpKeys = "F8 h ?"
  private static let help: [(keys: String, meaning: String)] = [
    ("F1 l", "show the list of beacons"),
    ("F2 i Enter", "show the chosen beacon, and how its distance was computed"),
    ("up down k j", "choose a beacon; PgUp PgDn Home End g G go further"),
    ("F3 s", "sort by distance, signal, name, rate, age"),
    ("F4 p Space", "pause the view; listening continues"),
    ("F5 r", "record from now on; press again to end the file"),
    ("F6 e", "show events: regions, radios, recordings"),
    ("F7 n", "give the chosen beacon a name, which commands then take"),
    (helpKeys, "show this page; q leaves it"),
    ("F10 q ^C", "quit; ^Z suspends, ^L redraws"),
    ("", ""),
    ("I N F ?", "immediate, near, far, unknown; the longer the bar, the nearer"),
    ("~", "held: the distance has left the zone, but not yet surely"),
    ("PER S", "reports per second, over the last five seconds"),
    ("AGE", "time since the last report; a silent beacon stays for a while"),
    ("line", "RSSI from -100 to -40 dBm, now at the right; a gap is silence"),
    ("gray", "no receiver listens; the row leaves after some seconds"),
  ]

  func drawHelp(on screen: inout Screen, in area: RangeArea) {
    let width = min(screen.columns - 2, 80)
    let height = min(area.height, Self.help.count + 2)
    screen.box(column: 1, row: area.top, width: width, height: height, title: "Keys")
    // Whoever opened the page on a low terminal learns at least how it closes.
    var lines = Self.help
    if height < lines.count + 2 {
      lines = lines.prefix(max(0, height - 3)) + lines.filter { $0.keys == Self.helpKeys }
    }
    for (index, line) in lines.prefix(max(0, height - 2)).enumerated() {
      screen.put(line.keys, column: 3, row: area.top + 1 + index, style: .bold, width: 12)
      screen.put(line.meaning, column: 16, row: area.top + 1 + index, width: width - 17)
    }
  }
}
