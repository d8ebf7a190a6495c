// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// The beacons of a plan as they are received on a walk from exhibit to exhibit, and their faults.
///
/// At the time at which a beacon is loudest the walker is in front of it. If the levels of the other beacons then fit the
/// place of another exhibit better than its own, and its own levels around both do so on the whole walk, it hangs there.
package struct PlanExamination: Sendable {
  /// A fault of a beacon, or that the walk did not reach it.
  package enum Fault: Sendable, Equatable {
    /// It was not received, although the walk came through its room.
    case missing
    /// The walk did not come near.
    case notReached
    /// It was received weaker than its distance explains, by so many dB.
    case weak(Int)
    /// It hangs in the place of another exhibit, whose beacon hangs in its place.
    case swapped(with: Int)
    /// It hangs in the place of another exhibit.
    case inPlace(of: Int)
    /// Several transmitters have its identity.
    case twice
    /// Its battery is low.
    case lowBattery
  }

  /// A beacon of the plan.
  package struct Beacon: Sendable, Equatable {
    /// Its faults, the gravest first.
    package var faults: [Fault] = []
    /// The greatest level of three seconds, in dBm; `nil` if it was not received.
    package var best: Double?
    /// Its last telemetry.
    package var telemetry: Telemetry?
  }

  /// The levels of three seconds, relative to the power at 1 m, of each exhibit that was received.
  private typealias Levels = [Int: Double]

  private struct Track {
    var power = -59.0
    /// The levels of all beacons when this one was loudest.
    var peak: Levels = [:]
    var best: Double?
    var telemetry: Telemetry?
    var addresses: [DeviceAddress] = []
    /// How often a former address came back; an address that a beacon changes does not.
    var returns = 0
  }

  /// For how long levels are averaged; a body turns and people pass in less.
  private static let span = 3
  /// A level of so much less than that at 1 m was not received from the same part of a room.
  private static let reach = -14.0
  /// A beacon is weak if it misses so many dB; a body takes 10.
  private static let deficit = 12.0
  /// The least number of other beacons that can tell a place.
  private static let fewest = 3
  /// The deviation of a level from the expected one in dB, and the most deviations that a level counts.
  private static let (deviation, most) = (5.0, 2.5)
  /// The difference of squared deviations with which beacons hang in another place: that of a probability of 1 : 150.
  private static let evidence = 10.0
  /// The same for two beacons that hang in each other's places: both must fit.
  private static let exchangeEvidence = 6.0
  /// The levels of a walk around two places: above which they count, relative to the power at 1 m, up to how many meters
  /// away, and their deviation in dB, which at a place only the walker's turning lessens.
  private static let (nearby, surroundings, walkDeviation) = (-20.0, 4, 6.0)
  /// The seconds of a walk that are kept: two hours.
  private static let longest = 7200
  /// The addresses that are compared, and how often one must come back.
  private static let (addresses, returns) = (8, 3)
  /// Volts and per cent below which a battery is low, as for a fleet.
  private static let low = (volts: 2.4, percent: 20)

  private let plan: Plan
  private let indices: [BeaconIdentity: Int]
  private let exponent: Double
  private let wall = GuideConfiguration().wallLoss
  private var tracks: [Track]
  private var second: Int64?
  private var sums: [Int: (sum: Double, count: Int)] = [:]
  private var last: [Levels] = []
  /// The levels of each second.
  private var walk: [Levels] = []

  /// Creates the examination of a plan's beacons, none of which is received yet.
  package init(_ plan: Plan) {
    self.plan = plan
    indices = Dictionary(plan.exhibits.enumerated().map { ($1.identity, $0) }) { first, _ in first }
    exponent = plan.calibration.exponent ?? PathLoss.defaultExponent
    tracks = plan.exhibits.map { exhibit in
      var track = Track()
      if let power = exhibit.power ?? plan.calibration.power { track.power = power }
      return track
    }
  }

  /// How many beacons of the plan were received.
  package var received: Int { tracks.count { $0.best != nil || !$0.addresses.isEmpty } }

  /// Adds a report.
  ///
  /// - Returns: The exhibit, if its beacon is received for the first time.
  @discardableResult
  package mutating func add(_ sighting: Sighting) -> Plan.Exhibit? {
    if let index = indices[sighting.identity], plan.exhibits[index].power == nil,
      plan.calibration.power == nil
    {
      tracks[index].power = Double(sighting.measuredPower)
    }
    return add(sighting.identity, rssi: sighting.rssi, from: sighting.address, at: sighting.time)
  }

  /// Adds a report by its parts.
  @discardableResult
  mutating func add(
    _ identity: BeaconIdentity,
    rssi: Int8?,
    from address: DeviceAddress?,
    at time: Timestamp
  ) -> Plan.Exhibit? {
    pass(to: time)
    guard let index = indices[identity] else { return nil }
    let isNew = tracks[index].best == nil && sums[index] == nil
    if let address { note(address, of: index) }
    guard let rssi else { return nil }
    let known = sums[index] ?? (0, 0)
    sums[index] = (known.sum + Double(rssi), known.count + 1)
    return isNew ? plan.exhibits[index] : nil
  }

  /// Adds telemetry of a beacon.
  package mutating func add(_ telemetry: Telemetry, of identity: BeaconIdentity) {
    if let index = indices[identity] { tracks[index].telemetry = telemetry }
  }

  private mutating func note(_ address: DeviceAddress, of index: Int) {
    guard tracks[index].addresses.last != address else { return }
    if let former = tracks[index].addresses.firstIndex(of: address) {
      tracks[index].addresses.remove(at: former)
      tracks[index].returns += 1
    }
    tracks[index].addresses.append(address)
    if tracks[index].addresses.count > Self.addresses { tracks[index].addresses.removeFirst() }
  }

  private mutating func pass(to time: Timestamp) {
    let now = time.microseconds / 1_000_000
    defer { second = now }
    guard let second, now != second else { return }
    last.append(sums.mapValues { $0.sum / Double($0.count) })
    sums = [:]
    if last.count > Self.span { last.removeFirst() }
    if now - second > Self.span { last = [] }
    var levels: [Int: (sum: Double, count: Int)] = [:]
    for (index, level) in last.joined() {
      levels[index] = ((levels[index]?.sum ?? 0) + level, (levels[index]?.count ?? 0) + 1)
    }
    let means = levels.mapValues { $0.sum / Double($0.count) }
    if walk.count < Self.longest { walk.append(means) }
    for (index, level) in means where level > tracks[index].best ?? -.infinity {
      tracks[index].best = level
      tracks[index].peak = means
    }
  }

  // MARK: Faults

  /// The plan's beacons, in the order of its file.
  package var beacons: [Beacon] {
    var examined = self
    examined.pass(to: Timestamp(microseconds: ((second ?? 0) + 1) * 1_000_000))
    return examined.judged
  }

  private var judged: [Beacon] {
    let homes = self.homes
    return tracks.indices.map { index in
      let track = tracks[index]
      var beacon = Beacon(best: track.best, telemetry: track.telemetry)
      if track.returns >= Self.returns { beacon.faults.append(.twice) }
      if homes[index] != index {
        let home = homes[index]
        beacon.faults.append(homes[home] == index ? .swapped(with: home) : .inPlace(of: home))
      } else if track.best == nil {
        beacon.faults.append(wasReached(index) ? .missing : .notReached)
      } else if let missing = deficit(of: index, homes), missing >= Self.deficit {
        beacon.faults.append(.weak(Int(missing.rounded())))
      } else if level(of: index, in: track.peak) < Self.reach, !wasReached(index) {
        beacon.faults.append(.notReached)
      }
      if let volts = track.telemetry?.volts, volts < Self.low.volts {
        beacon.faults.append(.lowBattery)
      } else if let percent = track.telemetry?.percent, percent < Self.low.percent {
        beacon.faults.append(.lowBattery)
      }
      return beacon
    }
  }

  private func level(of index: Int, in levels: Levels) -> Double {
    (levels[index] ?? -.infinity) - tracks[index].power
  }

  /// Whether the walk came near another beacon of the same room.
  private func wasReached(_ index: Int) -> Bool {
    plan.exhibits.indices.contains { other in
      other != index && isSameRoom(other, index)
        && level(of: other, in: tracks[other].peak) >= Self.reach
    }
  }

  private func isSameRoom(_ first: Int, _ second: Int) -> Bool {
    plan.exhibits[first].identity.major == plan.exhibits[second].identity.major
  }

  /// The expected level in front of an exhibit of a beacon that hangs in a place, relative to the power at 1 m.
  private func expected(_ home: Int, inFrontOf place: Int) -> Double? {
    plan.exhibits[place].position.flatMap { here in
      expected(home, at: Spot(point: here, major: plan.exhibits[place].identity.major))
    }
  }

  private func expected(_ home: Int, at spot: Spot) -> Double? {
    guard let there = plan.exhibits[home].position else { return nil }
    let distance = max(1, spot.point.distance(to: there))
    let isInside = plan.exhibits[home].identity.major == spot.major
    return -10 * exponent * DeterministicMath.log10(distance) - (isInside ? 0 : wall)
  }

  /// The differences of levels from the expected ones in front of an exhibit, without some beacons.
  private func errors(
    _ levels: Levels,
    inFrontOf place: Int,
    without left: Set<Int>,
    _ homes: [Int]
  )
    -> [Double]
  {
    levels.sorted { $0.key < $1.key }.compactMap { index, level in
      guard !left.contains(index), let expected = expected(homes[index], inFrontOf: place) else {
        return nil
      }
      return level - tracks[index].power - expected
    }
  }

  // MARK: Places

  /// The exhibit in whose place each beacon hangs.
  private var homes: [Int] {
    var homes = Array(tracks.indices)
    let near = homes.filter { index in
      tracks[index].returns < Self.returns
        && level(of: index, in: tracks[index].peak) >= Self.reach
    }
    // The clearest exchange first: then the others are compared with corrected places.
    while let pair = exchange(near.filter { homes[$0] == $0 }, homes) {
      (homes[pair.0], homes[pair.1]) = (pair.1, pair.0)
    }
    for index in near where homes[index] == index {
      let places = tracks.indices.filter { $0 != index }
        .map { (place: $0, gain: gain(index, in: $0, homes)) }
      if let best = places.max(by: { ($0.gain, $1.place) < ($1.gain, $0.place) }),
        best.gain >= Self.evidence, walkGain(index, in: best.place, homes) >= Self.evidence
      {
        homes[index] = best.place
      }
    }
    return homes
  }

  /// The two beacons for whose exchange most speaks; `nil` for none.
  private func exchange(_ near: [Int], _ homes: [Int]) -> (Int, Int)? {
    var found: (pair: (Int, Int), gain: Double)?
    for (offset, first) in near.enumerated() {
      for second in near.dropFirst(offset + 1) {
        let gains = (gain(first, in: second, homes), gain(second, in: first, homes))
        let sum = gains.0 + gains.1
        guard min(gains.0, gains.1) > 0, sum >= Self.exchangeEvidence, sum > found?.gain ?? 0,
          walkGain(first, in: second, homes) > 0, walkGain(second, in: first, homes) > 0
        else { continue }
        found = ((first, second), sum)
      }
    }
    return found?.pair
  }

  /// How much better the levels at a beacon's loudest fit another place than its own, in squared deviations.
  private func gain(_ index: Int, in place: Int, _ homes: [Int]) -> Double {
    let squares = { (spot: Int) -> Double? in
      let errors = errors(tracks[index].peak, inFrontOf: spot, without: [index, place], homes)
      guard errors.count >= Self.fewest else { return nil }
      let middle = errors.sorted()[errors.count / 2]
      return errors.reduce(0) { sum, error in
        let deviations = min((error - middle).magnitude / Self.deviation, Self.most)
        return sum + deviations * deviations
      }
    }
    guard let own = squares(index), let other = squares(place) else { return 0 }
    return own - other
  }

  // MARK: The walk

  /// A place of the walker.
  private struct Spot {
    var point: Plan.Point
    var major: UInt16?
  }

  /// How much better a beacon's levels on the walk fit another place than its own, in squared deviations.
  ///
  /// The other beacons tell the walker's place. The seconds of a place count once: what weakens a signal there stays.
  private func walkGain(_ index: Int, in place: Int, _ homes: [Int]) -> Double {
    let spots = spots(around: index) + spots(around: place)
    var sums: [Int: (sum: Double, count: Int)] = [:]
    for levels in walk
    where max(level(of: index, in: levels), level(of: place, in: levels)) >= Self.nearby {
      guard levels[index] != nil,
        let found = locate(levels, among: spots, without: [index, place], homes)
      else { continue }
      let known = sums[found.spot] ?? (0, 0)
      sums[found.spot] = (
        known.sum + level(of: index, in: levels) - found.offset, known.count + 1
      )
    }
    return sums.sorted { $0.key < $1.key }.reduce(0) { gain, entry in
      let mean = entry.value.sum / Double(entry.value.count)
      let square = { (home: Int) -> Double in
        guard let expected = expected(home, at: spots[entry.key]) else { return 0 }
        let deviations = min((mean - expected).magnitude / Self.walkDeviation, Self.most)
        return deviations * deviations
      }
      return gain + square(index) - square(place)
    }
  }

  /// The places around an exhibit, a meter apart.
  private func spots(around index: Int) -> [Spot] {
    let exhibit = plan.exhibits[index]
    guard let middle = exhibit.position,
      let room = plan.room(major: exhibit.identity.major)
    else { return [] }
    let steps = -Self.surroundings...Self.surroundings
    return steps.flatMap { right in
      steps.compactMap { down in
        let point = middle + Plan.Point(Double(right), Double(down))
        guard point.distance(to: middle) <= Double(Self.surroundings),
          let room = room.outline.isEmpty ? room : plan.room(at: point, level: room.level)
        else { return nil }
        return Spot(point: point, major: room.major)
      }
    }
  }

  /// The walker's place in a second, and by how much their body and receiver change all levels; `nil` if too few beacons
  /// tell it.
  private func locate(
    _ levels: Levels,
    among spots: [Spot],
    without left: Set<Int>,
    _ homes: [Int]
  ) -> (spot: Int, offset: Double)? {
    let others = levels.filter { !left.contains($0.key) && plan.exhibits[$0.key].position != nil }
      .sorted { $0.key < $1.key }
    guard others.count >= Self.fewest else { return nil }
    var best: (spot: Int, offset: Double, squares: Double)?
    for (index, spot) in spots.enumerated() {
      let errors = others.compactMap { other in
        expected(homes[other.key], at: spot).map { other.value - tracks[other.key].power - $0 }
      }
      let middle = errors.sorted()[errors.count / 2]
      let squares = errors.reduce(0) { sum, error in
        let deviations = min((error - middle).magnitude / Self.deviation, Self.most)
        return sum + deviations * deviations
      }
      if squares < best?.squares ?? .infinity { best = (index, middle, squares) }
    }
    return best.map { ($0.spot, $0.offset) }
  }

  /// By how much a beacon is weaker than expected in front of the others: the median, in dB.
  private func deficit(of index: Int, _ homes: [Int]) -> Double? {
    let missing = tracks.indices.compactMap { place -> Double? in
      let levels = tracks[place].peak
      guard place != index, homes[place] == place, isSameRoom(place, index),
        level(of: place, in: levels) >= Self.reach, levels[index] != nil,
        let expected = expected(index, inFrontOf: place)
      else { return nil }
      // The walker's body and receiver weaken all beacons.
      let others = errors(levels, inFrontOf: place, without: [index, place], homes).sorted()
      let offset = others.isEmpty ? 0 : others[others.count / 2]
      return expected + offset - level(of: index, in: levels)
    }
    .sorted()
    return missing.isEmpty ? nil : missing[missing.count / 2]
  }
}
