// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// Writes the messages of a gateway: one JSON object each.
package struct PayloadWriter: Sendable {
  /// The most beacons of one message; a second with more has several messages.
  package static let beaconLimit = 500

  private let boot: String
  private var writer = JSONLineWriter()

  /// - Parameter boot: What tells this start of the gateway from every other one.
  package init(boot: String) {
    self.boot = boot
  }

  private mutating func begin(_ time: Timestamp?) {
    writer.removeAll()
    writer.beginObject()
    writer.key("v")
    writer.integer(SiteTopics.version)
    if let time {
      writer.key("t")
      writer.timestamp(time)
    }
  }

  private mutating func end() -> [UInt8] {
    writer.endObject()
    defer { writer.removeAll() }
    return writer.bytes
  }

  private mutating func text(_ key: StaticString, _ value: String?) {
    writer.key(key)
    writer.string(value)
  }

  private mutating func number(_ sequence: UInt64) {
    text("boot", boot)
    writer.key("seq")
    writer.integer(sequence)
  }

  /// Whether the gateway is connected.
  ///
  /// The time is `nil` in the broker's message on its behalf, since its time is not known.
  package mutating func status(isOnline: Bool, version: String, at time: Timestamp?) -> [UInt8] {
    begin(time)
    text("state", isOnline ? "online" : "offline")
    text("boot", boot)
    text("version", version)
    return end()
  }

  /// The states of the receivers, ordered by name; the state of all of them is `listening` if one listens.
  package mutating func radio(
    _ receivers: [(name: String, state: RadioState)],
    at time: Timestamp
  ) -> [UInt8] {
    begin(time)
    let order: [RadioState] = [.listening, .deaf, .off]
    let common = order.first { state in receivers.contains { $0.state == state } } ?? .gone
    text("state", common.rawValue)
    writer.key("receivers")
    writer.beginArray()
    for receiver in receivers {
      writer.beginObject()
      text("name", receiver.name)
      text("state", receiver.state.rawValue)
      writer.endObject()
    }
    writer.endArray()
    return end()
  }

  /// A receiver's reports in a second, and for how long of the second it listened.
  package mutating func levels(
    _ second: Timestamp,
    span: TimeSpan,
    receiver: String,
    _ beacons: ArraySlice<ReceivedSecond>,
    sequence: UInt64
  ) -> [UInt8] {
    begin(second)
    number(sequence)
    text("receiver", receiver)
    writer.key("span")
    writer.seconds(span)
    writer.key("beacons")
    writer.beginArray()
    for beacon in beacons {
      writer.beginArray()
      writer.string(beacon.identity.description)
      writer.hundredths(beacon.sum.mean)
      writer.integer(beacon.sum.reports)
      writer.integer(beacon.sum.power)
      writer.endArray()
    }
    writer.endArray()
    return end()
  }

  /// A region was entered or left: the line that `monitor` writes, with the number of the message.
  package mutating func crossing(_ delivery: Delivery, sequence: UInt64) -> [UInt8] {
    var lines = EventLineWriter(EventNames())
    for record in EventRecord.records(of: delivery.event, EventNames()) {
      let numbers = [
        FormField("boot", .text(boot)), FormField("seq", .integer(Int(clamping: sequence))),
      ]
      lines.append(
        EventRecord(type: record.type, fields: record.fields + numbers),
        to: .theOperator,
        at: delivery.time
      )
    }
    return Array(lines.bytes.dropLast())
  }

  /// The state of a region, and when it was left, if this was observed and nothing came after it.
  package mutating func region(
    _ region: RegionIdentifier,
    _ state: RegionState,
    exit: Timestamp?,
    at time: Timestamp
  ) -> [UInt8] {
    begin(time)
    text("region", region.rawValue)
    text("state", state.description)
    writer.key("left")
    writer.timestamp(exit)
    return end()
  }

  /// How far away a beacon is; every length in meters.
  package mutating func distance(_ beacon: RangedBeacon, at time: Timestamp) -> [UInt8] {
    begin(time)
    writer.identity(beacon.identity)
    text("proximity", beacon.proximity.name)
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
    return end()
  }

  /// A beacon's battery and its counters; missing values are `null`.
  package mutating func battery(
    _ beacon: BeaconIdentity,
    _ telemetry: Telemetry,
    at time: Timestamp
  ) -> [UInt8] {
    begin(time)
    writer.identity(beacon)
    writer.key("percent")
    writer.integer(telemetry.percent)
    writer.key("volts")
    writer.hundredths(telemetry.volts)
    writer.key("celsius")
    writer.hundredths(telemetry.celsius)
    writer.key("sent")
    writer.integer(telemetry.sent)
    writer.key("uptime")
    writer.seconds(telemetry.uptime)
    return end()
  }

  /// When the gateway last received a beacon.
  package mutating func seen(
    _ beacon: BeaconIdentity,
    _ seen: Timestamp,
    at time: Timestamp
  ) -> [UInt8] {
    begin(time)
    writer.identity(beacon)
    writer.key("seen")
    writer.timestamp(seen)
    return end()
  }

  /// In which place a beacon is, `nil` if it is not known, with a probability from 0 to 1 that is written rounded down.
  ///
  /// `heard` receivers received the beacon, `deaf` ones did not listen; `last` is the last place that was known.
  package mutating func place(
    _ place: String?,
    probability: Double,
    since: Timestamp,
    heard: Int,
    deaf: Int,
    last: String?,
    at time: Timestamp
  ) -> [UInt8] {
    begin(time)
    text("place", place)
    writer.key("p")
    writer.hundredths((probability * 100).rounded(.down) / 100)
    writer.key("since")
    writer.timestamp(since)
    writer.key("receivers")
    writer.beginObject()
    writer.key("heard")
    writer.integer(heard)
    writer.key("deaf")
    writer.integer(deaf)
    writer.endObject()
    text("last", last)
    return end()
  }
}
