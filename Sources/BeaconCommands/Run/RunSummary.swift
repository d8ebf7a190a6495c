// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// What a run came to, as `--summary` writes it.
package struct RunSummary {
  /// What the engine counted.
  package var statistics = EngineStatistics()
  private var sightings = 0
  private var ranged = 0
  /// The other events by type, in the order they first came.
  private var others: [(type: String, count: Int)] = []

  package init() {}

  /// Counts the events told, a tick's entries one by one as they are written.
  package mutating func count(_ deliveries: [Delivery]) {
    for delivery in deliveries {
      switch delivery.event {
      case .sighting: sightings += 1
      case .ranged(let entries): ranged += entries.count
      default:
        for record in EventRecord.records(of: delivery.event, EventNames()) { count(record.type) }
      }
    }
  }

  private mutating func count(_ type: String) {
    if let index = others.firstIndex(where: { $0.type == type }) {
      others[index].count += 1
    } else {
      others.append((type, 1))
    }
  }

  /// Returns the summary as one line of JSON.
  package func line(wall: TimeSpan, use: ResourceUse) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.beginLine("summary")
    writer.key("reports")
    writer.integer(statistics.reports)
    writer.key("beacons")
    writer.integer(statistics.beacons)
    writer.key("rejected")
    append(statistics.rejected, to: &writer)
    writer.key("late")
    writer.integer(statistics.late)
    writer.key("dropped")
    append(statistics.dropped, to: &writer)
    writer.key("events")
    writer.beginObject()
    let events =
      [("sighting", sightings), ("ranged", ranged)] + others.sorted { $0.type < $1.type }
    for (name, count) in events
    where count > 0 {
      writer.key(name)
      writer.integer(count)
    }
    writer.endObject()
    writer.key("wall")
    writer.seconds(wall)
    writer.key("cpu")
    writer.seconds(TimeSpan(seconds: use.cpu))
    writer.key("peak_memory")
    writer.integer(use.peakMemory)
    writer.endLine()
    return writer.bytes
  }

  private func append<Reason>(_ tally: Tally<Reason>, to writer: inout JSONLineWriter) {
    writer.beginObject()
    for (reason, count) in tally.occurred {
      writer.key(reason.name)
      writer.integer(count)
    }
    writer.endObject()
  }
}
