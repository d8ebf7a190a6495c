// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The values of the operator's metrics and page at a time.
///
/// It is fed with the inputs of the operator's view (``OperatorInput``), with crossings and states of regions, and with counts.
/// Unknown is absent: a region whose state is unknown and a beacon that is not received any more have no sample, never 0.
package struct OperatorMetrics: Sendable {
  private struct BeaconAtReceiver: Hashable, Comparable {
    let beacon: String
    let receiver: String

    static func < (first: Self, second: Self) -> Bool {
      (first.beacon, first.receiver) < (second.beacon, second.receiver)
    }
  }

  /// The knowledge of a beacon at a receiver.
  package struct Reception: Sendable, Equatable {
    package var reports = 0
    package var last: Timestamp
    /// The mean RSSI in dBm of the last second with a sample.
    package var rssi: Double?
  }

  private struct Subject: Hashable, Comparable {
    let client: String
    let region: String

    static func < (first: Self, second: Self) -> Bool {
      (first.client, first.region) < (second.client, second.region)
    }
  }

  private struct Stay {
    /// Whether it is inside; `nil` while that is unknown.
    var isInside: Bool?
    var entries = 0
    var exits = 0
    var last: Timestamp?
  }

  private struct Distance {
    let meters: Double
    let isNear: Bool
    /// The proximity, if the distance has left its zone.
    let held: String?
    let time: Timestamp
  }

  private struct Place {
    let position: BeaconPlace.Position
    let hundredths: UInt8
    let time: Timestamp
  }

  /// The knowledge of a listed beacon from all receivers together; old values are `nil`.
  package struct Knowledge: Sendable, Equatable {
    /// The receiver that received it strongest.
    package var receiver: String?
    /// The mean RSSI there in dBm.
    package var rssi: Double?
    /// Its distance in meters, as last ranged.
    package var meters: Double?
    /// Whether it was near or immediate when last ranged.
    package var isNear = false
    /// The proximity with its mark, if the distance has left its zone; `nil` if it has not.
    package var held: String?
    /// Whether a receiver received it.
    package var isReceived = false
    /// Its place; `nil` if it is not known.
    package var position: BeaconPlace.Position?
    /// How probable the place is, in hundredths.
    package var hundredths: UInt8 = 0
  }

  /// The most beacons that become series: a scrape stays below 200 KB.
  package static let beaconLimit = 500
  /// The most crossings that the page shows.
  package static let crossingLimit = 20
  /// How long after the last report a level or distance is still shown: as long as a beacon stays in a tick, and some.
  package static let freshness = TimeSpan.seconds(30)

  private let version: String
  private let book: NameBook
  private let ambiguous: Set<String>
  private var beacons: Set<BeaconIdentity> = []
  private var receptions: [BeaconAtReceiver: Reception] = [:]
  private var distances: [String: Distance] = [:]
  private var places: [BeaconIdentity: Place] = [:]
  private var stays: [Subject: Stay] = [:]
  private var unlisted = (count: 0, second: Timestamp.earliest)
  private var truncated = 0
  /// Whether the source has ended.
  package private(set) var isOver = false
  /// The receivers' states by name.
  package private(set) var receivers: [String: RadioState] = [:]
  /// How far the time of the source has come.
  package private(set) var now = Timestamp.earliest
  /// The counts.
  package var statistics = EngineStatistics()
  /// How many clients there are; `nil` if that is not known.
  package var clients: Int?
  /// The last crossings, the newest first, as clients were notified.
  package private(set) var crossings:
    [(time: Timestamp, client: String, region: String, isEntry: Bool, why: String)] = []

  /// - Parameters:
  ///   - version: The program's version.
  ///   - book: The names of the listed beacons.
  package init(version: String, book: NameBook) {
    self.version = version
    self.book = book
    let names = book.entries.map(\.name)
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    ambiguous = Set(
      names.filter { counts[$0, default: 0] > 1 || (try? IdentityConstraint(parsing: $0)) != nil }
    )
  }

  // MARK: Feeding

  /// Adds inputs of the operator's view.
  package mutating func add(_ input: OperatorInput) {
    switch input {
    case .reports(let second): add(second)
    case .unlisted(let count, let second): unlisted = (count, second)
    case .receiver(let name, let state, let time):
      receivers[name] = state
      now = max(now, time)
    case .place(let place, let time): add(place, at: time)
    case .telemetry(_, _, let time), .reached(let time): now = max(now, time)
    }
  }

  private mutating func add(_ place: BeaconPlace, at time: Timestamp) {
    now = max(now, time)
    let found = Place(position: place.position, hundredths: place.hundredths, time: time)
    guard let identity = place.identity else {
      // No places are known of the beacons that are not followed any more.
      for (identity, known) in places where known.time < time { places[identity] = found }
      return
    }
    if places[identity] == nil, places.count >= Self.beaconLimit { return }
    places[identity] = found
  }

  private mutating func add(_ second: ReceivedSecond) {
    if !beacons.contains(second.identity) {
      guard beacons.count < Self.beaconLimit else {
        truncated += 1
        return
      }
      beacons.insert(second.identity)
    }
    let key = BeaconAtReceiver(beacon: name(second.identity), receiver: second.receiver)
    var reception = receptions[key] ?? Reception(last: second.sum.last)
    reception.reports += second.sum.reports
    reception.last = max(reception.last, second.sum.last)
    reception.rssi = second.sum.mean ?? reception.rssi
    receptions[key] = reception
    now = max(now, second.sum.last)
  }

  /// Takes the deliveries to a client.
  package mutating func add(_ delivery: Delivery, client: String) {
    now = max(now, delivery.time)
    switch delivery.event {
    case .regionEntered(let region, _, let why):
      let rule = EventSentence.rule(why)
      cross(client, region.rawValue, isEntry: true, at: delivery.time, why: rule)
    case .regionExited(let region, _, let why):
      let rule = EventSentence.rule(why)
      cross(client, region.rawValue, isEntry: false, at: delivery.time, why: rule)
    case .regionState(let region, let state, let origin, _) where origin != .assumed:
      set(client, region.rawValue, state)
    case .nearby(let beacons): measure(beacons, at: delivery.time)
    case .ranged(let entries): measure(entries.flatMap(\.beacons), at: delivery.time)
    default: break
    }
  }

  /// Takes a crossing that a client was notified of.
  package mutating func cross(
    _ client: String,
    _ region: String,
    isEntry: Bool,
    at time: Timestamp,
    why: String = ""
  ) {
    now = max(now, time)
    let subject = Subject(client: client, region: region)
    if isEntry {
      stays[subject, default: Stay()].entries += 1
    } else {
      stays[subject, default: Stay()].exits += 1
    }
    stays[subject]?.isInside = isEntry
    stays[subject]?.last = time
    crossings.insert((time, client, region, isEntry, why), at: 0)
    if crossings.count > Self.crossingLimit { crossings.removeLast() }
  }

  /// Takes the state of a client's region.
  package mutating func set(_ client: String, _ region: String, _ state: RegionState) {
    let isInside: Bool? =
      switch state {
      case .inside: true
      case .outside: false
      case .unknown: nil
      }
    stays[Subject(client: client, region: region), default: Stay()].isInside = isInside
  }

  private mutating func measure(_ ranged: [RangedBeacon], at time: Timestamp) {
    for beacon in ranged where beacons.contains(beacon.identity) {
      guard let meters = beacon.distance?.meters else { continue }
      let isNear = beacon.proximity == .near || beacon.proximity == .immediate
      let held = beacon.isHeld ? beacon.proximityWord : nil
      measure(beacon.identity, meters: meters, isNear: isNear, held: held, at: time)
    }
  }

  /// Takes the distance of a beacon in meters.
  package mutating func measure(
    _ identity: BeaconIdentity,
    meters: Double,
    isNear: Bool,
    held: String? = nil,
    at time: Timestamp
  ) {
    distances[name(identity)] = Distance(meters: meters, isNear: isNear, held: held, time: time)
  }

  /// Notes that the source has ended: nothing is known from now on, so the metrics have no states; ``regions`` has the last.
  package mutating func end() { isOver = true }

  /// A label belongs to one beacon: where another has the same name, or is named as an identity is, the identity follows.
  private func name(_ identity: BeaconIdentity) -> String {
    guard let name = book[identity] else { return identity.description }
    return ambiguous.contains(name) ? "\(name) \(identity)" : name
  }

  private func isFresh(_ time: Timestamp) -> Bool { !isOver && now - time <= Self.freshness }

  // MARK: Reading

  /// The beacons at their receivers, in the order of their names; RSSI only if it is fresh.
  package var rows: [(beacon: String, receiver: String, reception: Reception)] {
    receptions.keys.sorted().compactMap { key in
      guard var reception = receptions[key] else { return nil }
      if !isFresh(reception.last) { reception.rssi = nil }
      return (key.beacon, key.receiver, reception)
    }
  }

  /// The knowledge of each listed beacon, with its name or identity.
  package var knowledge: [BeaconIdentity: (label: String, known: Knowledge)] {
    var strongest: [String: (receiver: String, reception: Reception)] = [:]
    for row in rows where isFresh(row.reception.last) {
      if let other = strongest[row.beacon],
        (other.reception.rssi ?? -.infinity) >= (row.reception.rssi ?? -.infinity)
      {
        continue
      }
      strongest[row.beacon] = (row.receiver, row.reception)
    }
    var found: [BeaconIdentity: (label: String, known: Knowledge)] = [:]
    for identity in beacons.union(places.keys) {
      let label = name(identity)
      var known = Knowledge()
      if let best = strongest[label] {
        (known.receiver, known.rssi, known.isReceived) = (best.receiver, best.reception.rssi, true)
      }
      if let distance = distances[label], isFresh(distance.time) {
        (known.meters, known.isNear) = (distance.meters, distance.isNear)
        known.held = distance.held
      }
      if let place = places[identity], isFresh(place.time) {
        (known.position, known.hundredths) = (place.position, place.hundredths)
      }
      found[identity] = (label, known)
    }
    return found
  }

  /// The regions of each client in the order of their names, whether it is inside, `nil` while that is unknown, and when
  /// it last crossed.
  package var regions: [(client: String, region: String, isInside: Bool?, last: Timestamp?)] {
    stays.keys.sorted().map { ($0.client, $0.region, stays[$0]?.isInside, stays[$0]?.last) }
  }

  /// Writes the metrics.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - use: The process's use so far: processor seconds and the largest resident size in bytes; `nil` to leave it out.
  /// - Returns: The exposition.
  package func exposition(
    _ format: MetricsExposition.Format,
    use: (cpu: Double, peakMemory: Int)? = nil
  ) -> [UInt8] {
    var out = MetricsExposition(format)
    out.family("beacons_build", .info, "The version of the program.")
    out.sample([("version", version)], "1")
    writeSource(&out)
    writeBeacons(&out)
    writeRegions(&out)
    guard let use else { return out.bytes }
    out.family("process_cpu_seconds", .counter, "Processor time used.")
    out.sample(MetricsExposition.value(use.cpu))
    out.family("process_peak_resident_memory_bytes", .gauge, "Largest resident size.")
    out.sample("\(use.peakMemory)")
    return out.bytes
  }

  private func writeSource(_ out: inout MetricsExposition) {
    if now > .earliest {
      out.family(
        "beacons_source_timestamp_seconds",
        .gauge,
        "How far the time of the source has come."
      )
      out.sample(Self.seconds(now))
    }
    out.family("beacons_reports", .counter, "Advertising reports processed, with any content.")
    out.sample("\(statistics.reports)")
    out.family(
      "beacons_reports_rejected",
      .counter,
      "Reports that claimed to be an iBeacon and were not valid."
    )
    for (reason, count) in statistics.rejected.occurred {
      out.sample([("reason", reason.name)], "\(count)")
    }
    out.family("beacons_dropped", .counter, "What was dropped because of a limit.")
    for (reason, count) in statistics.dropped.occurred {
      out.sample([("reason", reason.name)], "\(count)")
    }
    out.family("beacons_receiver_state", .gauge, "1 for the state that a receiver is in.")
    for (receiver, state) in receivers.sorted(by: { $0.key < $1.key }) where !isOver {
      for other in RadioState.allCases {
        out.sample(
          [("receiver", receiver), ("state", other.rawValue)],
          state == other ? "1" : "0"
        )
      }
    }
    if let clients {
      out.family("beacons_clients", .gauge, "Clients that are connected.")
      out.sample("\(clients)")
    }
  }

  private func writeBeacons(_ out: inout MetricsExposition) {
    let rows = rows
    func labels(_ row: (beacon: String, receiver: String, reception: Reception)) -> [(
      String, String
    )] { [("beacon", row.beacon), ("receiver", row.receiver)] }
    out.family(
      "beacons_last_received_timestamp_seconds",
      .gauge,
      "When the beacon was last received."
    )
    for row in rows { out.sample(labels(row), Self.seconds(row.reception.last)) }
    out.family("beacons_beacon_reports", .counter, "Reports of the beacon.")
    for row in rows { out.sample(labels(row), "\(row.reception.reports)") }
    out.family("beacons_rssi_dbm", .gauge, "Mean RSSI of the last second with a report.")
    for row in rows {
      guard let rssi = row.reception.rssi else { continue }
      out.sample(labels(row), DecimalText.fixed(rssi, decimals: 1))
    }
    out.family("beacons_distance_meters", .gauge, "Distance as last ranged.")
    for (beacon, distance) in distances.sorted(by: { $0.key < $1.key })
    where isFresh(distance.time) {
      out.sample([("beacon", beacon)], DecimalText.hundredths(distance.meters))
    }
    out.family("beacons_unlisted", .gauge, "Beacons that nobody listed, received in a second.")
    let isNew = !isOver && now - unlisted.second <= .seconds(2)
    out.sample("\(isNew ? unlisted.count : 0)")
    out.family(
      "beacons_series_truncated",
      .counter,
      "Seconds of listed beacons without a series, since there are too many."
    )
    out.sample("\(truncated)")
  }

  private func writeRegions(_ out: inout MetricsExposition) {
    let subjects = stays.keys.sorted()
    out.family("beacons_region_inside", .gauge, "1 inside and 0 outside; absent while unknown.")
    for subject in subjects {
      guard !isOver, let isInside = stays[subject]?.isInside else { continue }
      out.sample([("client", subject.client), ("region", subject.region)], isInside ? "1" : "0")
    }
    out.family("beacons_crossings", .counter, "Crossings that a client was notified of.")
    for subject in subjects {
      guard let stay = stays[subject] else { continue }
      for (kind, count) in [("enter", stay.entries), ("exit", stay.exits)] {
        out.sample(
          [("client", subject.client), ("region", subject.region), ("kind", kind)],
          "\(count)"
        )
      }
    }
  }

  private static func seconds(_ time: Timestamp) -> String {
    DecimalText.seconds(TimeSpan(microseconds: time.microseconds))
  }
}
