// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Pages

// The charts of a region: its signals, distances and silences.

extension SignalPicture {
  // MARK: Signals

  mutating func drawLegend(_ lane: SignalPlot.Lane) {
    guard lane.signals.count > 1 else { return }
    y += Self.line
    var x = left - 58
    for (index, signal) in lane.signals.enumerated() {
      page.markup("<path class=\"mark m\(index)\" d=\"\(self.mark(index, x + 6, y - 4))\"/>\n")
      page.markup("<path class=\"mean m\(index)\" d=\"M\(number(x + 14)) \(number(y - 4))h22\"/>\n")
      let name = clipped(self.name(of: signal), 24)
      text("", name, x + 42, y)
      x += 58 + 7 * Double(name.count)
      guard x > right - 120, index < lane.signals.count - 1 else { continue }
      x = left - 58
      y += Self.line
    }
  }

  func name(of signal: SignalPlot.Signal) -> String {
    guard let receiver = signal.receiver.map(receiverName) else { return "others" }
    guard let beacon = signal.label else { return receiver }
    return plot.receivers.count > 1 ? "\(beacon) at \(receiver)" : beacon
  }

  /// The beacon and the receiver of a region's signals, if there is one: ` of Globe at hci0`.
  private func subject(of lane: SignalPlot.Lane) -> String {
    guard words.hasRegion, let first = lane.signals.first,
      lane.signals.allSatisfy({ $0.receiver == first.receiver }),
      let receiver = first.receiver.map(receiverName)
    else { return "" }
    let beacon = lane.signals.count == 1 ? first.label.map { " of " + $0 } : nil
    return "\(beacon ?? "") at \(receiver)"
  }

  /// Draws the end of the capture, if the regions settled later.
  private mutating func drawCaptureEnd(_ axis: ValueAxis) {
    guard let end = plot.captureEnd, self.axis.span.contains(end) else { return }
    let (x, name) = (self.axis.x(end), "the capture ends")
    let isLeft = x + 7.5 * Double(name.count) > right
    text(isLeft ? "strong end halo" : "strong halo", name, isLeft ? x - 5 : x + 5, axis.top + 14)
  }

  func receiverName(_ number: UInt8) -> String {
    let name = Int(number) < plot.receiverNames.count ? plot.receiverNames[Int(number)] : ""
    return name.isEmpty ? "#\(number)" : name
  }

  mutating func drawSignals(_ lane: SignalPlot.Lane) {
    let columns = lane.signals.flatMap(\.rssi.columns)
    let floor = lane.region.enterPolicy?.rssiFloor.map(Double.init)
    // A mark at an end would lie half outside.
    let least = min(columns.map(\.low).min() ?? -90, floor ?? 0) - 1
    let low = (least / 5).rounded(.down) * 5
    let most = max(columns.map(\.high).max() ?? -50, floor ?? -127) + 1
    let high = max(low + 20, (most / 5).rounded(.up) * 5)
    let axis = begin("RSSI" + subject(of: lane), "dBm", low...high, height: Self.signalHeight)
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
    if let floor {
      drawLimits([("zone", floor, "weaker reports do not enter: \(Int(floor)) dBm")], axis)
    }
    drawCaptureEnd(axis)
    for pause in pauses {
      let (start, end) = (
        self.axis.x(pause.range.lowerBound), self.axis.x(pause.range.upperBound)
      )
      let name = pause.isGap ? words.notRecorded : words.states[.off] ?? words.noRadio
      guard end - start > 7 * Double(name.count) else { continue }
      text("strong middle halo", name, (start + end) / 2, (axis.top + axis.bottom) / 2 + 4)
    }
    end(axis)
  }

