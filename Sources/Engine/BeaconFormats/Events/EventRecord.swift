// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// An event as every output shows it: a type, and named fields in a fixed order after the time and the client.
package struct EventRecord: Sendable, Equatable {
  /// The name of the event's type.
  package let type: String
  /// The fields after `t` and `client`.
  package let fields: [FormField]

  /// The most beacons that a line about everything nearby holds; the others are counted.
  package static let nearbyLimit = 500
  /// How many beacons of a constraint a line contains, so that it stays below a mebibyte: each has at most some 700 bytes
  /// if all characters of its name are escaped.
  package static let constraintLimit = 1000

  /// Creates a record.
  package init(type: String, fields: [FormField]) {
    self.type = type
    self.fields = fields
  }

  /// The value of a field; `nil` if the event has no such field.
  package subscript(_ name: String) -> FormValue? {
    fields.first { $0.name == name }?.value
  }

  /// Returns the records of a delivery: one, or for a tick one per constraint.
  package static func records(of event: Event, _ names: EventNames) -> [EventRecord] {
    switch event {
    case .ranged(let entries):
      entries.map { ranged($0.constraint.description, $0.beacons, constraintLimit, names) }
    case .nearby(let beacons): [ranged("*", beacons, nearbyLimit, names)]
    case .sighting(let sighting): [sightingRecord(sighting, names)]
    default:
      [EventRecord(type: event.caseName ?? "", fields: Array(event.fields(.line).dropFirst()))]
    }
  }

  private static func ranged(
    _ constraint: String,
    _ beacons: [RangedBeacon],
    _ limit: Int,
    _ names: EventNames
  ) -> EventRecord {
    let list = beacons.prefix(limit).map { beacon in
      var fields = beacon.fields(.line)
      if names.showsAddresses {
        fields.append(FormField("address", .optional(beacon.address?.text)))
      }
      if let name = names.book[beacon.identity] { fields.append(FormField("name", .text(name))) }
      return FormValue.object(fields)
    }
    var fields = [FormField("constraint", .text(constraint)), FormField("beacons", .list(list))]
    let further = beacons.count - limit
    if further > 0 { fields.append(FormField("more", .integer(further))) }
    return EventRecord(type: "ranged", fields: fields)
  }

  private static func sightingRecord(_ sighting: Sighting, _ names: EventNames) -> EventRecord {
    let identity = sighting.identity
    let fields: [(String, FormValue)] =
      [
        ("uuid", .text(UUIDText.string(identity.uuid))), ("major", .integer(Int(identity.major))),
        ("minor", .integer(Int(identity.minor))), ("power", .integer(Int(sighting.measuredPower))),
        ("rssi", .optional(sighting.rssi.map(Int.init))),
        ("receiver", .optional(names.receiver(sighting.receiver))),
        ("address", .optional(names.showsAddresses ? sighting.address?.text : nil)),
      ] + (names.book[identity].map { [("name", .text($0))] } ?? [])
    return EventRecord("sighting", fields)
  }
}

extension EventRecord {
  init(_ type: String, _ fields: [(String, FormValue)]) {
    self.init(type: type, fields: fields.map { FormField($0.0, $0.1) })
  }
}
