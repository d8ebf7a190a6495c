// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats
internal import Pages

/// The picture of a plot: a pure function of the plot, so that the same plot has the same bytes.
package struct SignalPicture {
  private let plot: SignalPlot
  private let title: String
  private let zone: LocalZone
  private let axis: TimeAxis
  private var page = Markup()
  private var y = 0.0

  /// The width of a picture in units; one is a pixel of the smallest readable picture.
  private static let width = 800.0
  private static let (left, right) = (70.0, 788.0)
  /// The height of the charts, and the space between two of them.
  private static let (signalHeight, distanceHeight, silenceHeight) = (96.0, 72.0, 72.0)
  private static let space = 22.0
  /// The height of a strip of states.
  private static let stripHeight = 14.0
  /// The height of a line of text, and how many letters fit one.
  private static let line = 16.0
  private static let letters = 112
  /// The most notes, and the most receivers, that a picture lists.
  private static let (mostNotes, mostReceivers) = (12, 12)
  /// Above so many values a signal is drawn as a line with its range.
  private static let mostMarks = 240

  /// Creates a picture.
  ///
  /// - Parameters:
  ///   - plot: The plot.
  ///   - title: The title.
  ///   - zone: How far local time is ahead of UTC.
  package init(of plot: SignalPlot, titled title: String, _ zone: LocalZone) {
    self.plot = plot
    self.title = title
    self.zone = zone
    axis = TimeAxis(
      plot.extent ?? .earliest ... .earliest,
      left: Self.left,
      right: Self.right,
      zone
    )
  }

  // MARK: Files

  /// The picture as an SVG file.
  package var svg: String {
    var picture = self
    return picture.draw()
  }

  /// The picture as a page, with the crossings as text below it.
  package var html: String {
    var page = Markup()
    page.markup("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
    page.markup("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n")
    page.markup("<meta http-equiv=\"Content-Security-Policy\"")
    page.markup(" content=\"default-src 'none';style-src 'unsafe-inline'\">\n")
    page.element("title", title)
    page.markup("\n<style>\n\(Texts.plotPageStyle)\n</style>\n</head>\n<body>\n")
    page.markup(svg)
    for lane in plot.lanes {
      page.element("h2", lane.region.identifier.rawValue)
      page.markup("\n")
      guard !lane.notes.isEmpty else {
        page.markup("<p>No crossing.</p>\n")
        continue
      }
      page.markup("<ol>\n")
      for note in lane.notes {
        page.markup("<li>")
        page.element("time", [("datetime", RFC3339.string(note.time))], localTime(note.time))
        page.write(" " + note.text)
        page.markup("</li>\n")
      }
      page.markup("</ol>\n")
    }
    page.markup("</body>\n</html>\n")
    return page.text
  }

  // MARK: Drawing

  private mutating func draw() -> String {
    y = 26
    text("name", title, Self.left - 58, y)
    y += 18
    text("soft", subtitle, Self.left - 58, y)
    y += 10
    if plot.extent != nil {
      for index in plot.lanes.indices { draw(plot.lanes[index]) }
      drawReceivers()
    }
    y += 14
    var file = Markup()
    let size = "0 0 \(number(Self.width)) \(number(y))"
    file.markup("<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" ")
    file.markup("viewBox=\"\(size)\" width=\"\(number(Self.width))\" height=\"\(number(y))\">\n")
    file.element("title", title)
    file.markup("\n<style>\n\(Texts.plotStyle)\n</style>\n<defs>")
    file.markup("<pattern id=\"plot-hatch\" width=\"6\" height=\"6\"")
    file.markup(" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">")
    file.markup("<path class=\"hatch\" d=\"M3 0V6\"/></pattern>")
    file.markup("<pattern id=\"plot-dots\" width=\"5\" height=\"5\"")
    file.markup(" patternUnits=\"userSpaceOnUse\"><rect class=\"dots\" x=\"1\" y=\"1\"")
    file.markup(" width=\"2\" height=\"2\"/></pattern></defs>\n")
    file.markup("<rect class=\"paper\" width=\"\(number(Self.width))\" height=\"\(number(y))\"/>\n")
    file.markup(page.text)
    file.markup("</svg>\n")
    return file.text
  }

  private var subtitle: String {
    guard let extent = plot.extent else { return "nothing was received" }
    let (start, end) = (localTime(extent.lowerBound), localTime(extent.upperBound))
    let isOneDay = start.prefix(10) == end.prefix(10)
    let name = RowClock.name(zone.offset(extent.lowerBound))
    return
      "\(start.prefix(19)) to \(isOneDay ? end.dropFirst(11).prefix(8) : end.prefix(19)), \(name)"
  }

  /// A time as local clocks show it: `2026-05-02 10:00:10.501`.
  private func localTime(_ time: Timestamp) -> String {
    let local = zone.offset(time).moved(time)
    return RFC3339.string(local).prefix(10) + " " + RFC3339.timeOfDay(local)
  }

  /// Draws a region: its signals, distance, silences, states and crossings.
  private mutating func draw(_ lane: SignalPlot.Lane) {
    y += 26
    text("name", lane.region.identifier.rawValue, Self.left - 58, y)
    y += Self.line
    let reports = lane.reports == 1 ? "1 report" : "\(lane.reports) reports"
    text("soft", "\(lane.region.constraint) · \(reports)", Self.left - 58, y)
    drawLegend(lane)
    // The numbers of the crossings lie here.
    y += 22
    let top = y
    // The lines of the crossings are below the charts.
    let above = page
    page = Markup()
    drawSignals(lane)
    drawDistance(lane)
    drawSilence(lane)
    let charts = page.text
    page = above
    drawCrossings(lane, from: top, to: y)
    page.markup(charts)
    drawStates(lane)
    drawTimes()
    drawNotes(lane)
  }

  /// Begins a chart and returns its axis.
  private mutating func begin(
    _ name: String,
    _ unit: String,
    _ values: ClosedRange<Double>,
    height: Double,
    isLogarithmic: Bool = false
  ) -> ValueAxis {
    let axis = ValueAxis(
      values: values,
      top: y + Self.space - 6,
      bottom: y + Self.space - 6 + height,
      isLogarithmic: isLogarithmic
    )
    text("chart halo", name, Self.left, y + 10)
    for value in axis.ticks(isLogarithmic ? 5 : 4) {
      let place = axis.y(value)
      page.markup(
        "<path class=\"grid\" d=\"M\(number(Self.left)) \(number(place))H\(number(Self.right))\"/>\n"
      )
      let label = value == value.rounded() ? "\(Int(value))" : DecimalText.fixed(value, decimals: 1)
      text("soft end", "\(label) \(unit)", Self.left - 6, place + 4)
    }
    for gap in plot.gaps {
      let (start, end) = (self.axis.x(gap.lowerBound), self.axis.x(gap.upperBound))
      guard end > start else { continue }
      rectangle("gap", start, axis.top, end - start, height)
    }
    y += Self.space - 6 + height
    return axis
  }

  private mutating func end(_ axis: ValueAxis) {
    rectangle("frame", Self.left, axis.top, Self.right - Self.left, axis.bottom - axis.top)
    y += 4
  }

  // MARK: Signals

  private mutating func drawLegend(_ lane: SignalPlot.Lane) {
    guard lane.signals.count > 1 else { return }
    y += Self.line
    var x = Self.left - 58
    for (index, signal) in lane.signals.enumerated() {
      page.markup("<path class=\"mark m\(index)\" d=\"\(self.mark(index, x + 6, y - 4))\"/>\n")
      page.markup("<path class=\"mean m\(index)\" d=\"M\(number(x + 14)) \(number(y - 4))h22\"/>\n")
      let name = clipped(self.name(of: signal), 24)
      text("", name, x + 42, y)
      x += 58 + 7 * Double(name.count)
      guard x > Self.right - 120, index < lane.signals.count - 1 else { continue }
      x = Self.left - 58
      y += Self.line
    }
  }

  private func name(of signal: SignalPlot.Signal) -> String {
    signal.receiver.map(receiverName) ?? "other receivers"
  }

  private func receiverName(_ number: UInt8) -> String {
    let name = Int(number) < plot.receiverNames.count ? plot.receiverNames[Int(number)] : ""
    return name.isEmpty ? "receiver \(Int(number) + 1)" : name
  }

  private mutating func drawSignals(_ lane: SignalPlot.Lane) {
    let columns = lane.signals.flatMap(\.rssi.columns)
    let low = ((columns.map(\.low).min() ?? -90) / 10).rounded(.down) * 10
    let high = max(low + 20, ((columns.map(\.high).max() ?? -50) / 10).rounded(.up) * 10)
    let name = lane.signals.count == 1 ? " at " + name(of: lane.signals[0]) : ""
    let axis = begin(clipped("RSSI" + name, 80), "dBm", low...high, height: Self.signalHeight)
    for (index, signal) in lane.signals.enumerated() {
      let points = self.axis.points(signal.rssi)
      var ranges = ""
      for point in points where point.high > point.low {
        ranges += "M\(number(point.x)) \(number(axis.y(point.low)))V\(number(axis.y(point.high)))"
      }
      if !ranges.isEmpty { page.markup("<path class=\"range m\(index)\" d=\"\(ranges)\"/>\n") }
      if points.count <= Self.mostMarks {
        let marks = points.map { mark(index, $0.x, axis.y($0.mean)) }.joined()
        page.markup("<path class=\"mark m\(index)\" d=\"\(marks)\"/>\n")
      } else {
        let line = polyline(points.map { ($0.x, axis.y($0.mean)) }, breaking: 8)
        page.markup("<path class=\"mean m\(index)\" d=\"\(line)\"/>\n")
      }
    }
    end(axis)
  }

  /// The mark of a signal's value: another shape for each signal, since not everybody sees its color.
  private func mark(_ signal: Int, _ x: Double, _ y: Double) -> String {
    let place = "M\(number(x)) \(number(y))"
    return switch signal {
    case 0: place + "m-2.4 0a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0-4.8 0z"
    case 1: place + "m-2.3-2.3h4.6v4.6h-4.6z"
    case 2: place + "m0-3l2.9 5h-5.8z"
    case 3: place + "m0-3.3l3 3.3l-3 3.3l-3-3.3z"
    case 4: place + "m-3.2-.9h2.3v-2.3h1.8v2.3h2.3v1.8h-2.3v2.3h-1.8v-2.3h-2.3z"
    case 5: place + "m0 3l2.9-5h-5.8z"
    default: place + "m-1.2-1.2h2.4v2.4h-2.4z"
    }
  }

  /// A line through points, which has a gap if they are far apart.
  private func polyline(_ points: [(x: Double, y: Double)], breaking distance: Double) -> String {
    var path = ""
    var last: (x: Double, y: Double)?
    for point in points {
      let isBroken = last.map { point.x - $0.x > distance } ?? true
      path += (isBroken ? "M" : "L") + "\(number(point.x)) \(number(point.y))"
      last = point
    }
    return path
  }

  // MARK: Distance

  private mutating func drawDistance(_ lane: SignalPlot.Lane) {
    let points = self.axis.points(lane.distance)
    guard !points.isEmpty else { return }
    let zone = lane.region.zone
    let low = min(points.map(\.low).min() ?? 1, zone?.enterWithin ?? 1)
    let high = max(points.map(\.high).max() ?? 1, zone?.leaveBeyond ?? 1)
    let axis = begin(
      lane.region.constraint.isExact
        ? "Distance, and its 90 % interval"
        : "Distance of the nearest beacon, and its 90 % interval",
      "m",
      max(low * 0.8, 0.05)...max(high * 1.25, low * 2),
      height: Self.distanceHeight,
      isLogarithmic: true
    )
    // A second without a distance makes a gap.
    let second = (self.axis.x(self.axis.span.lowerBound + .milliseconds(2500)) - Self.left)
    var path = ""
    for run in runs(points, breaking: max(second, 3)) {
      path += "M" + run.map { "\(number($0.x)) \(number(axis.y($0.high)))" }.joined(separator: "L")
      path += "L"
      path += run.reversed().map { "\(number($0.x)) \(number(axis.y($0.low)))" }.joined(
        separator: "L"
      )
      path += "Z"
    }
    page.markup("<path class=\"band\" d=\"\(path)\"/>\n")
    let line = polyline(points.map { ($0.x, axis.y($0.mean)) }, breaking: max(second, 3))
    page.markup("<path class=\"distance\" d=\"\(line)\"/>\n")
    limit(plot.proximityLimits.immediate, "immediate", "limit", axis)
    limit(plot.proximityLimits.near, "near", "limit", axis)
    if let zone {
      limit(zone.enterWithin, "enter within \(meters(zone.enterWithin))", "zone", axis, 12)
      limit(zone.leaveBeyond, "leave beyond \(meters(zone.leaveBeyond))", "zone", axis)
    }
    end(axis)
  }

  private func meters(_ value: Double) -> String {
    let text = DecimalText.fixed(value, decimals: 1)
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " m"
  }

  /// Draws a distance that something depends on.
  private mutating func limit(
    _ value: Double,
    _ name: String,
    _ style: String,
    _ axis: ValueAxis,
    _ offset: Double = -3
  ) {
    guard axis.values.contains(value) else { return }
    let place = axis.y(value)
    page.markup(
      "<path class=\"\(style)\" d=\"M\(number(Self.left)) \(number(place))H\(number(Self.right))\"/>\n"
    )
    if style == "zone" {
      text("soft halo", name, Self.left + 4, place + offset)
    } else {
      text("soft end halo", name, Self.right - 4, place + offset)
    }
  }

  private func runs(
    _ points: [(x: Double, low: Double, high: Double, mean: Double)],
    breaking distance: Double
  ) -> [[(x: Double, low: Double, high: Double, mean: Double)]] {
    var runs: [[(x: Double, low: Double, high: Double, mean: Double)]] = []
    for point in points {
      if let last = runs.last?.last, point.x - last.x <= distance {
        runs[runs.count - 1].append(point)
      } else {
        runs.append([point])
      }
    }
    return runs
  }

  // MARK: Silence

  /// Draws how long the region was silent, and how long it may be: it is left when the first reaches the second.
  private mutating func drawSilence(_ lane: SignalPlot.Lane) {
    let silences = lane.silence.silences.filter {
      $0.upperBound > self.axis.span.lowerBound && $0.lowerBound < self.axis.span.upperBound
    }
    let learned = self.axis.points(lane.exitTime)
    let assumed = self.axis.points(lane.assumedExitTime)
    guard !silences.isEmpty || !learned.isEmpty || !assumed.isEmpty else { return }
    let allowed = (learned + assumed).map(\.high).max()
    let longest = silences.map { ($0.upperBound - $0.lowerBound).seconds }.max()
    let high = max(1, allowed.map { $0 * 1.3 } ?? longest ?? 1)
    let axis = begin(
      "Silence, and the exit time",
      "s",
      0...high,
      height: Self.silenceHeight
    )
    var teeth = ""
    for silence in silences {
      // After an exit the silence does not matter any more.
      let exit = lane.states.first {
        $0.state == .outside && $0.time > silence.lowerBound && $0.time < silence.upperBound
      }
      teeth += tooth(silence.lowerBound..<(exit?.time ?? silence.upperBound), axis)
    }
    if !teeth.isEmpty { page.markup("<path class=\"silence\" d=\"\(teeth)\"/>\n") }
    drawExitTime(
      (learned.map { ($0.x, axis.y($0.mean), true) }
        + assumed.map { ($0.x, axis.y($0.mean), false) })
        .sorted { $0.0 < $1.0 },
      lane
    )
    var labels: [String] = []
    if !learned.isEmpty { labels.append("━ learned or set") }
    if !assumed.isEmpty { labels.append("╍ nothing learned yet") }
    if !labels.isEmpty {
      text("soft end", labels.joined(separator: "   "), Self.right, axis.top - 6)
    }
    end(axis)
  }

  /// A silence: it grows until the next report, and is cut off at the top of the chart.
  private func tooth(_ silence: Range<Timestamp>, _ axis: ValueAxis) -> String {
    let start = max(silence.lowerBound, self.axis.span.lowerBound)
    let end = min(silence.upperBound, self.axis.span.upperBound)
    let full = silence.lowerBound + TimeSpan(seconds: axis.values.upperBound)
    let point = { (time: Timestamp) -> String in
      number(self.axis.x(time)) + " " + number(axis.y((time - silence.lowerBound).seconds))
    }
    let bottom = number(axis.bottom)
    var path = "M\(number(self.axis.x(start))) \(bottom)L\(point(start))"
    if full > start, full < end { path += "L\(point(full))" }
    return path + "L\(point(end))V\(bottom)Z"
  }

  /// Draws the exit time while the region is inside; each value holds until the next one.
  private mutating func drawExitTime(
    _ points: [(x: Double, y: Double, isLearned: Bool)],
    _ lane: SignalPlot.Lane
  ) {
    var (learned, assumed) = ("", "")
    for span in spans(lane) where span.name == "inside" {
      let (start, end) = (axis.x(span.start), axis.x(span.end))
      let inside = points.filter { $0.x >= start - 1 && $0.x <= end }
      var last: Bool?
      for (index, point) in inside.enumerated() {
        let next = index + 1 < inside.count ? inside[index + 1].x : end
        // A continued path keeps its dashes.
        let isBroken = last != point.isLearned
        let place = isBroken ? "M\(number(max(point.x, start))) " : "V"
        let path = place + number(point.y) + "H" + number(max(next, start))
        if point.isLearned { learned += path } else { assumed += path }
        last = point.isLearned
      }
    }
    if !assumed.isEmpty { page.markup("<path class=\"exit assumed\" d=\"\(assumed)\"/>\n") }
    if !learned.isEmpty { page.markup("<path class=\"exit\" d=\"\(learned)\"/>\n") }
  }

  // MARK: States

  /// A state and how long it held.
  private struct StateSpan {
    var name: String
    /// The style, if it is not that of the name.
    var style: String?
    var start: Timestamp
    var end: Timestamp
  }

  /// The states of a region in the time that is drawn.
  private func spans(_ lane: SignalPlot.Lane) -> [StateSpan] {
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

  private mutating func drawStates(_ lane: SignalPlot.Lane) {
    y += 2
    text("soft end", "Region", Self.left - 6, y + 11)
    drawStrip(spans(lane))
  }

  private mutating func drawStrip(_ spans: [StateSpan]) {
    for span in spans {
      let (start, end) = (axis.x(span.start), axis.x(span.end))
      guard end > start else { continue }
      rectangle("strip \(span.style ?? span.name)", start, y, end - start, Self.stripHeight)
      guard end - start > 12 + 6.5 * Double(span.name.count) else { continue }
      text("strip-name middle", span.name, (start + end) / 2, y + 11)
    }
    y += Self.stripHeight
  }

  private mutating func drawReceivers() {
    guard !plot.receivers.isEmpty else { return }
    y += 26
    text("name", "Receivers", Self.left - 58, y)
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
          spans.append(StateSpan(name: change.state.rawValue, start: start, end: gap.lowerBound))
          start = gap.upperBound
        }
        spans.append(StateSpan(name: change.state.rawValue, start: start, end: end))
      }
      for gap in plot.gaps {
        spans.append(
          StateSpan(
            name: "not recorded",
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

  /// Draws the meaning of the strips, on the line of the heading.
  private mutating func drawKey() {
    var states = RadioState.allCases.filter { state in
      plot.receivers.contains { $0.states.contains { $0.state == state } }
    }.map { (style: $0.rawValue, name: $0.rawValue) }
    if !plot.gaps.isEmpty { states.append(("unknown", "not recorded")) }
    var x = Self.left + 50
    for state in states {
      rectangle("strip \(state.style)", x, y - 11, 18, 12)
      text("soft", state.name, x + 24, y)
      x += 48 + 6.5 * Double(state.name.count)
    }
  }

  // MARK: Times and crossings

  private mutating func drawTimes() {
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
  private mutating func drawCrossings(
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

  private mutating func drawNotes(_ lane: SignalPlot.Lane) {
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

  // MARK: Parts

  private mutating func rectangle(
    _ style: String,
    _ x: Double,
    _ y: Double,
    _ width: Double,
    _ height: Double
  ) {
    page.markup("<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\"")
    page.markup(" width=\"\(number(width))\" height=\"\(number(height))\"/>\n")
  }

  private mutating func text(_ style: String, _ content: String, _ x: Double, _ y: Double) {
    page.element(
      "text",
      [("class", style), ("x", number(x)), ("y", number(y))],
      clipped(content, Self.letters)
    )
    page.line()
  }

  private func clipped(_ text: String, _ count: Int) -> String {
    text.count > count ? text.prefix(count - 1) + "…" : text
  }

  /// A text in lines that break between words.
  private func wrapped(_ text: String, _ count: Int) -> [String] {
    var lines: [String] = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty || line.count + word.count < count {
        lines[lines.count - 1] += (line.isEmpty ? "" : " ") + word
      } else {
        lines.append(String(word))
      }
    }
    return Array(lines.prefix(3))
  }

  private func number(_ value: Double) -> String {
    let text = DecimalText.fixed(value, decimals: 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension IdentityConstraint {
  /// Whether only one beacon satisfies it.
  fileprivate var isExact: Bool { if case .minor = self { true } else { false } }
}
