// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Writes deliveries as rows of comma-separated values (RFC 4180), one kind of event per table.
///
/// Times are in UTC as in JSON, whatever times people are shown: a program reads the rows.
package struct EventCSVWriter: Sendable {
  /// The events in the table.
  package enum Kind: Sendable {
    case sightings, ranging, monitoring
  }

  private var writer = CSVWriter()
  private let kind: Kind
  private var names: EventNames

  /// Creates a writer and writes the header row.
  package init(_ kind: Kind, _ names: EventNames) {
    self.kind = kind
    self.names = names
    writer.row(Self.columns(kind))
  }

  /// The rows written since the last ``removeAll()``.
  package var bytes: [UInt8] { writer.bytes }

  /// Removes the rows written, once they have been output.
  package mutating func removeAll() {
    writer.removeAll()
  }

  /// Names receivers that were not known at the start.
  package mutating func name(receivers: [String]) {
    names.receivers = receivers
  }

  private static func columns(_ kind: Kind) -> [String] {
    switch kind {
    case .sightings:
      ["t", "uuid", "major", "minor", "power", "rssi", "receiver", "address", "name"]
    case .ranging:
      [
        "t", "client", "constraint", "uuid", "major", "minor", "proximity", "distance",
        "distance_low", "distance_high", "rssi", "last_heard", "reports", "name", "held",
        "rssi_filtered",
      ]
    case .monitoring: ["t", "client", "type", "region", "state", "reason"] + explained + ["name"]
    }
  }

  /// The columns of a crossing's explanation, whose names are those of `why` in JSON.
  private static let explained = [
    "identity", "reports", "rssi", "power", "distance", "interval", "gap", "threshold", "rule",
    "place", "p",
  ]

  /// Writes a delivery's rows; none for an event of another kind.
  package mutating func append(_ delivery: Delivery) {
    switch (delivery.event, kind) {
    case (.sighting(let sighting), .sightings): append(sighting)
    case (.ranged(let entries), .ranging):
      for entry in entries {
        for beacon in entry.beacons {
          append(beacon, of: entry.constraint.description, of: delivery)
        }
      }
    case (.nearby(let beacons), .ranging):
      for beacon in beacons.prefix(EventRecord.nearbyLimit) {
        append(beacon, of: "*", of: delivery)
      }
    case (.regionEntered, .monitoring), (.regionExited, .monitoring), (.regionState, .monitoring):
      for record in EventRecord.records(of: delivery.event, names) { append(record, of: delivery) }
    default: break
    }
  }

  private mutating func append(_ record: EventRecord, of delivery: Delivery) {
    func text(_ name: String) -> String {
      guard case .text(let text) = record[name] else { return "" }
      return text
    }
    let state: [String] = [
      time(delivery.time), names.client(delivery.recipient) ?? "", record.type, text("region"),
      text("state"), text("reason"),
    ]
    writer.row(state + explanation(of: delivery.event))
  }

  private func explanation(of event: Event) -> [String] {
    switch event {
    case .regionEntered(_, _, let why), .regionExited(_, _, let why):
      var values: [String] = []
      let fields = why.fields(.line)
      for name in Self.explained {
        values.append(fields.first { $0.name == name }?.value.csv ?? "")
      }
      values.append(why.identity.flatMap { names.book[$0] } ?? "")
      return values
    default: return [String](repeating: "", count: Self.explained.count + 1)
    }
  }

  private mutating func append(_ sighting: Sighting) {
    writer.row([
      time(sighting.time), UUIDText.string(sighting.identity.uuid),
      String(sighting.identity.major), String(sighting.identity.minor),
      String(sighting.measuredPower), sighting.rssi.map { String($0) } ?? "",
      names.receiver(sighting.receiver) ?? "",
      names.showsAddresses ? sighting.address.map(\.text) ?? "" : "",
      names.book[sighting.identity] ?? "",
    ])
  }

  private mutating func append(
    _ beacon: RangedBeacon,
    of constraint: String,
    of delivery: Delivery
  ) {
    let distance = beacon.distance
    writer.row([
      time(delivery.time), names.client(delivery.recipient) ?? "", constraint,
      UUIDText.string(beacon.identity.uuid), String(beacon.identity.major),
      String(beacon.identity.minor), beacon.proximity.name,
      DecimalText.hundredths(distance?.meters),
      DecimalText.hundredths(distance?.low), DecimalText.hundredths(distance?.high),
      beacon.wholeRSSI.map { String($0) } ?? "", time(beacon.lastReceived), String(beacon.reports),
      names.book[beacon.identity] ?? "", beacon.isHeld ? "true" : "",
      DecimalText.hundredths(beacon.filteredRSSI),
    ])
  }

  private func time(_ time: Timestamp) -> String { RFC3339.string(time) }
}
