// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Rows for a user at a terminal, within 80 columns.
package struct TableFormatter: EventFormatter {
  package private(set) var bytes: [UInt8] = []
  private var names: EventNames
  private let style: TextStyle

  package init(_ names: EventNames, style: TextStyle) {
    self.names = names
    self.style = style
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
    case .ranged(let entries):
      for entry in entries { append(entry, at: delivery.time) }
    default:
      put(prefix(delivery.time) + EventSentence.text(of: delivery.event).printable)
    }
  }

  // 05:12:33.120  F7826DA6-4FA2-4E98-8024-BC5B71E0893E      1/17   -70 dBm  hci0
  private mutating func append(_ sighting: Sighting) {
    let numbers = "\(sighting.identity.major)/\(sighting.identity.minor)"
    let rssi = sighting.rssi.map { "\($0) dBm" } ?? "no RSSI"
    var line = prefix(sighting.time)
    line += UUIDText.string(sighting.identity.uuid) + Column.right(numbers, 12)
    line += Column.right(rssi, 10)
    if let receiver = names.receiver(sighting.receiver) { line += "  " + receiver.printable }
    if names.showsAddresses, let address = sighting.address { line += "  " + address.text }
    put(line)
  }

  // A line for the constraint, then a line a beacon:
  //     1/17   near      2.56 m   1.90 to 3.40    -67 dBm   9 received
  private mutating func append(_ entry: ConstraintRanging, at time: Timestamp) {
    let count = entry.beacons.count
    let found = count == 0 ? "nothing" : count == 1 ? "1 beacon" : "\(count) beacons"
    put(style.bold(prefix(time) + entry.constraint.description + "  " + found))
    for beacon in entry.beacons { append(beacon) }
  }

  private mutating func append(_ beacon: RangedBeacon) {
    let numbers = "\(beacon.identity.major)/\(beacon.identity.minor)"
    var line = "  " + Column.right(numbers, 11) + "  "
    line += style.proximity(beacon.proximity, Column.left(beacon.proximity.name, 9))
    if let distance = beacon.distance {
      let range =
        DecimalText.hundredths(distance.low) + " to " + DecimalText.hundredths(distance.high)
      line += Column.right(DecimalText.hundredths(distance.meters) + " m", 9)
      line += Column.right(range, 18)
    } else {
      line += Column.right("-", 9) + Column.right("", 18)
    }
    line += Column.right(strength(of: beacon), 9)
    line += Column.right(beacon.reports == 0 ? "" : "\(beacon.reports) received", 13)
    put(line)
  }

  /// A beacon may be received by a receiver that does not measure.
  private func strength(of beacon: RangedBeacon) -> String {
    if let rssi = beacon.wholeRSSI { return "\(rssi) dBm" }
    return beacon.reports == 0 ? "silent" : "no RSSI"
  }

  private func prefix(_ time: Timestamp) -> String {
    switch names.timeStyle {
    case .iso: RFC3339.timeOfDay(time) + "  "
    case .relative:
      Column.right(DecimalText.fixed((time - names.start).seconds, decimals: 3), 10) + "  "
    case .none: ""
    }
  }

  private mutating func put(_ line: String) {
    bytes.append(contentsOf: line.utf8)
    bytes.append(0x0A)
  }
}
