// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// Makes a gateway's messages of a run's inputs and deliveries.
///
/// It is a function only of the run's inputs and deliveries, so that a replay gives the messages of the run.
package struct GatewayFeed: Sendable {
  /// The topics.
  package let topics: SiteTopics
  /// The subjects of the messages.
  package private(set) var contents: GatewayContents
  private let version: String
  private var writer: PayloadWriter
  private var seconds: LevelSeconds
  private var sequence: UInt64 = 0
  /// When each region was left that nothing entered since.
  private var left: [RegionIdentifier: Timestamp] = [:]
  private var lastDistance: [BeaconIdentity: Timestamp] = [:]
  private var batteries: [BeaconIdentity: (said: Telemetry, last: Timestamp, sent: Timestamp)] = [:]
  /// When it is next looked for beacons without battery frames any more.
  private var nextLook = Timestamp.earliest
  /// The beacons without which nothing is published of one.
  private let named: Set<BeaconIdentity>
  /// When each beacon's last reception was published, and those that were received since.
  private var sentSeen: [BeaconIdentity: Timestamp] = [:]
  private var unsentSeen: Set<BeaconIdentity> = []
  /// Grows with each change that Home Assistant is informed of.
  package private(set) var announcements = 0
  /// When the receivers of earlier runs that this one does not have are forgotten.
  private var receiversDue: Timestamp?
  private var places: [BeaconIdentity: (place: String?, since: Timestamp, sent: Timestamp)] = [:]

  /// A distance is sent once in this time: often enough for a room, and a tenth of the ranged distances.
  static let distanceInterval = TimeSpan.seconds(5)
  /// A place that stays is sent again once in this time, with its probability by then.
  static let placeInterval = TimeSpan.seconds(10)

  /// When a beacon was last received is sent once in this time while it is received.
  static let seenInterval = TimeSpan.seconds(60)
  /// And when it was not received for so long: then this was the last time.
  static let seenPatience = TimeSpan.seconds(20)
  /// A receiver without a state for so long after a start is not configured any more.
  static let receiverPatience = TimeSpan.seconds(60)
  /// The most receivers that are announced; a source has no more.
  static let receiverLimit = 256

  /// A beacon's battery is sent once in this time; it changes in weeks.
  static let batteryInterval = TimeSpan.seconds(300)
  /// A battery of which nothing was received for so long is unknown: a beacon sends it every minute at least.
  static let batteryAge = TimeSpan.seconds(6 * 3600)

  /// - Parameters:
  ///   - topics: The site and the gateway.
  ///   - boot: What tells this start from every other one.
  ///   - version: The version of the program.
  ///   - contents: The subjects of the messages.
  package init(_ topics: SiteTopics, boot: String, version: String, _ contents: GatewayContents) {
    self.topics = topics
    self.version = version
    self.contents = contents
    writer = PayloadWriter(boot: boot)
    seconds = LevelSeconds(gap: contents.gap)
    named = Set(contents.beacons)
    self.contents.last.entries = contents.last.entries.filter { named.contains($0.key) }
    for beacon in self.contents.last.entries.keys {
      guard let place = self.contents.last.entries[beacon]?.place else { continue }
      if contents.places?.contains(place) != true {
        self.contents.last.entries[beacon]?.place = nil
      }
    }
    guard let prefix = contents.discoveryPrefix else { return }
    let discovery = Discovery(topics, version: version, contents)
    self.contents.batteries = discovery.toldBatteries(under: prefix)
    self.contents.receivers = discovery.toldReceivers(under: prefix)
  }

  // MARK: States

  /// The broker's message on behalf of a gateway that is gone.
  package mutating func will() -> GatewayMessage {
    let payload = writer.status(isOnline: false, version: version, at: nil)
    return GatewayMessage(.state, topics.status, payload)
  }

  /// Whether the gateway is connected.
  package mutating func status(isOnline: Bool, at time: Timestamp) -> GatewayMessage {
    let payload = writer.status(isOnline: isOnline, version: version, at: time)
    return GatewayMessage(.state, topics.status, payload)
  }

  /// Everything that is retained from the start on: the radio, unknown regions and places, and what Home Assistant needs to
  /// know.
  ///
  /// What an earlier run retained is not known now: a beacon may never come back to its last place of that run.
  ///
  /// When a beacon was last received, and its last place, are known all the same, except in a replay of an earlier time.
  package mutating func begin(at time: Timestamp) -> [GatewayMessage] {
    receiversDue = time + Self.receiverPatience
    for (beacon, entry) in contents.last.entries {
      guard let seen = entry.seen else { continue }
      if seen > time { contents.last.entries[beacon]?.seen = nil }
    }
    return [radio(at: time)] + seen(contents.last.entries.keys.sorted(), at: time)
      + contents.regions.map { region($0.id, .unknown, at: time) }
      + (contents.places == nil ? [] : contents.beacons.map { unknownPlace(of: $0, at: time) })
      + discovery
  }

  private mutating func unknownPlace(
    of beacon: BeaconIdentity,
    at time: Timestamp
  ) -> GatewayMessage {
    let payload = writer.place(
      nil,
      probability: 0,
      since: time,
      heard: 0,
      deaf: 0,
      last: contents.last.entries[beacon]?.place,
      at: time
    )
    return GatewayMessage(.state, topics.place(beacon), payload)
  }

  /// What Home Assistant needs to know; sent again when it starts.
  package var discovery: [GatewayMessage] {
    guard let prefix = contents.discoveryPrefix else { return [] }
    return Discovery(topics, version: version, contents).messages(under: prefix)
  }

  /// The components that this run and earlier ones announced to Home Assistant; the next run needs them.
  package var told: AnnouncedComponents {
    guard let prefix = contents.discoveryPrefix else { return contents.told }
    return Discovery(topics, version: version, contents).told(under: prefix)
  }

  /// The topics that are retained with these contents.
  package var retainedTopics: [String] {
    [topics.status, topics.radio] + contents.regions.map { topics.region($0.id) }
      + contents.beacons.map { topics.seen($0) }
      + (contents.places == nil ? [] : contents.beacons.map { topics.place($0) })
      + discovery.map(\.topic)
  }

  private mutating func radio(at time: Timestamp) -> GatewayMessage {
    GatewayMessage(.state, topics.radio, writer.radio(seconds.states, at: time))
  }

  private mutating func region(
    _ region: RegionIdentifier,
    _ state: RegionState,
    at time: Timestamp
  ) -> GatewayMessage {
    let payload = writer.region(region, state, exit: left[region], at: time)
    return GatewayMessage(.state, topics.region(region), payload)
  }

  // MARK: Inputs and deliveries

  /// Makes messages of the reports.
  package mutating func add(_ input: OperatorInput) -> [GatewayMessage] {
    switch input {
    case .reports(let sums):
      seconds.add(sums)
      note(sums)
      return []
    case .unlisted, .place: return []
    case .receiver(let name, let state, let time):
      let radio = seconds.set(name, state, at: time) ? [radio(at: time)] : []
      return radio + announce(receiver: name)
    case .telemetry(let telemetry, let beacon, let time):
      return add(telemetry, of: beacon, at: time)
    case .reached(let time):
      return levels(seconds.advance(to: time)) + seen(at: time) + forgetBatteries(at: time)
        + forgetReceivers(at: time)
    }
  }

  // MARK: Receivers

  /// Announces a receiver to Home Assistant, unless it is known, or belongs to a gateway of the site that announces it.
  private mutating func announce(receiver name: String) -> [GatewayMessage] {
    guard contents.sendsLevels, !name.isEmpty, !contents.receivers.contains(name),
      contents.receivers.count < Self.receiverLimit
    else { return [] }
    contents.receivers = (contents.receivers + [name]).sorted()
    return gatewayDiscovery()
  }

  private mutating func forgetReceivers(at time: Timestamp) -> [GatewayMessage] {
    guard let due = receiversDue, time >= due else { return [] }
    receiversDue = nil
    let known = Set(seconds.states.map(\.name))
    guard !known.isSuperset(of: contents.receivers) else { return [] }
    contents.receivers.removeAll { !known.contains($0) }
    return gatewayDiscovery()
  }

  private mutating func gatewayDiscovery() -> [GatewayMessage] {
    announcements += 1
    return Array(discovery.prefix(1))
  }

  // MARK: Last seen

  private mutating func note(_ sums: ReceivedSecond) {
    guard sums.sum.reports > 0, named.contains(sums.identity) else { return }
    let known = contents.last.entries[sums.identity]?.seen
    guard known.map({ $0 < sums.sum.last }) ?? true else { return }
    contents.last.entries[sums.identity, default: .init()].seen = sums.sum.last
    unsentSeen.insert(sums.identity)
  }

  private mutating func seen(at time: Timestamp) -> [GatewayMessage] {
    let due = unsentSeen.filter { beacon in
      guard let seen = contents.last.entries[beacon]?.seen, let sent = sentSeen[beacon] else {
        return true
      }
      return seen - sent >= Self.seenInterval || time - seen >= Self.seenPatience
    }
    return seen(due.sorted(), at: time)
  }

  private mutating func seen(_ beacons: [BeaconIdentity], at time: Timestamp) -> [GatewayMessage] {
    beacons.compactMap { beacon in
      unsentSeen.remove(beacon)
      guard let seen = contents.last.entries[beacon]?.seen else { return nil }
      sentSeen[beacon] = seen
      return GatewayMessage(.state, topics.seen(beacon), writer.seen(beacon, seen, at: time))
    }
  }

  // MARK: Batteries

  /// Makes a message of a beacon's battery and counters; a new one is also announced to Home Assistant.
  private mutating func add(
    _ telemetry: Telemetry,
    of beacon: BeaconIdentity,
    at time: Timestamp
  ) -> [GatewayMessage] {
    var readings: Set<BatteryReading> = []
    if telemetry.percent != nil { readings.insert(.charge) }
    if telemetry.volts != nil { readings.insert(.voltage) }
    guard contents.beacons.contains(beacon), !readings.isEmpty else { return [] }
    let known = batteries[beacon]
    // A beacon may send the one in one packet and the other in another.
    let said = Telemetry(
      volts: telemetry.volts ?? known?.said.volts,
      percent: telemetry.percent ?? known?.said.percent,
      celsius: telemetry.celsius ?? known?.said.celsius,
      sent: telemetry.sent ?? known?.said.sent,
      uptime: telemetry.uptime ?? known?.said.uptime
    )
    var messages: [GatewayMessage] = []
    let earlier = contents.batteries[beacon] ?? []
    if !readings.isSubset(of: earlier) {
      contents.batteries[beacon] = earlier.union(readings)
      if let prefix = contents.discoveryPrefix {
        announcements += 1
        let discovery = Discovery(topics, version: version, contents)
        messages.append(discovery.message(of: beacon, under: prefix))
      }
    }
    // New values are sent immediately.
    var isDue = known.map { time - $0.sent >= Self.batteryInterval } ?? true
    if let known, known.said.volts == nil, said.volts != nil { isDue = true }
    if let known, known.said.percent == nil, said.percent != nil { isDue = true }
    batteries[beacon] = (said, time, isDue ? time : known?.sent ?? time)
    if isDue { messages.append(battery(of: beacon, said, at: time)) }
    return messages
  }

  private mutating func battery(
    of beacon: BeaconIdentity,
    _ telemetry: Telemetry,
    at time: Timestamp
  ) -> GatewayMessage {
    let payload = writer.battery(beacon, telemetry, at: time)
    return GatewayMessage(.state, topics.battery(beacon), payload)
  }

  private mutating func forgetBatteries(at time: Timestamp) -> [GatewayMessage] {
    guard time >= nextLook else { return [] }
    nextLook = time + .seconds(60)
    let old = batteries.filter { time - $0.value.last >= Self.batteryAge }.keys.sorted()
    return old.map { beacon in
      batteries[beacon] = nil
      return battery(of: beacon, Telemetry(), at: time)
    }
  }

  /// Makes messages of the last second of a run.
  package mutating func end(at time: Timestamp) -> [GatewayMessage] {
    levels(seconds.end(at: time)) + seen(unsentSeen.sorted(), at: time)
  }

  private mutating func levels(_ seconds: [LevelSeconds.Second]) -> [GatewayMessage] {
    contents.sendsLevels ? seconds.flatMap { levels($0) } : []
  }

  private mutating func levels(_ second: LevelSeconds.Second) -> [GatewayMessage] {
    var messages: [GatewayMessage] = []
    var rest = second.beacons[...]
    repeat {
      sequence += 1
      let payload = writer.levels(
        second.start,
        span: second.span,
        receiver: second.receiver,
        rest.prefix(PayloadWriter.beaconLimit),
        sequence: sequence
      )
      messages.append(GatewayMessage(.levels, topics.levels, payload, late: topics.late))
      rest = rest.dropFirst(PayloadWriter.beaconLimit)
    } while !rest.isEmpty
    return messages
  }

  /// Makes messages of the deliveries to the operator.
  package mutating func add(_ delivery: Delivery) -> [GatewayMessage] {
    switch delivery.event {
    case .regionEntered(let id, _, _):
      left[id] = nil
      return [crossing(delivery), region(id, .inside, at: delivery.time)]
    case .regionExited(let id, let reason, _):
      // Nobody saw a crossing that happened while the state was unknown, as behind a radio that was off.
      left[id] = reason == .whileUnknown ? nil : delivery.time
      return [crossing(delivery), region(id, .outside, at: delivery.time)]
    case .regionState(let id, let state, let origin, let reason):
      // An answer to a request repeats the known state; that of an earlier run is not known now.
      guard reason != .requested, reason != .shutdown else { return [] }
      let known = origin == .observed ? state : .unknown
      if known != .outside { left[id] = nil }
      return [region(id, known, at: delivery.time)]
    case .nearby(let beacons): return distances(beacons, at: delivery.time)
    case .ranged(let entries):
      return distances(entries.flatMap(\.beacons), at: delivery.time)
    default: return []
    }
  }

  private mutating func crossing(_ delivery: Delivery) -> GatewayMessage {
    sequence += 1
    let payload = writer.crossing(delivery, sequence: sequence)
    return GatewayMessage(.event, topics.crossing, payload)
  }

  private mutating func distances(
    _ beacons: [RangedBeacon],
    at time: Timestamp
  ) -> [GatewayMessage] {
    var messages: [GatewayMessage] = []
    for beacon in beacons where contents.beacons.contains(beacon.identity) {
      let last = lastDistance[beacon.identity]
      guard last.map({ time - $0 >= Self.distanceInterval }) ?? true, beacon.distance != nil else {
        continue
      }
      lastDistance[beacon.identity] = time
      let payload = writer.distance(beacon, at: time)
      messages.append(GatewayMessage(.passing, topics.distance(beacon.identity), payload))
      if contents.sendsESPresense {
        messages.append(ESPresense.message(beacon, room: topics.gateway, contents.names))
      }
    }
    return messages
  }

  /// Makes a message of a beacon's place, if it is another one or was not sent for a while.
  ///
  /// A beacon that does not appear by itself has no message. The place is `nil` if it is not known.
  package mutating func add(
    place: String?,
    of beacon: BeaconIdentity,
    probability: Double,
    receivers: (heard: Int, deaf: Int),
    at time: Timestamp
  ) -> [GatewayMessage] {
    guard contents.places != nil, named.contains(beacon) else { return [] }
    let known = places[beacon]
    let hasMoved = known.map { $0.place != place } ?? true
    guard hasMoved || time - (known?.sent ?? time) >= Self.placeInterval else { return [] }
    let since = hasMoved ? time : known?.since ?? time
    places[beacon] = (place, since, time)
    if let place { contents.last.entries[beacon, default: .init()].place = place }
    let payload = writer.place(
      place,
      probability: probability,
      since: since,
      heard: receivers.heard,
      deaf: receivers.deaf,
      last: contents.last.entries[beacon]?.place,
      at: time
    )
    return [GatewayMessage(.state, topics.place(beacon), payload)]
  }
}
