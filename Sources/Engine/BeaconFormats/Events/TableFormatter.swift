// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Rows for a user at a terminal, under headings, within the terminal's width.
package struct TableFormatter: EventFormatter {
  package private(set) var bytes: [UInt8] = []
  private var names: EventNames
  private let style: TextStyle
  private var clock: RowClock
  private let isWide: Bool
  /// Whether a sighting's name is in the place of its UUID, since a line has no room for both.
  private let namesReplaceUUIDs: Bool
  /// How wide the column of a sighting's UUID is.
  private let identityWidth: Int

  /// As many beacons of one second as fit a large terminal a few times over; the others are counted.
  private static let nearbyLimit = 200

  /// Starts with the headings.
  ///
  /// - Parameters:
  ///   - names: What numbers are called, and how times are written.
  ///   - style: How rows are set off, and how wide they may be.
  ///   - kind: The kind of the rows.
  package init(_ names: EventNames, style: TextStyle, kind: EventCSVWriter.Kind = .sightings) {
    self.names = names
    self.style = style
    clock = RowClock(names, dated: kind == .monitoring)
    isWide = style.columns >= 80
    let hasNames = !names.book.isEmpty
    namesReplaceUUIDs = hasNames && style.cutsNames && style.columns < Self.roomForNames
    identityWidth = isWide ? 36 : namesReplaceUUIDs ? 18 : 9
    switch kind {
    case .sightings:
      let columns =
        Column.left(namesReplaceUUIDs ? "UUID OR NAME" : "UUID", identityWidth)
        + Column.right("MAJ/MIN", 12) + Column.right("RSSI", 10)
        + (hasNames && !namesReplaceUUIDs ? Column.left("  NAME", 2 + Self.nameWidth) : "")
      put(style.dim(clock.title + columns + "  FROM"))
    case .ranging: put(style.dim(rangingHeading))
    case .monitoring: put(style.dim(clock.title + "EVENT"))
    }
  }

  private var rangingHeading: String {
    "  " + Column.right("MAJOR/MINOR", 11) + "  " + Column.left("PROXIMITY", 9)
      + Column.right("DISTANCE", 9) + (isWide ? Column.right("9 IN 10", 16) : "")
      + Column.right("RSSI", 9) + Column.right("REPORTS", 9)
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func name(receivers: [String]) {
    names.receivers = receivers
  }

  package mutating func append(_ delivery: Delivery) {
    switch delivery.event {
    case .sighting(let sighting): append(sighting)
    case .nearby(let beacons): append(nearby: beacons, at: delivery.time)
    case .ranged(let entries):
      for entry in entries { append(entry, at: delivery.time) }
    default:
      let text = EventSentence.text(of: delivery.event, names.book)
      put(prefix(delivery.time) + text.printable)
      if names.explains { explain(delivery.event) }
    }
  }

  /// The values of a crossing's explanation, under its row.
  private mutating func explain(_ event: Event) {
    switch event {
    case .regionEntered(_, _, let why), .regionExited(_, _, let why):
      let values = why.fields(.line).filter { $0.value != .null }
      let words = values.map { "\($0.name) \($0.value.csv)" + Self.unit(of: $0.name, why) }
        .joined(separator: ", ")
      put(style.dim("  " + words.printable))
    default: break
    }
  }

  private static func unit(of name: String, _ why: Explanation) -> String {
    switch (name, why.threshold) {
    case ("rssi", _), ("power", _): " dBm"
    case ("interval", _), ("gap", _), ("threshold", .silence): " s"
    case ("distance", _), ("threshold", .distance): " m"
    default: ""
    }
  }

  // 05:12:33.120  F7826DA6-4FA2-4E98-8024-BC5B71E0893E      1/17   -70 dBm  hci0
  private mutating func append(_ sighting: Sighting) {
    let numbers = "\(sighting.identity.major)/\(sighting.identity.minor)"
    let rssi = sighting.rssi.map { "\($0) dBm" } ?? "no RSSI"
    let uuid = UUIDText.string(sighting.identity.uuid)
    let name = names.book[sighting.identity]
    var identity: String = isWide ? uuid : uuid.prefix(8) + "~"
    if namesReplaceUUIDs, let name { identity = style.cut(name, to: identityWidth) }
    var line = prefix(sighting.time) + Column.left(identity, identityWidth)
    line += Column.right(numbers, 12) + Column.right(rssi, 10)
    var rest = ""
    if let receiver = names.receiver(sighting.receiver) { rest += "  " + receiver.printable }
    if names.showsAddresses, let address = sighting.address { rest += "  " + address.text }
    if !namesReplaceUUIDs, !names.book.isEmpty, name != nil || !rest.isEmpty {
      let shown = style.cut(name ?? "", to: Self.nameWidth)
      line += "  " + Column.left(shown, rest.isEmpty ? 0 : Self.nameWidth)
    }
    put(line + rest)
  }

  /// How wide the column of a sighting's name is.
  private static let nameWidth = 20
  /// How wide a line must be for UUID and name: 14 of time, 58 of UUID and numbers, the name, a receiver.
  private static let roomForNames = 110

  // A line for the constraint, then a line a beacon:
  //     1/17   near      2.56 m   1.90 to 3.40    -67 dBm        9
  private mutating func append(_ entry: ConstraintRanging, at time: Timestamp) {
    let constraint = entry.constraint.description
    // The UUID is shortened as that of a sighting; what follows it is not.
    let title = isWide ? constraint : String(constraint.prefix(8)) + "~" + constraint.dropFirst(36)
    put(prefix(time) + title + "  " + Self.count(entry.beacons.count), isBold: true)
    for beacon in entry.beacons { append(beacon) }
  }

  /// Everything nearby, the beacons of each UUID under it, the UUID with the nearest beacon first.
  private mutating func append(nearby beacons: [RangedBeacon], at time: Timestamp) {
    put(prefix(time) + "everything nearby  " + Self.count(beacons.count), isBold: true)
    let shown = beacons.prefix(Self.nearbyLimit)
    var uuids: [UInt128] = []
    var groups: [UInt128: [RangedBeacon]] = [:]
    for beacon in shown {
      if groups[beacon.identity.uuid] == nil { uuids.append(beacon.identity.uuid) }
      groups[beacon.identity.uuid, default: []].append(beacon)
    }
    for uuid in uuids {
      let maker = NameBook.maker(of: uuid).map { "  (\($0))" } ?? ""
      let title = "  " + UUIDText.string(uuid) + maker
      // If the line is too long, the UUID is shortened as that of a sighting.
      let isTooLong = title.count > style.columns
      put(isTooLong ? "  " + UUIDText.string(uuid).prefix(8) + "~" + maker : title)
      for beacon in groups[uuid] ?? [] { append(beacon) }
    }
    if beacons.count > shown.count {
      put("  and \(beacons.count - shown.count) more, farther away")
    }
  }

  private static func count(_ count: Int) -> String {
    count == 0 ? "nothing" : count == 1 ? "1 beacon" : "\(count) beacons"
  }

  private mutating func append(_ beacon: RangedBeacon) {
    let numbers = "\(beacon.identity.major)/\(beacon.identity.minor)"
    var line = "  " + Column.right(numbers, 11) + "  "
    let word = Column.left(beacon.proximityWord, 9)
    line += style.proximity(beacon.proximity, word)
    if let distance = beacon.distance {
      let range =
        DecimalText.hundredths(distance.low) + " to " + DecimalText.hundredths(distance.high)
      line += Column.right(DecimalText.hundredths(distance.meters) + " m", 18 - word.count)
      line += isWide ? Column.right(range, 16) : ""
    } else {
      line += Column.right("-", 9) + (isWide ? Column.right("", 16) : "")
    }
    line += Column.right(strength(of: beacon), 9) + Column.right("\(beacon.reports)", 9)
    let mark = beacon.isContested ? "  two senders" : beacon.lacksPower ? "  no power" : ""
    if let name = names.book[beacon.identity] {
      // Colors take no room.
      let used = 2 + 11 + 2 + 9 + 9 + (isWide ? 16 : 0) + 9 + 9
      line += "  " + style.name(name, after: used + 2 + mark.count)
    }
    line += mark
    put(line)
  }

  /// A beacon may be received by a receiver that does not measure.
  private func strength(of beacon: RangedBeacon) -> String {
    if let rssi = beacon.wholeRSSI { return "\(rssi) dBm" }
    return beacon.reports == 0 ? "silent" : "no RSSI"
  }

  private mutating func prefix(_ time: Timestamp) -> String {
    if let heading = clock.heading(at: time) { put(style.dim(heading)) }
    return clock.prefix(at: time)
  }

  private mutating func put(_ line: String, isBold: Bool = false) {
    bytes.append(contentsOf: (isBold ? style.bold(line) : line).utf8)
    bytes.append(0x0A)
  }
}
