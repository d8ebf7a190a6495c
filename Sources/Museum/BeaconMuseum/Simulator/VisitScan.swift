// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The reports that one visitor's receiver gets, from entrance to exit.
package struct VisitScan: ScanReader {
  /// The number of reports in a batch, about as many as a block of a capture holds.
  private static let batchCount = 1024
  /// The interval in seconds at which a live source confirms that it listens.
  private static let markInterval = 10.0
  /// The loss of a ceiling in dB (ITU-R P.1238, commercial: 6 + 3 (k − 1)), and the distance between floors.
  private static let ceilingLoss = 6.0
  private static let storeyHeight = 3.5
  /// How many slopes below the sensitivity a signal is not worth computing.
  private static let reach = 12.0

  private let radio: RadioSite
  private let crowd: CrowdTable?
  private let visitor: SimulatedDay.Visitor
  private let start: Timestamp
  private let offset: Double
  private let bodyLoss: Double
  private let lineOfSight: Double
  private let obstructed: Double
  private var random: SeededRandom
  private var links: [FadingLink]
  private var bursts: LossBursts
  private var due: [Double]
  private var deliveredRSSI: [Int8?]
  private var bystanders: [(until: Double, loss: Double)]
  /// The number of walls to each beacon from a position, kept because visitors stand more than they walk.
  private var walls: [(place: Plan.Point, count: Int)?]
  private var cursor = 0
  private var travelled = 0.0
  private var last: (time: Double, position: Plan.Point)?
  private var nextMark: Double
  private var hasEnded = false

  /// The number of advertisements sent while the visitor was in the museum.
  package private(set) var sent = 0
  /// The number that would have been decoded but for loss: stronger than the sensitivity by four slopes.
  package private(set) var strong = 0
  /// The number of these strong advertisements that were received.
  package private(set) var strongReceived = 0

  /// Creates a scan along a visitor's path.
  ///
  /// - Parameters:
  ///   - radio: The museum with its transmitting beacons.
  ///   - day: The day of the visit.
  ///   - visitor: The visitor.
  ///   - crowd: The positions of all other visitors; `nil` for an empty museum.
  package init(
    _ radio: RadioSite,
    _ day: SimulatedDay,
    _ visitor: SimulatedDay.Visitor,
    crowd: CrowdTable?
  ) {
    self.radio = radio
    self.crowd = crowd
    self.visitor = visitor
    start = day.start
    random = SeededRandom(seed: day.seed, part: .receiver, number: visitor.number)
    let link = radio.link
    offset = link.receiverDeviation * random.normal()
    bodyLoss = random.uniform(link.bodyLoss.lowerBound, link.bodyLoss.upperBound)
    lineOfSight = DeterministicMath.pow10(link.lineOfSightFactor / 10)
    obstructed = DeterministicMath.pow10(link.obstructedFactor / 10)
    let count = radio.site.exhibits.count
    links = [FadingLink](repeating: FadingLink(), count: count)
    bursts = LossBursts(
      radio.reception,
      clear: radio.clear,
      startingAt: visitor.path.start,
      random: &random
    )
    due = []
    for _ in 0..<count {
      due.append(visitor.path.start + random.unit() * radio.reception.interval)
    }
    deliveredRSSI = [Int8?](repeating: nil, count: count)
    bystanders = [(until: Double, loss: Double)](repeating: (-1, 0), count: count)
    walls = [(place: Plan.Point, count: Int)?](repeating: nil, count: count)
    nextMark = visitor.path.start + Self.markInterval
  }

  package mutating func next() -> ScanBatch? {
    guard !hasEnded else { return nil }
    var batch = ScanBatch()
    if last == nil {
      batch.inputs.append(.radio(receiver: 0, .listening, time(visitor.path.start)))
    }
    while batch.inputs.count < Self.batchCount {
      guard let beacon = due.indices.min(by: { due[$0] < due[$1] }),
        due[beacon] < visitor.path.end
      else {
        hasEnded = true
        mark(upTo: visitor.path.end, in: &batch)
        batch.inputs.append(.mark(time(visitor.path.end)))
        break
      }
      let now = due[beacon]
      mark(upTo: now, in: &batch)
      due[beacon] = now + radio.reception.interval + random.unit() * radio.reception.delay
      receive(beacon, at: now, in: &batch)
    }
    return batch
  }

  private func time(_ seconds: Double) -> Timestamp {
    start + TimeSpan(microseconds: Int64((seconds * 1e6).rounded()))
  }

  private mutating func mark(upTo now: Double, in batch: inout ScanBatch) {
    while nextMark < now {
      batch.inputs.append(.mark(time(nextMark)))
      nextMark += Self.markInterval
    }
  }

  private mutating func receive(_ beacon: Int, at now: Double, in batch: inout ScanBatch) {
    let state = visitor.path.state(at: now, cursor: &cursor)
    move(to: state, at: now)
    sent += 1
    let reception = radio.reception
    if let duty = reception.duty, duty.on + duty.off > 0 {
      let phase = (now / (duty.on + duty.off))
      guard (phase - phase.rounded(.down)) * (duty.on + duty.off) < duty.on else { return }
    }
    let share = bursts.delivered(at: now, random: &random) * radio.clear
    guard let rssi = rssi(of: beacon, state, at: now) else { return }
    let margin = (rssi - reception.sensitivity) / reception.slope
    let isStrong = margin > 4
    if isStrong { strong += 1 }
    let decoded = 1 / (1 + DeterministicMath.exp(-margin))
    guard random.unit() < decoded * share else { return }
    if isStrong { strongReceived += 1 }
    // The RSSI that a capture can contain.
    let rounded = Int8(min(max(rssi, -127), -1).rounded())
    batch.append(
      AdvertisingReport(
        time: time(now),
        rssi: stale(rounded, of: beacon),
        address: radio.addresses[beacon],
        kind: .nonConnectable,
        payloadStart: 0,
        payloadCount: 0
      ),
      payload: radio.payloads[beacon]
    )
  }

  /// Returns the RSSI that BlueZ reports for a client without one in its filter: the last value until it has changed by
  /// enough.
  private mutating func stale(_ rssi: Int8, of beacon: Int) -> Int8 {
    guard radio.reception.isStale else { return rssi }
    if let before = deliveredRSSI[beacon],
      abs(Double(rssi) - Double(before)) < radio.reception.staleStep
    {
      return before
    }
    deliveredRSSI[beacon] = rssi
    return rssi
  }

  private mutating func move(to state: VisitPath.State, at now: Double) {
    if let last {
      travelled += state.position.distance(to: last.position)
      travelled += radio.link.swaySpeed * (now - last.time)
    }
    last = (now, state.position)
  }

  /// Returns the signal strength of a packet in dBm; `nil` if it is far too weak.
  private mutating func rssi(
    of beacon: Int,
    _ state: VisitPath.State,
    at now: Double
  ) -> Double? {
    let link = radio.link
    let exhibit = radio.site.exhibits[beacon]
    let way = exhibit.position - state.position
    var distance = way.length
    var rssi = exhibit.power + radio.offsets[beacon] + offset
    let storeys = abs(exhibit.level - state.level)
    var walls = 0
    if storeys > 0 {
      let height = Self.storeyHeight * Double(storeys)
      distance = (distance * distance + height * height).squareRoot()
      rssi -= Self.ceilingLoss + 3 * Double(storeys - 1)
    } else {
      walls = self.walls(to: beacon, exhibit, state)
      rssi += radio.fields[beacon].shadow(at: state.position)
    }
    rssi -= 10 * link.exponent * DeterministicMath.log10(max(distance, link.nearestDistance))
    rssi -= link.wallLoss * Double(walls)
    // The body's loss is 0 when the visitor faces the beacon, and full when the body is in between.
    let facing = distance > 0 ? way.along(state.heading) / distance : 1
    rssi -= bodyLoss * (1 - facing) / 2
    let floor = radio.reception.sensitivity - Self.reach * radio.reception.slope
    guard rssi > floor else { return nil }
    rssi -= crowdLoss(beacon, exhibit, state, at: now)
    let isSeen = walls == 0 && storeys == 0 && facing > 0
    rssi += links[beacon].gain(
      channel: Int(now / radio.reception.scanInterval) % 3,
      travelled: travelled,
      factor: isSeen ? lineOfSight : obstructed,
      distance: link.fadingDistance,
      random: &random
    )
    rssi += link.fadingMean
    return rssi + link.readingDeviation * random.normal()
  }

  private mutating func walls(
    to beacon: Int,
    _ exhibit: SimulatedSite.Exhibit,
    _ state: VisitPath.State
  ) -> Int {
    if let known = walls[beacon], known.place == state.position { return known.count }
    let count = radio.site.walls(
      from: exhibit.position,
      to: state.position,
      level: exhibit.level
    )
    walls[beacon] = (state.position, count)
    return count
  }

  /// Returns the loss in dB of other people between the visitor and a beacon.
  private mutating func crowdLoss(
    _ beacon: Int,
    _ exhibit: SimulatedSite.Exhibit,
    _ state: VisitPath.State,
    at now: Double
  ) -> Double {
    let link = radio.link
    var loss = 0.0
    if link.bystanders > 0 {
      // A person who stands in between walks on after a while.
      let pause = 5.0
      if now >= bystanders[beacon].until {
        let area = 2 * link.bystanderRadius * exhibit.position.distance(to: state.position)
        let people = random.poisson(mean: link.bystanders * area)
        bystanders[beacon] = (now + random.exponential(mean: pause), Double(people))
      }
      loss += link.bystanderLoss * bystanders[beacon].loss
    }
    for person in crowd?.people(at: Int(now)) ?? [] {
      guard Int(person.visitor) != visitor.number, Int(person.level) == exhibit.level else {
        continue
      }
      let place = Plan.Point(Double(person.x), Double(person.y))
      let apart = place.distance(toWallFrom: state.position, to: exhibit.position)
      if apart < link.bystanderRadius { loss += link.bystanderLoss }
    }
    return min(loss, link.crowdLossMost)
  }
}
