// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// The beacons of a plan as they are received on a walk from exhibit to exhibit, and their faults.
///
/// All levels together tell the walker's way. A beacon hangs in another place if the whole walk clearly fits that better,
/// and the walker stood in front of it. Who did not stand in front of a beacon, or of most others of its room, knows no
/// more than that it was not reached.
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
  /// A level of so much less than that at 1 m was received in front of the beacon.
  private static let front = -9.0
  /// A beacon is weak if it misses so many dB in front of its neighbors, and so many at its own greatest level; and the
  /// least number of such neighbors.
  private static let (deficit, ownDeficit, fewest) = (11.0, 2.0, 3)
  /// The seconds that the walker stood within so many meters in front of an exhibit, or was within more in its room; and
  /// the meters around another place in which a beacon hangs.
  private static let (stood, inFront, came, nearby, around) = (3, 3.5, 5, 4.0, 5.0)
  /// A silent room was passed if the walker was so many seconds in front of one of its exhibits, or if one of its beacons
  /// should have been received with so much more than the least level for so long.
  private static let (passed, margin, expected) = (5, Float(10), 20)
  /// The squared deviations by which a walk must fit better if two beacons hang in each other's places, or one in another
  /// place: good beacons exceed it on 4 of 120 simulated visits.
  private static let (exchangeEvidence, evidence) = (Float(15), Float(22))
  /// The least gain by a quick estimate, from levels of a near beacon, and the most changes that are then tried.
  private static let (worthwhile, mostTried) = (Float(-6), 12)
  /// The seconds of a walk that are kept: two hours.
  private static let longest = 7200
  /// The addresses that are compared, and how often one must come back.
  private static let (addresses, returns) = (8, 3)
  /// Volts and per cent below which a battery is low, as for a fleet.
  private static let low = (volts: 2.4, percent: 20)

  private let plan: Plan
  private let indices: [BeaconIdentity: Int]
  private let exponent: Double
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
    let fit = whole
    let homes = fit?.homes ?? Array(tracks.indices)
    let silent = silentRooms(fit)
    return tracks.indices.map { index in
      let track = tracks[index]
      var beacon = Beacon(best: track.best, telemetry: track.telemetry)
      if track.returns >= Self.returns { beacon.faults.append(.twice) }
      if homes[index] != index {
        let home = homes[index]
        beacon.faults.append(homes[home] == index ? .swapped(with: home) : .inPlace(of: home))
      } else if silent.contains(plan.exhibits[index].identity.major) {
        beacon.faults.append(.missing)
      } else if track.best == nil {
        let isMissing = wasReached(index) && (fit.map { came(to: index, $0) } ?? true)
        beacon.faults.append(isMissing ? .missing : .notReached)
      } else if let fit, let missing = deficit(of: index, fit) {
        beacon.faults.append(.weak(Int(missing.rounded())))
      } else if best(index) < Self.reach, !(fit.map { came(to: index, $0) } ?? wasReached(index)) {
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

  /// The greatest level of a beacon, relative to the power at 1 m.
  private func best(_ index: Int) -> Double {
    (tracks[index].best ?? -.infinity) - tracks[index].power
  }

  private func level(of index: Int, in levels: Levels) -> Double {
    (levels[index] ?? -.infinity) - tracks[index].power
  }

  /// Whether the walk came near another beacon of the same room.
  private func wasReached(_ index: Int) -> Bool {
    neighbors(of: index).contains { best($0) >= Self.reach }
  }

  private func neighbors(of index: Int) -> [Int] {
    let major = plan.exhibits[index].identity.major
    return plan.exhibits.indices.filter {
      $0 != index && plan.exhibits[$0].identity.major == major
    }
  }

  private func stood(at index: Int, _ fit: WalkFit, on path: [Int]) -> Bool {
    fit.seconds(near: index, within: Self.inFront, on: path) >= Self.stood
  }

  /// Whether the walker stood in front of an exhibit, or was in its room around it.
  private func came(to index: Int, _ fit: WalkFit) -> Bool {
    plan.exhibits[index].position == nil || stood(at: index, fit, on: fit.path)
      || fit.seconds(near: index, within: Self.nearby, on: fit.path) >= Self.came
  }

  /// The majors of rooms of which no beacon was received, although the walk passed through.
  private func silentRooms(_ fit: WalkFit?) -> Set<UInt16> {
    guard let fit, let least = fit.levels.compactMap({ $0.values.min() }).min() else { return [] }
    let rooms = Dictionary(grouping: plan.exhibits.indices) { plan.exhibits[$0].identity.major }
    return Set(
      rooms.filter { _, beacons in
        beacons.allSatisfy { tracks[$0].best == nil }
          && beacons.contains {
            fit.seconds(near: $0, within: Self.inFront, on: fit.path) >= Self.passed
              || fit.seconds(expecting: least + Self.margin, of: $0) >= Self.expected
          }
      }.keys
    )
  }

  // MARK: Places

  /// The fit of the walk, with the places in which the beacons hang; `nil` for a plan without places.
  private var whole: WalkFit? {
    let levels = walk.map { levels in
      Dictionary(
        uniqueKeysWithValues: levels.map { ($0.key, Float($0.value - tracks[$0.key].power)) }
      )
    }
    guard
      var fit = WalkFit(
        plan,
        levels: levels,
        exponent: exponent,
        wall: GuideConfiguration().wallLoss
      )
    else { return nil }
    let near = tracks.indices.filter {
      tracks[$0].returns < Self.returns && best($0) >= Self.front
        && plan.exhibits[$0].position != nil
    }
    // The clearest exchange first: then the others are compared with corrected places. Three or more in a circle are several.
    for _ in near {
      let pairs = near.indices.flatMap { first in
        near[(first + 1)...].map { second in
          [
            WalkFit.Move(beacon: near[first], home: fit.homes[second]),
            WalkFit.Move(beacon: second, home: fit.homes[near[first]]),
          ]
        }
      }
      guard perform(pairs, on: &fit, Self.exchangeEvidence) else { break }
    }
    let places = plan.exhibits.indices.filter { plan.exhibits[$0].position != nil }
    for index in near where fit.homes[index] == index {
      let moves = places.filter { $0 != index }.map { [WalkFit.Move(beacon: index, home: $0)] }
      _ = perform(moves, on: &fit, Self.evidence)
    }
    return fit
  }

  /// Performs the change of beacons' places for which most speaks; `false` without a clear one.
  private func perform(
    _ changes: [[WalkFit.Move]],
    on fit: inout WalkFit,
    _ evidence: Float
  ) -> Bool {
    let likely = changes.map { (moves: $0, gain: fit.estimate(of: $0)) }
      .filter { $0.gain >= Self.worthwhile }.enumerated()
      .sorted { ($1.element.gain, $0.offset) < ($0.element.gain, $1.offset) }
      .prefix(Self.mostTried)
    var found: (moves: [WalkFit.Move], gain: Float)?
    for (_, change) in likely {
      let way = fit.way(with: change.moves)
      let gain = fit.cost - way.cost
      guard gain >= evidence, gain > found?.gain ?? 0,
        change.moves.allSatisfy({
          fit.seconds(near: $0.home, within: Self.around, on: way.path) >= Self.stood
        })
      else { continue }
      found = (change.moves, gain)
    }
    guard let found else { return false }
    fit.perform(found.moves)
    return true
  }

  /// By how much a beacon is weaker than expected in front of most others of its room, in dB; `nil` if that is little, or
  /// not known.
  private func deficit(of index: Int, _ fit: WalkFit) -> Double? {
    guard let place = plan.exhibits[index].position,
      Double(fit.offset) - best(index) >= Self.ownDeficit,
      let least = fit.levels.compactMap({ $0.values.min() }).min()
    else { return nil }
    var (all, received): ([Double], [Double]) = ([], [])
    for other in neighbors(of: index) where best(other) >= Self.front {
      guard let there = plan.exhibits[other].position, fit.homes[other] == other else { continue }
      let distance = max(1, there.distance(to: place))
      let expected = Double(fit.offset) - 10 * exponent * DeterministicMath.log10(distance)
      let level = level(of: index, in: tracks[other].peak)
      all.append(expected - max(level, Double(least)))
      if level > -.infinity { received.append(expected - level) }
    }
    guard all.count >= Self.fewest, !received.isEmpty else { return nil }
    let missing = all.sorted()[all.count / 2]
    guard min(missing, received.sorted()[received.count / 2]) >= Self.deficit,
      // Its own level would draw the walker away from it.
      stood(at: index, fit, on: fit.way(without: index))
    else { return nil }
    return missing
  }
}
