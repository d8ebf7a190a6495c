// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The beacons of a plan that hang in other places, and those that are weak, by the levels of a walk.
///
/// A beacon that was loudest near its own place is not examined further. For one that was loudest near another exhibit, the
/// way is searched again by the levels of all others, and the beacon's levels along it are compared with those expected in
/// both places, whatever the beacon's power. If many beacons were loudest away from any place of theirs, the plan, or the
/// way, is another one than it seems, and nothing is found.
struct PlaceFindings: Sendable {
  /// How many of how many beacons were loudest elsewhere, if so many were that nothing can be found.
  struct Doubt: Sendable, Equatable {
    var elsewhere: Int
    var beacons: Int
  }

  /// The exhibit in whose place each beacon hangs.
  private(set) var homes: [Int]
  /// By how many dB a beacon is weaker than the walk's others, if that is clear.
  private(set) var missing: [Int: Double] = [:]
  /// Why nothing can be found; `nil` if the walk fits the plan.
  private(set) var doubt: Doubt?

  /// The seconds around a beacon's greatest level that show the walker's place, and the dB below it that count too.
  private static let (around, loud) = (12, Float(2))
  /// A beacon is in its place if it was loudest within so many meters of it; elsewhere beyond more.
  private static let (own, elsewhere) = (2.5, 4.0)
  /// Another exhibit's place is examined within so many meters, and if it is nearer by so many; and how many places are.
  private static let (near, nearer, most) = (3.5, 1.0, 3)
  /// The levels within so many meters tell a beacon's place, and within fewer its power.
  private static let (placed, powered) = (8.0, 6.0)
  /// The deviation of a level at a place in dB, and the most deviations that a place counts.
  private static let (deviation, outlier) = (Float(5), Float(2.5))
  /// The squared deviations by which the levels must fit better if two beacons hang in each other's places, or one in
  /// another place.
  private static let (exchangeEvidence, evidence) = (Float(15), Float(22))
  /// The evidence that a beacon of an exchange may have against it, and for a third place.
  private static let (against, third) = (Float(3), Float(8))
  /// By how many dB a beacon's power may differ from the plan's, and the walker's loss from the usual one.
  private static let power = Float(5)
  /// A beacon is weak if it misses so many dB, and so many deviations of the walk's beacons; and the places that tell it.
  private static let (deficit, deviations, fewest) = (Float(9), Float(3), 4)
  /// The beacons that may be elsewhere, and which part of all.
  private static let (few, part) = (2, 5)

  private struct Suspect {
    var beacon: Int
    var homes: [Int]
    var isElsewhere: Bool
  }

  /// Creates the findings of a walk.
  ///
  /// - Parameters:
  ///   - fit: The walk.
  ///   - loud: The beacons that the walker was in front of, wherever they hang.
  ///   - reached: The beacons whose places the walker came to.
  ///   - exhibits: The indices of all exhibits.
  init(_ fit: WalkFit, loud: [Int], reached: [Int], exhibits: Range<Int>) {
    homes = Array(exhibits)
    let suspects = loud.compactMap { Self.suspect($0, fit, exhibits) }
    let elsewhere = suspects.count(where: \.isElsewhere)
    let limit = max(Self.few, loud.count / Self.part)
    guard elsewhere <= 2 * limit else {
      doubt = Doubt(elsewhere: elsewhere, beacons: loud.count)
      return
    }
    move(suspects, loud: Set(loud), fit)
    let unexplained = suspects.count { $0.isElsewhere && homes[$0.beacon] == $0.beacon }
    guard unexplained <= limit else {
      doubt = Doubt(elsewhere: unexplained, beacons: loud.count)
      homes = Array(exhibits)
      return
    }
    let away = Set(suspects.lazy.filter(\.isElsewhere).map(\.beacon))
    missing = weak(reached.filter { homes[$0] == $0 && !away.contains($0) }, fit)
  }

  // MARK: Places

  /// The places of other exhibits near which a beacon was loudest, by the levels of all others; `nil` if it was loudest near
  /// its own.
  private static func suspect(_ beacon: Int, _ fit: WalkFit, _ exhibits: Range<Int>) -> Suspect? {
    let heard = fit.levels.indices.compactMap { second in
      fit.levels[second][beacon].map { (second: second, level: $0) }
    }
    guard let loudest = heard.max(by: { ($0.level, $1.second) < ($1.level, $0.second) }) else {
      return nil
    }
    let seconds =
      max(0, loudest.second - around)..<min(fit.levels.count, loudest.second + around + 1)
    let path = fit.way(without: [beacon], in: seconds)
    let spots = zip(seconds, path).filter { second, _ in
      fit.levels[second][beacon] ?? -.infinity >= loudest.level - loud
    }.map(\.1)
    func meters(_ home: Int, at spot: Int) -> Double {
      fit.place(spot, from: home).map { $0.isInRoom ? $0.meters : .infinity } ?? .infinity
    }
    guard let spot = spots.min(by: { meters(beacon, at: $0) < meters(beacon, at: $1) }) else {
      return nil
    }
    let here = meters(beacon, at: spot)
    guard here > own else { return nil }
    let others = exhibits.map { (home: $0, meters: meters($0, at: spot)) }
      .filter { $0.home != beacon && $0.meters <= min(near, here - nearer) }
      .sorted { ($0.meters, $0.home) < ($1.meters, $1.home) }
    return Suspect(
      beacon: beacon,
      homes: others.prefix(most).map(\.home),
      isElsewhere: here > elsewhere
    )
  }

