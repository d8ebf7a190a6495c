// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Writes deliveries as JSON Lines, version 1 of the event format.
package struct EventLineWriter: Sendable {
  private var writer = JSONLineWriter()
  private var sightings: SightingLineWriter
  private var names: EventNames

  /// Creates a writer.
  package init(_ names: EventNames) {
    self.names = names
    sightings = SightingLineWriter(receiverNames: names.receivers)
  }

  /// The lines written since the last ``removeAll()``.
  package var bytes: [UInt8] { writer.bytes }

  /// Removes the lines written, once they have been output.
  package mutating func removeAll() {
    writer.removeAll()
  }

  /// Names receivers that were not known at the start.
  package mutating func name(receivers: [String]) {
    names.receivers = receivers
    sightings = SightingLineWriter(receiverNames: receivers)
  }

  /// Writes a delivery: one line, or for a tick one line per constraint.
  package mutating func append(_ delivery: Delivery) {
    append(delivery.event, to: delivery.recipient, at: delivery.time)
  }

  /// Writes an event as the line of a recipient.
  mutating func append(_ event: Event, to recipient: Recipient, at time: Timestamp) {
    switch event {
    case .sighting(let sighting): append(sighting)
    case .ranged(let entries):
      for entry in entries {
        beginLine("ranged", to: recipient, at: time)
        appendRest(
          ofTick: entry.beacons,
          of: entry.constraint.description,
          EventRecord.constraintLimit
        )
      }
    case .nearby(let beacons):
      beginLine("ranged", to: recipient, at: time)
      appendRest(ofTick: beacons, of: "*", EventRecord.nearbyLimit)
    default:
      for record in EventRecord.records(of: event, names) {
        append(record, to: recipient, at: time)
      }
    }
  }

  private mutating func append(_ sighting: Sighting) {
    sightings.append(
      sighting.identity,
      power: sighting.measuredPower,
      rssi: sighting.rssi,
      receiver: sighting.receiver,
      address: names.showsAddresses ? sighting.address : nil,
      name: names.book[sighting.identity],
      at: sighting.time,
      to: &writer
    )
  }

  /// Encodes the part of a tick's line after its client: it is equal for all clients that get the same beacons.
  package func rest(ofTick beacons: [RangedBeacon], of constraint: String) -> JSONFragment {
    var line = EventLineWriter(names)
    line.appendRest(ofTick: beacons, of: constraint, EventRecord.constraintLimit)
    return JSONFragment(continuing: line.writer)
  }

  /// Writes the line of a client's tick whose rest was encoded before.
  package mutating func append(
    tickAt time: Timestamp,
    to client: String,
    _ rest: JSONFragment
  ) {
    writer.beginLine("ranged")
    appendTime("t", time)
    writer.key("client")
    writer.string(client)
    writer.fragment(rest)
    writer.lineEnded()
  }

  private mutating func appendRest(
    ofTick beacons: [RangedBeacon],
    of constraint: String,
    _ limit: Int
  ) {
    writer.key("constraint")
    writer.string(constraint)
    writer.key("beacons")
    writer.beginArray()
    for beacon in beacons.prefix(limit) { append(beacon) }
    writer.endArray()
    if beacons.count > limit {
      writer.key("more")
      writer.integer(beacons.count - limit)
    }
    writer.endLine()
  }

  private mutating func append(_ beacon: RangedBeacon) {
    writer.beginObject()
    writer.identity(beacon.identity)
    writer.key("proximity")
    writer.string(beacon.proximity.name)
    if beacon.isHeld {
      writer.key("held")
      writer.bool(true)
    }
    writer.key("distance")
    writer.hundredths(beacon.distance?.meters)
    writer.key("distance_low")
    writer.hundredths(beacon.distance?.low)
    writer.key("distance_high")
    writer.hundredths(beacon.distance?.high)
    writer.key("rssi")
    writer.integer(beacon.wholeRSSI)
    appendTime("last_heard", beacon.lastReceived)
    writer.key("reports")
    writer.integer(beacon.reports)
    if beacon.isContested {
      writer.key("contested")
      writer.bool(true)
    }
    if names.showsAddresses {
      writer.key("address")
      writer.address(beacon.address)
    }
    if let name = names.book[beacon.identity] {
      writer.key("name")
      writer.string(name)
    }
    writer.endObject()
  }

  /// Writes an event that is too rare for a fast path.
  package mutating func append(_ record: EventRecord, of delivery: Delivery) {
    append(record, to: delivery.recipient, at: delivery.time)
  }

  /// Writes an event of a client's program, which has a separate type.
  package mutating func append(
    _ record: EventRecord,
    to recipient: Recipient,
    at time: Timestamp
  ) {
    writer.beginObject()
    writer.key("v")
    writer.integer(1)
    writer.key("type")
    writer.string(record.type)
    appendTime("t", time)
    if case .client = recipient {
      writer.key("client")
      writer.string(names.client(recipient))
    }
    writer.fields(record.fields)
    writer.endLine()
  }

  /// Returns a value as JSON on one line.
  package static func json(_ value: FormValue) -> String {
    var writer = JSONLineWriter()
    writer.value(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private mutating func beginLine(
    _ type: StaticString,
    to recipient: Recipient,
    at time: Timestamp
  ) {
    writer.beginLine(type)
    appendTime("t", time)
    writer.key("client")
    // Everything nearby is only for the operator, whose name is that of the first client.
    writer.string(names.client(recipient) ?? names.clients.first)
  }

  private mutating func appendTime(_ key: StaticString, _ time: Timestamp) {
    writer.key(key)
    writer.timestamp(time)
  }
}

extension RangedBeacon {
  /// The mean RSSI in whole dBm, a half rounded away from zero; `nil` without a sample.
  package var wholeRSSI: Int? {
    rssi.map { Int($0.rounded(.toNearestOrAwayFromZero)) }
  }
}
