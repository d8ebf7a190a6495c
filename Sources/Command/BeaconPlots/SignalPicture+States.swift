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

  /// The states of a region in the time that is drawn, whatever was recorded.
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
    text("soft end", "Region", left - 6, y + 11)
    drawStrip(known(spans(lane)))
  }

  /// The spans without the times of which nothing is known, and those times.
  private func known(_ spans: [StateSpan]) -> [StateSpan] {
    var parts: [StateSpan] = []
    for var span in spans {
      // That a state was unknown was recorded with its reason.
      let gaps = span.name == "unknown" ? [] : plot.gaps
      for gap in gaps where gap.upperBound > span.start && gap.lowerBound < span.end {
        var (part, hole) = (span, span)
        part.end = gap.lowerBound
        (hole.start, hole.end) = (max(span.start, gap.lowerBound), min(span.end, gap.upperBound))
        (hole.name, hole.style) = (words.notRecorded, "unknown")
        parts += [part, hole]
        span.start = hole.end
      }
      parts.append(span)
    }
    return parts.filter { $0.start < $0.end }
  }

  /// Merges the changes that are too close to be distinguished.
  private func merged(_ spans: [StateSpan]) -> [StateSpan] {
    var merged: [StateSpan] = []
    for span in spans {
      let isShort = axis.x(span.end) - axis.x(span.start) < 2
      if isShort, let last = merged.last, last.name == Self.manyChanges {
        merged[merged.count - 1].end = max(last.end, span.end)
      } else if isShort {
        merged.append(
          StateSpan(name: Self.manyChanges, style: "deaf", start: span.start, end: span.end)
        )
      } else {
        merged.append(span)
      }
    }
    // A single short state stays as it is.
    return merged.flatMap { part in
      let isMany = part.name == Self.manyChanges && axis.x(part.end) - axis.x(part.start) >= 4
      guard part.name == Self.manyChanges, !isMany else { return [part] }
      return spans.filter { $0.start >= part.start && $0.end <= part.end }
    }
  }

  private static let manyChanges = "many changes"

  mutating func drawStrip(_ spans: [StateSpan]) {
    for span in merged(spans) {
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
    text("name", words.receivers, left - 58, y)
    drawKey()
    y += 8
    for receiver in plot.receivers.prefix(Self.mostReceivers) {
      text("soft", clipped(receiverName(receiver.number), 60), left, y + 11)
      y += Self.line
      var spans: [StateSpan] = []
      for (index, change) in receiver.states.enumerated() {
        let isLast = index + 1 == receiver.states.count
        let last = plot.captureEnd ?? axis.span.upperBound
        let end = isLast ? last : receiver.states[index + 1].time
        let start = index == 0 && change.state == .listening ? axis.span.lowerBound : change.time
        let span = StateSpan(
          name: words.states[change.state] ?? change.state.rawValue,
          style: change.state.rawValue,
          start: start,
          end: end
        )
        // Nothing is known of a gap, unless the receiver did not listen before it.
        spans += change.state == .listening ? known([span]) : [span]
      }
      if let end = plot.captureEnd {
        spans.append(
          StateSpan(
            name: "after the capture",
            style: "ended",
            start: end,
            end: axis.span.upperBound
          )
        )
      }
      drawStrip(spans)
      y += 4
    }
    let further = plot.receivers.count - Self.mostReceivers
    if further > 0 {
      text("soft", "and \(further) more receivers", left, y + 11)
      y += Self.line
    }
    drawTimes()
  }

  /// Draws the meaning of the strips, on the line of the heading.
  mutating func drawKey() {
    var states = RadioState.allCases.filter { state in
      plot.receivers.contains { $0.states.contains { $0.state == state } }
    }.map { (style: $0.rawValue, name: words.states[$0] ?? $0.rawValue) }
    if pauses.contains(where: \.isGap) { states.append(("unknown", words.notRecorded)) }
    var x = left + 50
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
      let isLast = tick.x > right - 20
      text(isLast ? "soft end" : "soft middle", tick.label, isLast ? right : tick.x, y + 2)
      if let day = tick.note {
        text(isLast ? "soft end" : "soft middle", day, isLast ? right : tick.x, y + 15)
      }
    }
    y += 16
  }

  /// Draws a line in each chart for each crossing, or an area for those too close to be distinguished, and their numbers,
  /// of which the first is given.
  mutating func drawCrossings(_ lane: SignalPlot.Lane, from first: Int = 1) {
    guard let top = frames.first?.lowerBound else { return }
    var lines: [SignalPlot.Note.Kind: String] = [:]
    for group in groups(lane.notes) {
      let (first, last) = (axis.x(group[0].time), axis.x(group[group.count - 1].time))
      guard group.count < Self.manyNotes else {
        for frame in frames {
          let height = frame.upperBound - frame.lowerBound
          rectangle("many", first - 1, frame.lowerBound, last - first + 2, height)
        }
        continue
      }
      for note in group { lines[note.kind, default: ""] += line(at: note.time) }
    }
    if let end = plot.captureEnd, axis.span.contains(end) {
      page.markup("<path class=\"ending\" d=\"\(line(at: end))\"/>\n")
    }
    for (kind, style) in [
      (SignalPlot.Note.Kind.state, "state"), (.entered, "entered"), (.left, "left"),
    ] {
      guard let path = lines[kind] else { continue }
      page.markup("<path class=\"crossing \(style)\" d=\"\(path)\"/>\n")
    }
    drawNumbers(lane, top, from: first)
  }

  /// A line in each chart.
  private func line(at time: Timestamp) -> String {
    let x = number((axis.x(time) * 2).rounded() / 2)
    return frames.map { "M\(x) \(number($0.lowerBound))V\(number($0.upperBound))" }.joined()
  }

  /// So many crossings closer than so many units to each other are an area.
  private static let (manyNotes, closeness) = (4, 4.0)

  /// The crossings in groups whose lines touch each other.
  func groups(_ notes: [SignalPlot.Note]) -> [[SignalPlot.Note]] {
    var groups: [[SignalPlot.Note]] = []
    var last = -Double.infinity
    for note in notes {
      let x = axis.x(note.time)
      if x - last < Self.closeness {
        groups[groups.count - 1].append(note)
      } else {
        groups.append([note])
      }
      last = x
    }
    return groups
  }

  /// How many crossings are drawn as areas.
  func closeNotes(_ notes: [SignalPlot.Note]) -> Int {
    groups(notes).filter { $0.count >= Self.manyNotes }.reduce(0) { $0 + $1.count }
  }

  /// Draws the number of each listed crossing; those that would touch share a tag, such as `2–5`.
  private mutating func drawNumbers(_ lane: SignalPlot.Lane, _ top: Double, from start: Int) {
    struct Tag {
      var numbers: ClosedRange<Int>
      var x: Double
      var text: String {
        numbers.count == 1 ? "\(numbers.lowerBound)" : "\(numbers.lowerBound)–\(numbers.upperBound)"
      }
      var half: Double { max(8, 3.4 * Double(text.count) + 4) }
    }
    var tags: [Tag] = []
    for (index, note) in lane.notes.prefix(Self.mostNotes).enumerated() {
      var tag = Tag(numbers: start + index...start + index, x: axis.x(note.time))
      while let last = tags.last, tag.x - tag.half < last.x + last.half + 1 {
        tags.removeLast()
        let weights = (Double(last.numbers.count), Double(tag.numbers.count))
        let x = (last.x * weights.0 + tag.x * weights.1) / (weights.0 + weights.1)
        tag = Tag(numbers: last.numbers.lowerBound...tag.numbers.upperBound, x: x)
      }
      tags.append(tag)
    }
    for tag in tags {
      let x = min(tag.x, width - tag.half - 1)
      page.markup("<rect class=\"tag\" x=\"\(number(x - tag.half))\" y=\"\(number(top - 17))\"")
      page.markup(" width=\"\(number(2 * tag.half))\" height=\"16\" rx=\"8\"/>\n")
      text("tag-name middle", tag.text, x, top - 5)
    }
  }

  mutating func drawNotes(_ lane: SignalPlot.Lane) {
    y += 4
    let close = closeNotes(lane.notes)
    if close > 0 {
      y += Self.line
      text(
        "soft",
        "\(close) crossings are too close to be distinguished: the shaded times contain them.",
        left - 36,
        y
      )
    }
    // A time without its day is 10 letters long.
    let start = isLong ? left + 110 : left + 36
    var shown = axis.changes.isEmpty ? zone.offset(axis.span.lowerBound) : nil
    for (index, note) in lane.notes.prefix(Self.mostNotes).enumerated() {
      let time = localTime(note.time).dropFirst(isLong ? 0 : 11).prefix(isLong ? 21 : 10)
      let lines = wrapped(note.text, Int((right - start) / 6.1))
      let offset = zone.offset(note.time)
      if shown != offset {
        y += Self.line
        text("soft", "times in \(RowClock.name(offset))", left - 36, y)
        shown = offset
      }
      y += Self.line
      text("end strong", "\(index + 1)", left - 44, y)
      text("strong", "\(time)", left - 36, y)
      for (number, line) in lines.enumerated() {
        if number > 0 { y += Self.line }
        text("", line, start, y)
      }
    }
    let further = lane.noteCount - Self.mostNotes
    if further > 0 {
      y += Self.line
      text("soft", "and \(further) more; show less with --since and --until", start, y)
    }
    if lane.notes.isEmpty {
      y += Self.line
      text("soft", "no crossing", left - 36, y)
    }
    if let remark = lane.remark {
      y += Self.line
      text("soft", remark, left - 36, y)
    }
  }

  // MARK: Details

  /// Draws the last reports before exits of which the whole picture cannot show the reason.
  mutating func drawDetails(_ lane: SignalPlot.Lane) {
    let hidden = lane.notes.prefix(Self.mostNotes).enumerated().filter { _, note in
      guard let span = note.detail?.span else { return false }
      return axis.x(span.upperBound) - axis.x(span.lowerBound) < Self.readable
    }.prefix(isNarrow ? 1 : Self.mostDetails)
    guard !hidden.isEmpty else { return }
    let outer = (axis: axis, left: left, right: right)
    let column = (outer.right - outer.left + 58) / Double(hidden.count)
    y += 22
    let top = y
    var bottom = y
    for (place, (index, note)) in hidden.enumerated() {
      guard let detail = note.detail else { continue }
      left = outer.left + column * Double(place)
      right = outer.left - 58 + column * Double(place + 1) - (place + 1 == hidden.count ? 0 : 8)
      axis = TimeAxis(detail.span, left: left, right: right, zone)
      y = top
      let exit = note.time - detail.span.lowerBound
      let seconds = DecimalText.fixed(exit.seconds, decimals: 0)
      text(
        "strong",
        "\(index + 1) in detail: the last \(seconds) s before it was left",
        left - 58,
        y
      )
      y += 8
      drawCharts(detail.lane, from: index + 1)
      drawTimes()
      bottom = max(bottom, y)
    }
    (axis, left, right) = outer
    y = bottom
  }

  /// Narrower than this a silence and its exit time cannot be compared.
  private static let readable = 160.0
  private static let mostDetails = 2
}