  /// The mark of a signal's value: another shape for each signal, since not everybody sees its color.
  func mark(_ signal: Int, _ x: Double, _ y: Double) -> String {
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
  func polyline(_ points: [(x: Double, y: Double)], breaking distance: Double) -> String {
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

  mutating func drawDistance(_ lane: SignalPlot.Lane) {
    let points = self.axis.points(lane.distance)
    guard !points.isEmpty else { return }
    let zone = lane.region.zone
    let low = min(points.map(\.low).min() ?? 1, zone?.enterWithin ?? 1)
    let high = max(points.map(\.high).max() ?? 1, zone?.leaveBeyond ?? 1)
    let axis = begin(
      lane.region.constraint.isExact
        ? words.distance
        : words.nearestDistance,
      "m",
      max(low * 0.8, 0.05)...max(high * 1.25, low * 2),
      height: Self.distanceHeight,
      isLogarithmic: true
    )
    // A second without a distance makes a gap.
    let second = self.axis.x(self.axis.span.lowerBound + .milliseconds(2500)) - left
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
    var limits = [
      (style: "limit", value: plot.proximityLimits.immediate, name: words.immediate),
      ("limit", plot.proximityLimits.near, words.near),
    ]
    if let zone {
      limits.append(("zone", zone.enterWithin, "enter within \(meters(zone.enterWithin))"))
      limits.append(("zone", zone.leaveBeyond, "leave beyond \(meters(zone.leaveBeyond))"))
    }
    drawLimits(limits, axis)
    end(axis)
  }

  func meters(_ value: Double) -> String {
    let text = DecimalText.fixed(value, decimals: 1)
    return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " m"
  }

  /// Draws values that something depends on, with their names above or below the lines, away from other lines.
  private mutating func drawLimits(
    _ limits: [(style: String, value: Double, name: String)],
    _ axis: ValueAxis
  ) {
    let limits = limits.filter { axis.values.contains($0.value) }
    for limit in limits {
      let place = number(axis.y(limit.value))
      page.markup(
        "<path class=\"\(limit.style)\" d=\"M\(number(left)) \(place)H\(number(right))\"/>\n"
      )
    }
    var bottoms: [String: [Double]] = [:]
    for limit in limits {
      let place = axis.y(limit.value)
      let bottom = [place - 3, place + 12].min {
        crossed($0, limit.style) < crossed($1, limit.style)
      }
      text(
        limit.style == "zone" ? "soft halo" : "soft end halo",
        limit.name,
        limit.style == "zone" ? left + 4 : right - 4,
        bottom ?? place
      )
      bottoms[limit.style, default: []].append(bottom ?? place)
    }
    /// How many lines, names and ends of the chart a name touches.
    func crossed(_ bottom: Double, _ style: String) -> Int {
      let lines = limits.map { axis.y($0.value) } + [axis.top - 2, axis.bottom + 2]
      return lines.filter { (bottom - 10...bottom + 1).contains($0) }.count
        + (bottoms[style] ?? []).filter { abs($0 - bottom) < 11 }.count
    }
  }

  func runs(
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
  mutating func drawSilence(_ lane: SignalPlot.Lane) {
    let silences = lane.silence.silences.filter {
      $0.upperBound > self.axis.span.lowerBound && $0.lowerBound < self.axis.span.upperBound
    }
    let learned = self.axis.points(lane.exitTime)
    let assumed = self.axis.points(lane.assumedExitTime)
    guard words.hasRegion || !silences.isEmpty else { return }
    let allowed = (learned + assumed).map(\.high).max()
    let longest = silences.map { ($0.upperBound - $0.lowerBound).seconds }.max()
    let high = max(1, allowed.map { $0 * 1.3 } ?? longest ?? 1)
    if isNarrow { y += Self.line }
    let axis = begin(
      words.silence,
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
      teeth += tooth(silence.lowerBound..<(exit?.time ?? silence.upperBound), pauses, axis)
    }
    if !teeth.isEmpty { page.markup("<path class=\"silence\" d=\"\(teeth)\"/>\n") }
    drawExitTime(
      (learned.map { ($0.x, axis.y($0.mean), true) }
        + assumed.map { ($0.x, axis.y($0.mean), false) })
        .sorted { $0.0 < $1.0 },
      lane
    )
    if words.hasRegion, right - left > 400 || isNarrow {
      drawSilenceLegend(
        [
          teeth.isEmpty ? nil : ("silence", "silence"),
          learned.isEmpty ? nil : ("exit", "exit time, learned or set"),
          assumed.isEmpty ? nil : ("exit assumed", "exit time, assumed"),
        ].compactMap(\.self),
        axis.top - 6
      )
    }
    end(axis)
  }

  /// Draws the meanings of the areas and lines, ending at the right.
  private mutating func drawSilenceLegend(_ items: [(style: String, name: String)], _ y: Double) {
    var x = right
    for (style, name) in items.reversed() {
      x -= 6.1 * Double(name.count)
      text("soft halo", name, x, y)
      x -= 24
      if style == "silence" {
        rectangle(style, x, y - 9, 18, 10)
      } else {
        page.markup("<path class=\"\(style)\" d=\"M\(number(x)) \(number(y - 4))h18\"/>\n")
      }
      x -= 14
    }
  }

  /// The times in which silence does not count: nothing was recorded, or no receiver listened and it begins again.
  func findPauses() -> [(range: Range<Timestamp>, isGap: Bool)] {
    let off = silentTimes
    // A gap of a time in which no receiver listened is that time.
    let gaps = plot.gaps.filter { gap in
      !off.contains { $0.lowerBound <= gap.lowerBound && $0.upperBound >= gap.upperBound }
    }
    let pauses = gaps.map { (range: $0, isGap: true) } + off.map { (range: $0, isGap: false) }
    return pauses.sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
  }

  /// The times in which no receiver listened.
  private var silentTimes: [Range<Timestamp>] {
    var times: [Range<Timestamp>] = []
    var changes: [(time: Timestamp, step: Int)] = []
    var listening = 0
    for receiver in plot.receivers {
      var isListening = receiver.states.first?.state == .listening
      listening += isListening ? 1 : 0
      for change in receiver.states.dropFirst() where (change.state == .listening) != isListening {
        isListening.toggle()
        changes.append((change.time, isListening ? 1 : -1))
      }
    }
    guard listening > 0 || !changes.isEmpty else { return [] }
    var start = listening == 0 ? axis.span.lowerBound : nil
    for change in changes.sorted(by: { ($0.time, $1.step) < ($1.time, $0.step) }) {
      listening += change.step
      if listening == 0 {
        start = change.time
      } else if let from = start, from < change.time {
        times.append(from..<change.time)
        start = nil
      } else {
        start = nil
      }
    }
    if let start, start < axis.span.upperBound { times.append(start..<axis.span.upperBound) }
    return times
  }

  /// A silence: it grows until the next report while a receiver listens, and is cut off at the top of the chart.
  private func tooth(
    _ silence: Range<Timestamp>,
    _ pauses: [(range: Range<Timestamp>, isGap: Bool)],
    _ axis: ValueAxis
  ) -> String {
    var path = ""
    var (start, counted) = (silence.lowerBound, TimeSpan.zero)
    for pause in pauses
    where pause.range.overlaps(start..<max(silence.upperBound, start + .milliseconds(1))) {
      if pause.range.lowerBound > start {
        path += slope(start..<pause.range.lowerBound, counted, axis)
        counted = counted + (pause.range.lowerBound - start)
      }
      if !pause.isGap { counted = .zero }
      start = max(start, pause.range.upperBound)
      guard start < silence.upperBound else { return path }
    }
    return path + slope(start..<silence.upperBound, counted, axis)
  }

  /// A part of a silence that has counted for some time before.
  private func slope(_ part: Range<Timestamp>, _ counted: TimeSpan, _ axis: ValueAxis) -> String {
    let start = max(part.lowerBound, self.axis.span.lowerBound)
    let end = min(part.upperBound, self.axis.span.upperBound)
    guard start < end else { return "" }
    let full = part.lowerBound - counted + TimeSpan(seconds: axis.values.upperBound)
    let point = { (time: Timestamp) -> String in
      number(self.axis.x(time)) + " "
        + number(axis.y((time - part.lowerBound + counted).seconds))
    }
    let bottom = number(axis.bottom)
    var path = "M\(number(self.axis.x(start))) \(bottom)L\(point(start))"
    if full > start, full < end { path += "L\(point(full))" }
    return path + "L\(point(end))V\(bottom)Z"
  }

  /// Draws the exit time while the region is inside, or could be; each value holds until the next one.
  private mutating func drawExitTime(
    _ points: [(x: Double, y: Double, isLearned: Bool)],
    _ lane: SignalPlot.Lane
  ) {
    var (learned, assumed) = ("", "")
    let spans = spans(lane)
    for (index, span) in spans.enumerated()
    where span.name == "inside" || span.name == "unknown" && index > 0 {
      // The last value of the span: it also holds after a time that was not recorded.
      var held: (x: Double, y: Double, isLearned: Bool)?
      for (start, end) in countedParts(of: span) {
        var inside = points.filter { $0.x >= start - 1 && $0.x < end }
        if let held, span.name == "inside", inside.isEmpty { inside = [held] }
        var last: Bool?
        for (index, point) in inside.enumerated() {
          let next = index + 1 < inside.count ? inside[index + 1].x : end
          // A continued path keeps its dashes.
          let isBroken = last != point.isLearned
          let from = index == 0 ? start : max(point.x, start)
          let path =
            (isBroken ? "M\(number(from)) " : "V") + number(point.y) + "H"
            + number(max(next, start))
          if point.isLearned { learned += path } else { assumed += path }
          last = point.isLearned
        }
        held = inside.last ?? held
      }
    }
    if !assumed.isEmpty { page.markup("<path class=\"exit assumed\" d=\"\(assumed)\"/>\n") }
    if !learned.isEmpty { page.markup("<path class=\"exit\" d=\"\(learned)\"/>\n") }
  }

  /// The places of the parts of a span in which silence counts.
  private func countedParts(of span: StateSpan) -> [(start: Double, end: Double)] {
    var parts: [(start: Double, end: Double)] = []
    var start = max(span.start, axis.span.lowerBound)
    for pause in pauses where pause.range.upperBound > start && pause.range.lowerBound < span.end {
      if pause.range.lowerBound > start {
        parts.append((axis.x(start), axis.x(pause.range.lowerBound)))
      }
      start = pause.range.upperBound
    }
    if start < span.end { parts.append((axis.x(start), axis.x(span.end))) }
    return parts.filter { $0.start < $0.end }
  }
}

extension IdentityConstraint {
  /// Whether only one beacon satisfies it.
  var isExact: Bool { if case .minor = self { true } else { false } }
}
