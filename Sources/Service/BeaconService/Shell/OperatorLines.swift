// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The lines of the operator's stream: the sightings of a second, summed for each beacon and receiver, and the receivers.
struct OperatorLines: Sendable {
  /// The most pairs of beacon and receiver in a second; the reports of further ones are counted together.
  static let limit = 512

  private var sums = ReceivedSums<UInt8>(limit: limit)
  private var others = 0

  /// Counts a sighting.
  mutating func add(_ sighting: Sighting) {
    let isCounted = sums.add(
      sighting.identity,
      sighting.receiver,
      rssi: sighting.rssi,
      power: sighting.measuredPower,
      at: sighting.time
    )
    if !isCounted { others += 1 }
  }

  /// Returns the line of the second, and starts the next one.
  mutating func drain(at time: Timestamp, _ receivers: [String]) -> [UInt8] {
    defer { others = 0 }
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("v")
    writer.integer(1)
    writer.key("type")
    writer.string("sightings")
    writer.key("t")
    writer.timestamp(time)
    writer.key("beacons")
    writer.beginArray()
    for (key, sum) in sums.drain() {
      writer.beginObject()
      writer.identity(key.identity)
      writer.key("receiver")
      writer.string(Int(key.receiver) < receivers.count ? receivers[Int(key.receiver)] : nil)
      writer.key("reports")
      writer.integer(sum.reports)
      writer.key("mean_rssi")
      writer.hundredths(sum.mean)
      writer.key("power")
      writer.integer(Int(sum.power))
      writer.endObject()
    }
    writer.endArray()
    writer.key("other_reports")
    writer.integer(others)
    writer.endLine()
    return writer.bytes
  }

  /// The lines of the receivers' states.
  static func lines(_ reports: [RadioReport]) -> [UInt8] {
    var writer = JSONLineWriter()
    for report in reports {
      writer.beginObject()
      writer.key("v")
      writer.integer(1)
      writer.key("type")
      writer.string("receiver")
      writer.key("t")
      writer.timestamp(report.since)
      writer.key("receiver")
      writer.string(report.name)
      writer.key("state")
      writer.string(report.state.rawValue)
      writer.endLine()
    }
    return writer.bytes
  }
}
