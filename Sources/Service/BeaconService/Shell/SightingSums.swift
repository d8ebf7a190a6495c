// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// The sightings of a second, summed for each beacon and receiver, for the operator.
struct SightingSums: Sendable {
  private struct Key: Hashable, Comparable {
    let identity: BeaconIdentity
    let receiver: UInt8

    static func < (one: Key, other: Key) -> Bool {
      one.identity != other.identity
        ? one.identity < other.identity : one.receiver < other.receiver
    }
  }

  private struct Sum {
    var count = 0
    var measured = 0
    var total = 0
    var power: Int8 = 0
  }

  /// The most pairs of beacon and receiver in a second; the reports of further ones are counted together.
  static let limit = 512

  private var sums: [Key: Sum] = [:]
  private var others = 0

  /// Counts a sighting.
  mutating func add(_ sighting: Sighting) {
    let key = Key(identity: sighting.identity, receiver: sighting.receiver)
    guard sums[key] != nil || sums.count < Self.limit else {
      others += 1
      return
    }
    var sum = sums[key] ?? Sum()
    sum.count += 1
    sum.power = sighting.measuredPower
    if let rssi = sighting.rssi {
      sum.measured += 1
      sum.total += Int(rssi)
    }
    sums[key] = sum
  }

  /// Returns the line of the second, and starts the next one.
  mutating func drain(at time: Timestamp, _ receivers: [String]) -> [UInt8] {
    defer { (sums, others) = ([:], 0) }
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
    for (key, sum) in sums.sorted(by: { $0.key < $1.key }) {
      writer.beginObject()
      writer.identity(key.identity)
      writer.key("receiver")
      writer.string(Int(key.receiver) < receivers.count ? receivers[Int(key.receiver)] : nil)
      writer.key("reports")
      writer.integer(sum.count)
      writer.key("mean_rssi")
      writer.hundredths(sum.measured > 0 ? Double(sum.total) / Double(sum.measured) : nil)
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
