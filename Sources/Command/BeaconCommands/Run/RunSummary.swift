// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
package import SystemKit

/// The totals of a run, as `--summary` writes them.
package struct RunSummary {
  /// The engine's counts.
  package var statistics = EngineStatistics()
  /// The messages of a broker that were not used, by reason.
  package var unused: [(name: String, count: Int)] = []
  private let countsBeacons: Bool
  /// Whether the run is a client's, for whom only beacons count that it received: the engine's knowledge beyond that
  /// is derived from the reports, and may be withheld.
  private let isClients: Bool
  /// Whether the run's client may not know of beacons, and so not how many there are.
  package var isLimited = false
  private var identitiesSeen: Set<BeaconIdentity> = []
  private var sightings = 0
  private var ranged = 0
  /// The other events by type, in the order they first came.
  private var others: [(type: String, count: Int)] = []

  /// The most beacons distinguished among sightings, as many as `inspect` distinguishes.
  private static let identityLimit = CaptureInspection.identityLimit

  /// Starts to count.
  ///
  /// - Parameters:
  ///   - countsBeacons: Whether the distinct beacons of sightings are counted, which costs as much as finding them.
  ///   - isClients: Whether the run is a client's and not the operator's.
  package init(countsBeacons: Bool = true, isClients: Bool = false) {
    self.countsBeacons = countsBeacons
    self.isClients = isClients
  }

  /// Counts the delivered events, a tick's entries one by one as they are written.
  package mutating func count(_ deliveries: [Delivery]) {
    for delivery in deliveries {
      switch delivery.event {
      case .sighting(let sighting):
        sightings += 1
        if countsBeacons, identitiesSeen.count < Self.identityLimit {
          identitiesSeen.insert(sighting.identity)
        }
      case .nearby: ranged += 1
      case .ranged(let entries):
        ranged += entries.count
        if isClients { for entry in entries { entry.beacons.forEach { see($0.identity) } } }
      default:
        if isClients, let identity = Self.identity(of: delivery.event) { see(identity) }
        for record in EventRecord.records(of: delivery.event, EventNames()) { count(record.type) }
      }
    }
  }

  private mutating func see(_ identity: BeaconIdentity) {
    if identitiesSeen.count < Self.identityLimit { identitiesSeen.insert(identity) }
  }

  private static func identity(of event: Event) -> BeaconIdentity? {
    switch event {
    case .regionEntered(_, _, let why), .regionExited(_, _, let why): why.identity
    default: nil
    }
  }

  /// Counts an event of a type that a client's program delivered.
  package mutating func count(_ type: String) {
    if let index = others.firstIndex(where: { $0.type == type }) {
      others[index].count += 1
    } else {
      others.append((type, 1))
    }
  }

  /// Counts bytes that were read as one report.
  package mutating func count(_ reading: BeaconReading) {
    statistics.reports += 1
    switch reading {
    case .beacon(let identity, _):
      statistics.beaconReports += 1
      if identitiesSeen.count < Self.identityLimit { identitiesSeen.insert(identity) }
    case .presence: statistics.rejected.count(.noMeasuredPower)
    case .rejected(let reason):
      if reason.claimsToBeBeacon { statistics.rejected.count(reason) }
    }
  }

  /// Returns the summary as one line of JSON.
  package func line(wall: TimeSpan, use: ResourceUse) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.beginLine("summary")
    writer.integer("reports", isLimited ? nil : statistics.reports)
    writer.key("beacons")
    let seen = identitiesSeen.count
    writer.integer(isLimited ? nil : isClients ? seen : max(statistics.beacons, seen))
    writer.key("rejected")
    isLimited ? writer.integer(nil as Int?) : writer.tally(statistics.rejected)
    writer.integer("late", isLimited ? nil : statistics.late)
    writer.key("dropped")
    isLimited ? writer.integer(nil as Int?) : writer.tally(statistics.dropped)
    if !unused.isEmpty, !isLimited {
      writer.key("unused")
      writer.beginObject()
      for (name, count) in unused {
        writer.key(name)
        writer.integer(count)
      }
      writer.endObject()
    }
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
    writer.seconds("wall", wall)
    writer.seconds("cpu", TimeSpan(seconds: use.cpu))
    writer.integer("peak_memory", use.peakMemory)
    writer.endLine()
    return writer.bytes
  }
}
