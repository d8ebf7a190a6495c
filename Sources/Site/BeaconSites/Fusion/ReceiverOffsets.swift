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
  /// The second of two sums has less of each place, and needs less: several places are better evidence than one. On walks whose
  /// receivers had not changed, an assumption about one place reached 63.
  private static let emptySums = [
    Gains(margin: 70, mostOfPlace: 80), Gains(margin: 22, mostOfPlace: 15),
  ]
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
  private var sums: [Gains]

  init(_ tables: PlaceTables) {
    let receivers = tables.receiverCount
    offsets = Array(repeating: 0, count: receivers)
    let signs = [Self.step, -Self.step]
    assumptions =
      [(nil, 0)] + (0..<receivers).flatMap { receiver in signs.map { (receiver, $0) } }
      + signs.map { (nil, $0) }
    sums = Self.emptySums
    for index in sums.indices { sums[index].start(assumptions.count, places: tables.placeCount) }
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
    let gains = explained.map { $0 - explained[0] }
    for index in sums.indices { sums[index].add(gains, in: place) }
  }

  /// Adopts the best assumption about a receiver if it is far better than all others.
  ///
  /// - Parameter identities: The beacons that are still followed.
  mutating func adopt(_ identities: some Collection<BeaconIdentity>) {
    // Swift 6.2 compiles `removeAll(where:)` of this type to other bytes each time.
    beacons = beacons.filter { identities.contains($0.identity) }
    guard let best = sums.lazy.compactMap({ $0.best }).first,
      let receiver = assumptions[best].receiver,
      abs(offsets[receiver] + assumptions[best].offset) <= Self.bound
    else { return }
    offsets[receiver] += assumptions[best].offset
    for index in sums.indices {
      sums[index].start(assumptions.count, places: sums[index].placeCount)
    }
    for index in beacons.indices {
      let belief = beacons[index].beliefs[best]
      beacons[index].beliefs = Array(repeating: belief, count: assumptions.count)
    }
  }
}

extension ReceiverOffsets {
  /// How much better each assumption explains the levels than the first one.
  private struct Gains: Sendable {
    let margin: Double
    /// The most that one place counts for an assumption: other places, and later beacons, can outweigh it.
    let mostOfPlace: Double
    private var all: [Double] = []
    /// How much of that comes from each place, which is a row.
    private var ofPlaces: [[Double]] = []

    init(margin: Double, mostOfPlace: Double) {
      (self.margin, self.mostOfPlace) = (margin, mostOfPlace)
    }

    var placeCount: Int { ofPlaces.count }

    mutating func start(_ assumptions: Int, places: Int) {
      all = Array(repeating: 0, count: assumptions)
      ofPlaces = Array(repeating: all, count: places)
    }

    mutating func add(_ gains: [Double], in place: Int) {
      for (number, gain) in gains.enumerated() {
        let before = ofPlaces[place][number]
        let after = min(max(before + gain, least), mostOfPlace)
        ofPlaces[place][number] = after
        all[number] = max(all[number] + min(gain, max(0, after - before)), least)
      }
    }

    /// The best assumption if it is far better than all others; the last two are about all receivers.
    var best: Int? {
      guard let best = all.indices.max(by: { all[$0] < all[$1] }),
        max(0, all[all.count - 2], all[all.count - 1]) + margin / 2 < all[best]
      else { return nil }
      return all[best] > margin ? best : nil
    }
  }
}

extension ReceptionSecond.Evidence {
  /// The same at a receiver that receives everything weaker.
  fileprivate func weaker(by decibels: Double) -> Self {
    if case .level(let level) = self { .level(level - decibels) } else { self }
  }
}
