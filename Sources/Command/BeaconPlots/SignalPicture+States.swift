// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Pages

// The strips of states, of regions and of receivers, and the crossings.

extension SignalPicture {
  // MARK: States

  /// A state and how long it held.
  struct StateSpan {
    var name: String
    /// The style, if it is not that of the name.
    var style: String?
    var start: Timestamp
    var end: Timestamp
  }

  /// The states of a region in the time that is drawn.
  func spans(_ lane: SignalPlot.Lane) -> [StateSpan] {
    var spans: [StateSpan] = []
    let first = lane.states.first?.time ?? axis.span.upperBound
    if first > axis.span.lowerBound {
      spans.append(StateSpan(name: "unknown", start: axis.span.lowerBound, end: first))
    }
    for (index, change) in lane.states.enumerated() {
      let end = index + 1 < lane.states.count ? lane.states[index + 1].time : axis.span.upperBound
      spans.append(StateSpan(name: "\(change.state)", start: change.time, end: end))
    }
    return spans
  }

  mutating func drawStates(_ lane: SignalPlot.Lane) {
    y += 2
    text("soft end", "Region", Self.left - 6, y + 11)
    drawStrip(spans(lane))
  }

  mutating func drawStrip(_ spans: [StateSpan]) {
    for span in spans {
      let (start, end) = (axis.x(span.start), axis.x(span.end))
      guard end > start else { continue }
      rectangle("strip \(span.style ?? span.name)", start, y, end - start, Self.stripHeight)
      guard end - start > 12 + 6.5 * Double(span.name.count) else { continue }
      text("strip-name middle", span.name, (start + end) / 2, y + 11)
    }
    y += Self.stripHeight
  }

  mutating func drawReceivers() {
    guard !plot.receivers.isEmpty else { return }
    y += 26
    text("name", words.receivers, Self.left - 58, y)
    drawKey()
    y += 8
    for receiver in plot.receivers.prefix(Self.mostReceivers) {
      text("soft", clipped(receiverName(receiver.number), 60), Self.left, y + 11)
      y += Self.line
      var spans: [StateSpan] = []
      for (index, change) in receiver.states.enumerated() {
        let isLast = index + 1 == receiver.states.count
        let end = isLast ? axis.span.upperBound : receiver.states[index + 1].time
        // Nothing is known of a gap.
        var start = index == 0 && change.state == .listening ? axis.span.lowerBound : change.time
        for gap in plot.gaps where gap.upperBound > start && gap.lowerBound < end {
          spans.append(span(change.state, from: start, to: gap.lowerBound))
          start = gap.upperBound
        }
        spans.append(span(change.state, from: start, to: end))
      }
      for gap in plot.gaps {
        spans.append(
          StateSpan(
            name: words.notRecorded,
            style: "unknown",
            start: gap.lowerBound,
            end: gap.upperBound
          )
        )
      }
      drawStrip(spans)
      y += 4
    }
    let further = plot.receivers.count - Self.mostReceivers
    if further > 0 {
      text("soft", "and \(further) more receivers", Self.left, y + 11)
      y += Self.line
    }
    drawTimes()
  }

  private func span(_ state: RadioState, from start: Timestamp, to end: Timestamp) -> StateSpan {
    let name = words.states[state] ?? state.rawValue
    return StateSpan(name: name, style: state.rawValue, start: start, end: end)
  }

  /// Draws the meaning of the strips, on the line of the heading.
  mutating func drawKey() {
    var states = RadioState.allCases.filter { state in
      plot.receivers.contains { $0.states.contains { $0.state == state } }
    }.map { (style: $0.rawValue, name: words.states[$0] ?? $0.rawValue) }
    if !plot.gaps.isEmpty { states.append(("unknown", words.notRecorded)) }
    var x = Self.left + 50
    for state in states {
      rectangle("strip \(state.style)", x, y - 11, 18, 12)
      text("soft", state.name, x + 24, y)
      x += 48 + 6.5 * Double(state.name.count)
    }
  }

  // MARK: Times and crossings

  mutating func drawTimes() {
    y += 13
    for tick in axis.ticks {
      page.markup("<path class=\"tick\" d=\"M\(number(tick.x)) \(number(y - 12))v4\"/>\n")
      let isLast = tick.x > Self.right - 20
      text(isLast ? "soft end" : "soft middle", tick.label, isLast ? Self.right : tick.x, y + 2)
      if let day = tick.day {
        text(isLast ? "soft end" : "soft middle", day, isLast ? Self.right : tick.x, y + 15)
      }
    }
    y += 16
  }

  /// Draws a line through the charts for each crossing, with its number if there is room for it.
  mutating func drawCrossings(
    _ lane: SignalPlot.Lane,
    from top: Double,
    to bottom: Double
  ) {
    var lines: [SignalPlot.Note.Kind: String] = [:]
    var last: [SignalPlot.Note.Kind: Double] = [:]
    for note in lane.notes {
      let x = (axis.x(note.time) * 2).rounded() / 2
      guard last[note.kind].map({ x > $0 }) ?? true else { continue }
      lines[note.kind, default: ""] += "M\(number(x)) \(number(top))V\(number(bottom))"
      last[note.kind] = x
    }
    for (kind, style) in [
      (SignalPlot.Note.Kind.state, "state"), (.entered, "entered"), (.left, "left"),
    ] {
      guard let path = lines[kind] else { continue }
      page.markup("<path class=\"crossing \(style)\" d=\"\(path)\"/>\n")
    }
    // Crossings have their numbers before other changes of the state.
    let listed = lane.notes.prefix(Self.mostNotes).enumerated()
    var taken: [Double] = []
    for (index, note) in listed.filter({ $0.1.kind != .state })
      + listed.filter({ $0.1.kind == .state })
    {
      let x = axis.x(note.time)
      guard taken.allSatisfy({ abs($0 - x) >= 16 }) else { continue }
      taken.append(x)
      page.markup("<circle class=\"tag\" cx=\"\(number(x))\" cy=\"\(number(top - 7))\" r=\"8\"/>\n")
      text("tag-name middle", "\(index + 1)", x, top - 3)
    }
  }

  mutating func drawNotes(_ lane: SignalPlot.Lane) {
    y += 4
    for (index, note) in lane.notes.prefix(Self.mostNotes).enumerated() {
      let time = localTime(note.time).dropFirst(11).prefix(10)
      let lines = wrapped(note.text, Self.letters - 16)
      y += Self.line
      text("end strong", "\(index + 1)", Self.left - 44, y)
      text("strong", "\(time)", Self.left - 36, y)
      for (number, line) in lines.enumerated() {
        if number > 0 { y += Self.line }
        text("", line, Self.left + 36, y)
      }
    }
    let further = lane.noteCount - Self.mostNotes
    if further > 0 {
      y += Self.line
      text(
        "soft",
        "and \(further) more; show less with --since and --until",
        Self.left + 36,
        y
      )
    }
    if lane.notes.isEmpty {
      y += Self.line
      text("soft", "no crossing", Self.left - 36, y)
    }
  }
}
