// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats
internal import Pages

/// The picture of a plot: a pure function of the plot, so that the same plot has the same bytes.
package struct SignalPicture {
  let plot: SignalPlot
  let title: String
  let zone: LocalZone
  let words: SignalWords
  /// The times of the charts that are drawn, and their ends.
  var axis: TimeAxis
  /// The times in which silence does not count.
  var pauses: [(range: Range<Timestamp>, isGap: Bool)] = []
  var (left, right) = (70.0, 788.0)
  var page = Markup()
  var y = 0.0
  /// The tops and bottoms of the charts of the region that is drawn.
  var frames: [ClosedRange<Double>] = []

  /// The width of a picture in units; one is a pixel of the smallest readable picture.
  let width: Double
  /// The width of a picture for a screen that is held in a hand.
  static let narrowWidth = 360.0
  /// The height of the charts, and the space between two of them.
  static let (signalHeight, distanceHeight, silenceHeight) = (96.0, 72.0, 72.0)
  static let space = 22.0
  /// The height of a strip of states.
  static let stripHeight = 14.0
  /// The height of a line of text, and how many letters fit one.
  static let line = 16.0
  let letters: Int
  /// The most notes, and the most receivers, that a picture lists.
  static let (mostNotes, mostReceivers) = (12, 12)
  /// Above so many values a signal is drawn as a line with its range.
  static let mostMarks = 240

  /// Creates a picture.
  ///
  /// - Parameters:
  ///   - plot: The plot.
  ///   - title: The title.
  ///   - zone: How far local time is ahead of UTC.
  ///   - words: The words of the picture.
  ///   - isNarrow: Whether it is for a screen that is held in a hand, with the crossings below it as text.
  package init(
    of plot: SignalPlot,
    titled title: String,
    _ zone: LocalZone,
    _ words: SignalWords = SignalWords(),
    isNarrow: Bool = false
  ) {
    self.words = words
    self.plot = plot
    self.title = title
    self.zone = zone
    width = isNarrow ? Self.narrowWidth : 800
    letters = isNarrow ? 48 : 112
    right = width - 12
    axis = TimeAxis(
      plot.extent ?? .earliest ... .earliest,
      left: left,
      right: right,
      zone
    )
    pauses = findPauses()
  }

  /// Whether the crossings are below the picture, and not in it.
  var isNarrow: Bool { width == Self.narrowWidth }

  // MARK: Files

  /// The picture as an SVG file.
  package var svg: String {
    var picture = self
    return picture.draw(style: "<style>\n\(Texts.plotStyle)\n</style>\n")
  }

  /// The picture as a part of a page that has its style sheet, with the crossings as text below it.
  package var section: String {
    var picture = self
    var page = Markup()
    page.markup("<div class=\"scroller\" tabindex=\"0\" role=\"group\" aria-label=\"")
    page.write(words.picture)
    page.markup("\">")
    page.markup(picture.draw(style: ""))
    page.markup("</div>\n")
    if words.hasRegion { writeNotes(to: &page) }
    return page.text
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
    page.markup("<div class=\"scroller\" tabindex=\"0\" role=\"group\" aria-label=\"Picture\">\n")
    page.markup(svg)
    page.markup("</div>\n")
    writeNotes(to: &page)
    page.markup("</body>\n</html>\n")
    return page.text
  }

  /// Writes the crossings of each region with their reasons.
  private func writeNotes(to page: inout Markup) {
    for lane in plot.lanes {
      page.element("h2", lane.region.identifier.rawValue)
      page.markup("\n")
      guard !lane.notes.isEmpty else {
        page.markup("<p>No crossing.</p>\n")
        writeRemark(lane, to: &page)
        continue
      }
      page.markup("<ol>\n")
      for note in lane.notes {
        page.markup("<li>")
        let zone = axis.changes.isEmpty ? "" : " " + RowClock.name(zone.offset(note.time))
        page.element("time", [("datetime", RFC3339.string(note.time))], localTime(note.time) + zone)
        page.write(" " + note.text)
        page.markup("</li>\n")
      }
      page.markup("</ol>\n")
      writeRemark(lane, to: &page)
    }
  }

  private func writeRemark(_ lane: SignalPlot.Lane, to page: inout Markup) {
    guard let remark = lane.remark else { return }
    page.element("p", remark)
    page.markup("\n")
  }

  // MARK: Drawing

  mutating func draw(style styles: String) -> String {
    y = 26
    text("name", clipped(title, letters * 3 / 4), left - 58, y)
    y += 18
    text("soft", subtitle, left - 58, y)
    y += 10
    if plot.extent != nil {
      for index in plot.lanes.indices { draw(plot.lanes[index]) }
      drawReceivers()
    }
    y += 14
    var file = Markup()
    let size = "0 0 \(number(width)) \(number(y))"
    let style = isNarrow ? "plot narrow" : "plot"
    file.markup("<svg class=\"\(style)\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" ")
    file.markup("viewBox=\"\(size)\" width=\"\(number(width))\" height=\"\(number(y))\">\n")
    file.element("title", title)
    file.markup("\n\(styles)<defs>")
    file.markup("<pattern id=\"plot-hatch\" width=\"6\" height=\"6\"")
    file.markup(" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">")
    file.markup("<path class=\"hatch\" d=\"M3 0V6\"/></pattern>")
    file.markup("<pattern id=\"plot-dots\" width=\"5\" height=\"5\"")
    file.markup(" patternUnits=\"userSpaceOnUse\"><rect class=\"dots\" x=\"1\" y=\"1\"")
    file.markup(" width=\"2\" height=\"2\"/></pattern></defs>\n")
    file.markup("<rect class=\"paper\" width=\"\(number(width))\" height=\"\(number(y))\"/>\n")
    file.markup(page.text)
    file.markup("</svg>\n")
    return file.text
  }

  var subtitle: String {
    guard let extent = plot.extent else { return words.nothing }
    let (start, end) = (localTime(extent.lowerBound), localTime(extent.upperBound))
    let isOneDay = start.prefix(10) == end.prefix(10)
    let offsets = [extent.lowerBound, extent.upperBound].map(zone.offset)
    let last = isOneDay ? end.dropFirst(11).prefix(8) : end.prefix(19)
    // Clocks that were changed in between have two zones.
    let first = start.prefix(19) + (offsets[0] == offsets[1] ? "" : " " + RowClock.name(offsets[0]))
    let ending =
      plot.captureEnd.map { "; the capture ends at \(localTime($0).dropFirst(11).prefix(10))" }
      ?? ""
    let comma = offsets[0] == offsets[1] ? "," : ""
    return
      "\(words.span(String(first), String(last)))\(comma) \(RowClock.name(offsets[1]))\(ending)"
  }

  /// A time as local clocks show it: `2026-05-02 10:00:10.501`.
  func localTime(_ time: Timestamp) -> String {
    let local = zone.offset(time).moved(time)
    return RFC3339.string(local).prefix(10) + " " + RFC3339.timeOfDay(local)
  }

  /// Whether the picture shows more than one day, so that a time needs its date.
  var isLong: Bool {
    let span = plot.extent ?? .earliest ... .earliest
    return localTime(span.lowerBound).prefix(10) != localTime(span.upperBound).prefix(10)
  }

  /// Draws a region: its signals, distance, silences, states and crossings.
  mutating func draw(_ lane: SignalPlot.Lane) {
    y += 26
    text("name", clipped(lane.region.identifier.rawValue, letters * 3 / 4), left - 58, y)
    y += Self.line
    let reports = words.received(lane.reports)
    text("soft", "\(lane.region.constraint) · \(reports)", left - 58, y)
    drawLegend(lane)
    y += 8
    drawCharts(lane)
    if words.hasRegion { drawStates(lane) }
    drawTimes()
    guard words.hasRegion else { return }
    drawDetails(lane)
    if isNarrow { y += 8 } else { drawNotes(lane) }
  }

  /// Draws the charts of a region, with its crossings, of which the first has a number.
  mutating func drawCharts(_ lane: SignalPlot.Lane, from first: Int = 1) {
    // The lines of the crossings are below the contents of the charts.
    let above = page
    page = Markup()
    frames = []
    drawSignals(lane)
    drawDistance(lane)
    drawSilence(lane)
    let charts = page.text
    page = above
    drawCrossings(lane, from: first)
    page.markup(charts)
  }

  /// Begins a chart and returns its axis.
  mutating func begin(
    _ name: String,
    _ unit: String,
    _ values: ClosedRange<Double>,
    height: Double,
    isLogarithmic: Bool = false
  ) -> ValueAxis {
    let titleEnd = y + 10
    // The numbers of the crossings lie between the first chart and its title.
    let top = y + Self.space - 6 + (frames.isEmpty && words.hasRegion ? 16 : 0)
    let axis = ValueAxis(
      values: values,
      top: top,
      bottom: top + height,
      isLogarithmic: isLogarithmic
    )
    frames.append(axis.top...axis.bottom)
    text("chart", clipped(name, Int((right - left) / 6.4)), left, titleEnd)
    for value in axis.ticks(isLogarithmic ? 5 : 4) {
      let place = axis.y(value)
      page.markup(
        "<path class=\"grid\" d=\"M\(number(left)) \(number(place))H\(number(right))\"/>\n"
      )
      let label = value == value.rounded() ? "\(Int(value))" : DecimalText.fixed(value, decimals: 1)
      text("soft end", "\(label) \(unit)", left - 6, place + 4)
    }
    for pause in pauses {
      let (start, end) = (
        self.axis.x(pause.range.lowerBound), self.axis.x(pause.range.upperBound)
      )
      guard end > start else { continue }
      rectangle("gap", start, axis.top, end - start, height)
    }
    y = axis.bottom
    return axis
  }

  mutating func end(_ axis: ValueAxis) {
    rectangle("frame", left, axis.top, right - left, axis.bottom - axis.top)
    y += 4
  }

  // MARK: Parts

  mutating func rectangle(
    _ style: String,
    _ x: Double,
    _ y: Double,
    _ width: Double,
    _ height: Double
  ) {
    page.markup("<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\"")
    page.markup(" width=\"\(number(width))\" height=\"\(number(height))\"/>\n")
  }

  mutating func text(_ style: String, _ content: String, _ x: Double, _ y: Double) {
    page.element(
      "text",
      [("class", style), ("x", number(x)), ("y", number(y))],
      clipped(content.printable, letters)
    )
    page.line()
  }

  func clipped(_ text: String, _ count: Int) -> String {
    text.count > count ? text.prefix(count - 1) + "…" : text
  }

  /// A text in lines of about equal length that break between words.
  func wrapped(_ text: String, _ count: Int) -> [String] {
    func lines(_ count: Int) -> [String] {
      var lines: [String] = [""]
      for word in text.split(separator: " ") {
        let line = lines[lines.count - 1]
        if line.isEmpty || line.count + word.count < count {
          lines[lines.count - 1] += (line.isEmpty ? "" : " ") + word
        } else {
          lines.append(String(word))
        }
      }
      return lines
    }
    let fewest = lines(count).count
    let narrowest = (count / 2...count).first { lines($0).count == fewest }
    return Array(lines(narrowest ?? count).prefix(3))
  }

  func number(_ value: Double) -> String {
    let text = DecimalText.fixed(value, decimals: 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
