// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconTerminal
package import BeaconCore

/// Ranging as a person at a terminal sees it: what was told, what is shown of it, and what keys do.
///
/// A value: deliveries, batches and keys come in, a ``Screen`` comes out. It reads no clock; the time is the timeline's.
package struct RangeView: TerminalView {
  /// What the view shows beside what it is told.
  package struct Setting: Sendable {
    /// The constraints that are ranged, as a person reads them.
    package var constraints: [IdentityConstraint]
    /// How the engine ranges.
    package var ranging: RangingConfiguration
    /// Where the reports come from, in a word or two, until receivers have names.
    package var source: String
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

  /// What a key asks of the run.
  package enum Action: Sendable, Equatable {
    /// To start a recording, or to end the one that is written.
    case toggleRecording
  }

  package let setting: Setting
  /// What was told up to now.
  package private(set) var model: RangeModel
  /// What was told when the view was stopped; `nil` while it goes on.
  private var stopped: RangeModel?
  package private(set) var page = Page.list
  package private(set) var order = RangeOrder.distance
  /// The row that is chosen; `nil` for the first.
  package private(set) var chosen: RangeRow.Key?
  /// How far a page is scrolled.
  private(set) var offset = 0
  /// The file that is being recorded to; `nil` while none is.
  package var recording: String?
  /// How many rows the last screen had for beacons, by which a page key moves.
  private var pageSize = 10

  /// The smallest screen that has room for anything.
  package static let smallest = (columns: 60, rows: 10)

  /// Begins with nothing told.
  package init(_ setting: Setting) {
    self.setting = setting
    model = RangeModel(mergesSameIdentity: setting.ranging.mergesSameIdentity)
  }

  /// What is shown: what was told up to now, or when the view was stopped.
  package var shown: RangeModel { stopped ?? model }

  /// Whether the view is stopped; the run goes on behind it.
  package var isStopped: Bool { stopped != nil }

  /// The rows in the chosen order.
  package var rows: [RangeRow] {
    shown.rows.values.sorted { order.puts($0, before: $1) }
  }

  /// Where the chosen row stands.
  func chosenIndex(in rows: [RangeRow]) -> Int {
    rows.firstIndex { $0.key == chosen } ?? 0
  }

  // MARK: What comes in

  /// Takes what was told; returns whether there is something new to see.
  package mutating func receive(_ deliveries: [Delivery]) -> Bool {
    var isNew = false
    for delivery in deliveries where model.receive(delivery) { isNew = true }
    return isNew && !isStopped
  }

  /// Takes what a batch says of the air; returns whether there is something new to see.
  package mutating func receive(_ batch: ScanBatch, receivers: [String]) -> Bool {
    model.receive(batch, receivers: receivers) && !isStopped
  }

  /// Adds a line of what happened.
  package mutating func show(_ text: String) {
    model.show(text, at: model.hasBegun ? model.now : nil)
    if isStopped { stopped?.show(text, at: model.hasBegun ? model.now : nil) }
  }

  /// The source has ended; what was told stays.
  package mutating func end() {
    model.end()
    stopped?.end()
    show("the source has ended; q leaves")
  }

  /// Notes that time has passed on the timeline; returns whether the clock shows another second.
  package mutating func pass(to time: Timestamp) -> Bool {
    let before = model.now
    model.pass(to: time)
    return before.microseconds / 1_000_000 != model.now.microseconds / 1_000_000 && !isStopped
  }

  // MARK: Keys

  /// Does what a key stands for, and returns what it asks of others.
  package mutating func press(_ key: Key) -> TerminalRequest<Action>? {
    switch key {
    case .character("q"), .function(10): return .quit
    case .character("r"), .function(5): return .action(.toggleRecording)
    case .control("l"): return .redraw
    case .character("?"), .character("h"), .function(8): show(.help)
    case .character("i"), .function(2): show(.beacon)
    case .enter: show(page == .list ? .beacon : .list)
    case .character("e"), .function(6): show(.events)
    case .character("l"), .function(1), .escape, .backspace: show(.list)
    case .character("s"), .function(3): sort(by: order.next)
    case .character("p"), .character(" "), .function(4): stopped = isStopped ? nil : model
    default: move(key)
    }
    return nil
  }

  /// A page that is shown already is left again, as its key is the nearest at hand.
  private mutating func show(_ next: Page) {
    if next == .beacon, page != .beacon { chosen = rows[safely: chosenIndex(in: rows)]?.key }
    page = page == next ? .list : next
    offset = 0
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
  /// The row behind the last.
  var bottom: Int { top + height }
}

extension Array {
  /// The element at an index; `nil` where there is none.
  subscript(safely index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}
