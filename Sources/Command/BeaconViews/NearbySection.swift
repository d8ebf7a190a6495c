// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
package import Pages

/// Everything nearby as a part of a page: each beacon with its proximity, its distance as a band, its signal and its receivers.
package struct NearbySection {
  /// The words of the section.
  package struct Words: Sendable {
    package var title = "Nearby"
    /// A distance in meters, and the interval that contains the true one 9 times in 10.
    package var interval: @Sendable (String, String) -> String = { "\($0) to \($1) m" }
    package var ago: @Sendable (TimeSpan) -> String = { "\(DecimalText.span($0)) ago" }
    package var silent = "silent"
    package var noPower = "announces no power at 1 m"
    package var signal = "Signal of the last two minutes"
    package var unknown = "unknown"
    package var waiting = "Waiting for the first report."
    package var nothing = "No beacon was received. 'beaconctl doctor' finds out why."
    package var noReceiver = "No radio listens: these beacons were received before."
    /// That beacons are not listed, with how many are and how many there are; `nil` for no sentence.
    package var further: (@Sendable (Int, Int) -> String)? = {
      "The nearest \($0) of \($1) beacons are listed. A listed one stays until another is clearly nearer."
    }
    /// The meaning of the mark of a held proximity; `nil` for no sentence.
    package var held: String? =
      "near~, far~: the distance has left this zone, but not yet surely or for long enough."
    /// The names of proximities, in place of those of outputs.
    package var proximities: [Proximity: String] = [:]

    package init() {}
  }

  private let list: NearbyList
  private let names: NameBook
  private let words: Words
  private let canName: Bool
  private let signals: String?

  /// Creates a section.
  ///
  /// - Parameters:
  ///   - list: The beacons nearby.
  ///   - names: The names of beacons.
  ///   - words: The words.
  ///   - canName: Whether a beacon can be named on the page.
  ///   - signals: The start of the address of a beacon's picture, which its identity ends; `nil` for none.
  package init(
    _ list: NearbyList,
    _ names: NameBook,
    _ words: Words = Words(),
    canName: Bool = false,
    signals: String? = nil
  ) {
    (self.list, self.names, self.words) = (list, names, words)
    (self.canName, self.signals) = (canName, signals)
  }

  /// Writes the section.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - isWanted: Whether the reader lacks a row, by its number; otherwise the row stays as the reader has it.
  package func write(to page: inout Markup, where isWanted: (Int) -> Bool = { _ in true }) {
    let rows = list.rows
    let all = rows.count + list.further
    let more = list.further > 0 ? " / \(all)" : ""
    page.element("h2", [("id", "nearby-label")], "\(words.title) · \(rows.count)\(more)")
    page.line()
    if list.further > 0, let further = words.further?(rows.count, all) {
      page.element("p", [("class", "soft")], further)
      page.line()
    }
    if rows.isEmpty {
      let isWaiting = !list.hasBegun && !list.hasEnded
      page.element("p", [("class", "empty")], isWaiting ? words.waiting : words.nothing)
      page.line()
    } else if list.hasNoReceiver {
      page.element("p", [("role", "status")], words.noReceiver)
      page.line()
    }
    Self.writeScale(to: &page)
    page.open("ol", [("class", "nearby"), ("id", "nearby"), ("aria-labelledby", "nearby-label")])
    page.line()
    for row in rows {
      if isWanted(row.order) {
        write(row, to: &page)
      } else {
        page.markup("<li id=\"b\(row.order)\" data-kept></li>\n")
      }
    }
    page.close("ol")
    page.line()
    if let held = words.held, rows.contains(where: { $0.row.beacon.isHeld && !isSilent($0) }) {
      page.element("p", [("class", "soft")], held)
      page.line()
    }
  }

  private func write(_ entry: NearbyList.Entry, to page: inout Markup) {
    let beacon = entry.row.beacon
    let identity = beacon.identity
    let short = "\(identity.major)/\(identity.minor) · \(UUIDText.string(identity.uuid).prefix(8))"
    page.open("li", [("id", "b\(entry.order)")])
    page.open("div", [("class", "who")])
    page.open("h3")
    let label = names[identity]?.printable ?? "\(identity.major)/\(identity.minor)"
    if let signals {
      page.element("a", [("href", "\(signals)\(identity)")], label)
    } else {
      page.write(label)
    }
    page.close("h3")
    page.element("p", [("class", "soft"), ("title", "\(identity)")], short)
    page.close("div")
    writeDistance(entry, to: &page)
    writeBand(entry, to: &page)
    writeTrace(entry, to: &page)
    page.element("p", [("class", "last")], reception(entry))
    if canName {
      page.element(
        "button",
        [
          ("type", "button"), ("data-beacon", "\(identity)"),
          ("data-name", names[identity]?.printable ?? ""),
          ("aria-label", "Name \(label), \(short)"),
        ],
        "Name"
      )
    }
    page.close("li")
    page.line()
  }

  // MARK: Distance

  /// Whether nothing is known of the beacon's present.
  private func isSilent(_ entry: NearbyList.Entry) -> Bool {
    let beacon = entry.row.beacon
    return list.hasEnded || list.hasNoReceiver || list.now - entry.tick > Self.silence
      || (beacon.reports == 0 && beacon.distance == nil)
  }

  /// Two ticks without the beacon, and some.
  private static let silence = TimeSpan.seconds(3)

  private func writeDistance(_ entry: NearbyList.Entry, to page: inout Markup) {
    let (beacon, isSilent) = (entry.row.beacon, isSilent(entry))
    page.open("p", [("class", isSilent ? "how silent" : "how")])
    let proximity = words.proximities[beacon.proximity] ?? beacon.proximity.name
    page.element("b", isSilent ? words.silent : proximity + (beacon.isHeld ? "~" : ""))
    page.write(" ")
    if let distance = beacon.distance {
      page.element("span", "\(Self.meters(distance.meters)) m")
      page.write(" ")
      page.element(
        "span",
        [("class", "soft")],
        words.interval(Self.meters(distance.low), Self.meters(distance.high))
      )
    } else {
      page.element(
        "span",
        [("class", "soft")],
        beacon.lacksPower ? words.noPower : beacon.isContested ? words.unknown : "–"
      )
    }
    page.close("p")
  }

  /// The distances at the ends and between them, in meters; by the square root, so that the first few get half of the width.
  private static let scale: [Double] = [0, 1, 3, 10, 30]
  private static let (bandWidth, bandMargin) = (240.0, 10.0)

  private static func place(_ meters: Double) -> Double {
    let share = (min(max(meters, 0), scale[scale.count - 1]) / scale[scale.count - 1]).squareRoot()
    return bandMargin + share * (bandWidth - 2 * bandMargin)
  }

  /// Writes the scale of all bands, once.
  private static func writeScale(to page: inout Markup) {
    page.markup("<svg class=\"defs\" aria-hidden=\"true\"><defs><g id=\"scale\" class=\"band\">")
    page.markup("<path class=\"axis\" d=\"M10 9H230")
    for meters in scale { page.markup("M\(number(place(meters))) 4v10") }
    page.markup("\"/>")
    for meters in scale {
      let anchor = meters == 30 ? "end" : "middle"
      let x = meters == 30 ? bandWidth : place(meters)
      page.markup("<text x=\"\(number(x))\" y=\"26\" text-anchor=\"\(anchor)\">")
      page.markup("\(Int(meters))\(meters == 30 ? " m" : "")</text>")
    }
    page.markup("</g></defs></svg>\n")
  }

  /// Draws the interval of the distance; the text next to it has the numbers.
  private func writeBand(_ entry: NearbyList.Entry, to page: inout Markup) {
    page.markup("<svg class=\"band\" viewBox=\"0 0 240 30\" aria-hidden=\"true\">")
    page.markup("<use href=\"#scale\"/>")
    if let distance = entry.row.beacon.distance {
      let (low, high) = (Self.place(distance.low), Self.place(distance.high))
      page.markup("<rect class=\"range\" x=\"\(Self.number(low))\" y=\"4\" rx=\"3\" height=\"10\"")
      page.markup(" width=\"\(Self.number(max(2, high - low)))\"/>")
      if !isSilent(entry) {
        let x = Self.number(Self.place(distance.meters))
        page.markup("<circle class=\"here\" cx=\"\(x)\" cy=\"9\" r=\"5\"/>")
      }
    }
    page.markup("</svg>")
  }

  // MARK: Signal

  /// Draws the mean RSSI of each second, at the right the latest; a silence is a space.
  private func writeTrace(_ entry: NearbyList.Entry, to page: inout Markup) {
    let strengths = entry.row.strengths
    let passed = max(0, Int((list.now - entry.tick).microseconds / 1_000_000))
    let first = RangeRow.history - strengths.count - passed
    let path = Self.path(strengths, from: first)
    let known = strengths.compactMap { $0 }
    var text = words.signal
    if let low = known.min(), let high = known.max() {
      text += ": \(Int(low.rounded())) – \(Int(high.rounded())) dBm"
    }
    page.open(
      "svg",
      [("class", "trace"), ("viewBox", "0 0 240 30"), ("role", "img"), ("aria-label", text)]
    )
    page.markup("<path class=\"line\" d=\"\(path)\"/></svg>")
  }

  /// The path of a trace, in whole units, each value from the one before: a page has hundreds of them.
  private static func path(_ strengths: [Double?], from first: Int) -> String {
    let bounds = RangeView.strengths
    var path = ""
    var last: (x: Int, y: Int)?
    for (index, strength) in strengths.enumerated() {
      guard let strength, first + index >= 0 else {
        last = nil
        continue
      }
      let share =
        (min(max(strength, bounds.lowerBound), bounds.upperBound) - bounds.lowerBound)
        / (bounds.upperBound - bounds.lowerBound)
      let (x, y) = ((first + index) * 2 + 1, 28 - Int((share * 26).rounded()))
      // A single second is a point.
      if let last {
        path +=
          y == last.y ? "h\(x - last.x)" : "l\(x - last.x)\(y < last.y ? "" : " ")\(y - last.y)"
      } else {
        path += "M\(x) \(y)h.1"
      }
      last = (x, y)
    }
    return path
  }

  /// The level, when it was received, and by which receivers.
  private func reception(_ entry: NearbyList.Entry) -> String {
    let beacon = entry.row.beacon
    let level = entry.row.lastStrength.map { "\(Int($0.rounded())) dBm" }
    let seconds = max(.zero, list.now - beacon.lastReceived).seconds
    // Tenths that change with each second would draw the eye.
    let age = words.ago(.seconds(Int64(seconds.rounded())))
    let names = entry.row.scan.receivers.keys.sorted().map { number in
      list.receivers[safely: Int(number)].map(\.printable) ?? "#\(number)"
    }
    let shown = names.prefix(Self.mostReceivers).joined(separator: ", ")
    let more = names.count > Self.mostReceivers ? " +\(names.count - Self.mostReceivers)" : ""
    return [level, age, names.isEmpty ? nil : shown + more].compactMap { $0 }.joined(
      separator: " · "
    )
  }

  /// The receivers that a row names.
  private static let mostReceivers = 3

  // MARK: Texts

  private static func meters(_ value: Double) -> String {
    DecimalText.fixed(value, decimals: value < 9.95 ? 1 : 0)
  }

  private static func number(_ value: Double) -> String { DecimalText.fixed(value, decimals: 1) }
}

extension RadioState {
  /// The fault of a receiver, and the commands that cure it on its machine; `nil` if it listens.
  package var fault: (text: String, cures: [String])? {
    switch self {
    case .listening: nil
    case .off:
      (
        "Bluetooth is switched off, or this adapter does not scan.",
        ["bluetoothctl power on", "sudo rfkill unblock bluetooth"]
      )
    case .deaf:
      (
        "It scans and receives nothing, although it should. The program resets it by itself; if that does not help:",
        ["sudo systemctl restart bluetooth"]
      )
    case .gone:
      (
        "The adapter was unplugged, or Bluetooth's daemon has ended.",
        ["sudo systemctl restart bluetooth", "beaconctl doctor"]
      )
    }
  }
}
