// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// By how much each receiver's levels differ from those of the survey, learned from the beacons that are received.
///
/// The belief about a beacon is also followed as if one receiver received everything stronger, or weaker, than in the survey. An
/// assumption that explains the levels of some minutes far better than none is adopted. It is not adopted if all
/// receivers together explain them as well: then the beacon is another one. Everything follows from the inputs of the run.
package struct ReceiverOffsets: Sendable {
  /// The offset that is assumed, in decibels: less is within what corners of a place differ by.
  static let step = 6.0
  /// The largest offset: a receiver that differs by more was moved, and its survey is void.
  package static let bound = 12.0
  /// How much better an assumption must explain the levels: a natural logarithm of probabilities.
  ///
  /// On walks for tuning whose receivers had not changed, the best assumption reached 39.
  static let margin = 60.0
  /// The most that one place counts for an assumption: other places, and later beacons, can outweigh it.
  static let mostOfPlace = 80.0
  /// The least that an assumption has, in a place and in all: an offset that begins later is found as well.
  static let least = -20.0
  /// In how many stays a place must have been surveyed: fewer do not tell an offset from another corner.
  static let fewestStays = 4
  /// How many beacons are followed at a time, and how many multiplications they may cost in a second in a large site.
  private static let (beaconLimit, costLimit) = (8, 4_000_000)

  /// The learned offset of each receiver of the model, in decibels.
  private(set) var offsets: [Double]
  /// The receiver, or `nil` for all of them, and its assumed offset; the first assumption is 0.
  private let assumptions: [(receiver: Int?, offset: Double)]
  private var beacons: [(identity: BeaconIdentity, beliefs: [PlaceProbabilities])] = []
  private let limit: Int
  /// How much better each assumption explains the levels than the first one.
  private var gains: [Double]
  /// How much of that comes from each place.
  private var gainsOfPlaces: [Double]

  init(_ tables: PlaceTables) {
    let receivers = tables.receiverCount
    offsets = Array(repeating: 0, count: receivers)
    let signs = [Self.step, -Self.step]
    assumptions =
      [(nil, 0)] + (0..<receivers).flatMap { receiver in signs.map { (receiver, $0) } }
      + signs.map { (nil, $0) }
    gains = Array(repeating: 0, count: assumptions.count)
    gainsOfPlaces = Array(repeating: 0, count: assumptions.count * tables.placeCount)
    let cost = assumptions.count * tables.placeCount * (tables.placeCount + receivers)
    limit = max(1, min(Self.beaconLimit, Self.costLimit / max(1, cost)))
  }

  /// Starts with the offsets that an earlier run learned; others than it could have learned count as 0.
  mutating func start(with known: [Int]) {
    offsets = known.map { Double($0) }.map {
      abs($0) <= Self.bound && $0.truncatingRemainder(dividingBy: Self.step) == 0 ? $0 : 0
    }
  }

  /// The evidence of each receiver as the survey's receivers would have it.
  func corrected(_ evidence: [ReceptionSecond.Evidence]) -> [ReceptionSecond.Evidence] {
    zip(evidence, offsets).map { $0.weaker(by: $1) }
  }

  /// Processes the second of a beacon.
  ///
  /// Levels that the survey does not have in the place teach nothing: the beacon may be in an unsurveyed place.
  mutating func take(
    _ identity: BeaconIdentity,
    _ evidence: [ReceptionSecond.Evidence],
    of filter: PlaceFilter,
    followsGap: Bool,
    _ tables: PlaceTables
  ) {
    guard tables.placeCount > 0 else { return }
    var index = beacons.firstIndex { $0.identity == identity }
    if index == nil, beacons.count < limit {
      beacons.append((identity, []))
      index = beacons.count - 1
    }
    guard let index else { return }
    if followsGap || beacons[index].beliefs.isEmpty {
      let belief = PlaceProbabilities(places: tables.placeCount)
      beacons[index].beliefs = Array(repeating: belief, count: assumptions.count)
    }
    let evidence = corrected(evidence)
    var explained = [Double](repeating: 0, count: assumptions.count)
    for (number, assumption) in assumptions.enumerated() {
      beacons[index].beliefs[number].move(tables)
      for (receiver, evidence) in evidence.enumerated() where evidence != .none {
        let isMeant = assumption.receiver.map { $0 == receiver } ?? true
        let probability = beacons[index].beliefs[number].weigh(
          isMeant ? evidence.weaker(by: assumption.offset) : evidence,
          at: receiver,
          tables
        )
        explained[number] += DeterministicMath.log(max(probability, .leastNormalMagnitude))
      }
    }
    let place = beacons[index].beliefs[0].likeliestPlace
    guard filter.misfit <= PlaceFit.unfit, tables.stays[place] >= Self.fewestStays else { return }
    for (number, sum) in explained.enumerated() {
      let gain = sum - explained[0]
      let before = gainsOfPlaces[place * assumptions.count + number]
      let after = min(max(before + gain, Self.least), Self.mostOfPlace)
      gainsOfPlaces[place * assumptions.count + number] = after
      gains[number] = max(gains[number] + min(gain, max(0, after - before)), Self.least)
    }
  }

  /// Adopts the best assumption about a receiver if it is far better than all others.
  ///
  /// - Parameter identities: The beacons that are still followed.
  mutating func adopt(_ identities: some Collection<BeaconIdentity>) {
    // Swift 6.2 compiles `removeAll(where:)` of this type to other bytes each time.
    beacons = beacons.filter { identities.contains($0.identity) }
    guard let best = gains.indices.max(by: { gains[$0] < gains[$1] }),
      let receiver = assumptions[best].receiver, gains[best] > Self.margin,
      max(0, gains[gains.count - 2], gains[gains.count - 1]) + Self.margin / 2 < gains[best],
      abs(offsets[receiver] + assumptions[best].offset) <= Self.bound
    else { return }
    offsets[receiver] += assumptions[best].offset
    for index in gains.indices { gains[index] = 0 }
    for index in gainsOfPlaces.indices { gainsOfPlaces[index] = 0 }
    for index in beacons.indices {
      let belief = beacons[index].beliefs[best]
      beacons[index].beliefs = Array(repeating: belief, count: assumptions.count)
    }
  }
}

extension ReceptionSecond.Evidence {
  /// The same at a receiver that receives everything weaker.
  fileprivate func weaker(by decibels: Double) -> Self {
    if case .level(let level) = self { .level(level - decibels) } else { self }
  }
}