  private mutating func move(_ suspects: [Suspect], loud: Set<Int>, _ fit: WalkFit) {
    var moves: [(beacon: Int, home: Int, gain: Float, isExchange: Bool)] = []
    let candidates = Dictionary(suspects.map { ($0.beacon, $0.homes) }) { first, _ in first }
    for suspect in suspects {
      for home in suspect.homes {
        let path = fit.way(without: [suspect.beacon, home], in: fit.levels.indices)
        let gain = Self.gain(of: suspect.beacon, in: home, fit, path)
        if loud.contains(home) {
          let other = Self.gain(of: home, in: suspect.beacon, fit, path)
          // The other one of an exchange fits no third place better.
          let third = (candidates[home] ?? []).filter { $0 != suspect.beacon }
            .map { Self.gain(of: home, in: $0, fit, path) }.max()
          if other + Self.third >= third ?? other, min(gain, other) > -Self.against,
            gain + other >= Self.exchangeEvidence
          {
            moves.append((suspect.beacon, home, gain + other, true))
          }
        }
        if gain >= Self.evidence { moves.append((suspect.beacon, home, gain, false)) }
      }
    }
    moves.sort { ($1.gain, $0.beacon, $0.home) < ($0.gain, $1.beacon, $1.home) }
    for move in moves where move.isExchange {
      guard homes[move.beacon] == move.beacon, homes[move.home] == move.home else { continue }
      (homes[move.beacon], homes[move.home]) = (move.home, move.beacon)
    }
    for move in moves where !move.isExchange && homes[move.beacon] == move.beacon {
      homes[move.beacon] = move.home
    }
  }

  /// By how many squared deviations a beacon's levels fit another place better than its own.
  private static func gain(of beacon: Int, in home: Int, _ fit: WalkFit, _ path: [Int]) -> Float {
    let errors = fit.errors(
      of: beacon,
      in: [beacon, home],
      within: placed,
      throughWalls: true,
      on: path
    )
    return cost(errors[0]) - cost(errors[1])
  }

  /// The squared deviations of errors from their middle, as far as that can be the beacon's power.
  private static func cost(_ errors: [Float]) -> Float {
    let middle = max(-power, min(median(errors) ?? 0, power))
    return errors.reduce(0) { sum, error in
      let deviations = min((error - middle).magnitude / deviation, outlier)
      return sum + deviations * deviations
    }
  }

  private static func median(_ values: [Float]) -> Float? {
    values.isEmpty ? nil : values.sorted()[values.count / 2]
  }

  // MARK: Powers

  /// The beacons that are clearly weaker than the others, each in its place.
  private func weak(_ reached: [Int], _ fit: WalkFit) -> [Int: Double] {
    let errors = reached.compactMap { beacon in
      Self.error(of: beacon, fit, fit.path).map { (beacon: beacon, error: $0) }
    }
    guard let middle = Self.median(errors.map(\.error)),
      let spread = Self.median(errors.map { ($0.error - middle).magnitude })
    else { return [:] }
    // The middle magnitude of normal numbers is two thirds of their deviation.
    let limit = middle - max(Self.deficit, Self.deviations * spread * 1.5)
    var missing: [Int: Double] = [:]
    for (beacon, error) in errors where error <= limit {
      // Its own levels would draw the walker away from it.
      let path = fit.way(without: [beacon], in: fit.levels.indices)
      guard fit.seconds(near: beacon, within: Self.near, on: path) >= Self.fewest,
        let error = Self.error(of: beacon, fit, path), error <= limit
      else { continue }
      missing[beacon] = Double(middle - error)
    }
    return missing
  }

  /// By how much a beacon's levels around its place differ from the expected ones.
  private static func error(of beacon: Int, _ fit: WalkFit, _ path: [Int]) -> Float? {
    // Through a wall the expected level is less sure.
    let errors = fit.errors(
      of: beacon,
      in: [beacon],
      within: powered,
      throughWalls: false,
      on: path
    )[0]
    return errors.count < fewest ? nil : median(errors)
  }
}
