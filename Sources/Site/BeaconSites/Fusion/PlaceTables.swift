// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The factors of the filter over places: likelihoods of each second's evidence, and probabilities of moves.
///
/// All of it comes from the counts of a ``SiteModel``. Besides its places there is *elsewhere*, outside of the survey: there
/// each receiver may receive any level that the site has, whatever the others receive. So a combination of levels that no
/// place explains counts against all of them, unless the place that was likely before has levels near to them.
struct PlaceTables: Sendable {
  /// How much a second of evidence counts.
  ///
  /// Seconds that follow one another are not independent: who stands in a corner stands there for a while. At 1 there
  /// are more moves, and a sure place is wrong more often; at 0.5 a move is delivered a second later.
  static let evidenceWeight = 0.7
  /// Half of the binomial coefficients that spread a count over the neighboring levels, with a standard deviation of
  /// 2 dB: a minute of survey meets few of the levels that the place has.
  static let spread = 8
  /// The same for another beacon or corner than the survey's, with a standard deviation of 3 dB.
  ///
  /// What this explains better than ``spread`` does not count for elsewhere.
  static let wideSpread = 18
  /// Seconds of every level alike that a place has besides those that the survey counted: a short survey is not enough.
  static let anyLevel = 2.0
  /// The share of a place's received seconds whose levels can be any, however long the survey was: the next beacon lies
  /// in another corner.
  static let unlikeLevels = 0.1
  /// The share of a place's seconds that are silent, or received, however long the survey was.
  static let unlikeSilence = 0.02
  /// Seconds of silence, and of reception, that a place has in addition to the survey's counts.
  static let anySilence = 0.5
  /// How many seconds a person usually stays in a place, and how many seconds of the survey weigh as much as that.
  static let usualStay = 50.0
  /// The share of moves that go to any place, besides the neighbors: a survey does not see every move.
  static let anyMove = 0.1

  /// How probable elsewhere is at first: one beacon of fifty.
  static let elsewhere = 0.02
  /// The probability of a move from a place to elsewhere in a second; from there back it is that of a usual stay.
  static let moveElsewhere = 0.0003
  /// The share of seconds elsewhere in which a receiver does not receive the beacon.
  static let elsewhereSilence = 0.25
  /// The share of received seconds elsewhere whose levels the site does not have.
  static let elsewhereUnlike = 0.1

  /// The number of places of the model; elsewhere has the next number.
  let placeCount: Int
  let receiverCount: Int
  /// For each receiver and kind of second (silence first, then the levels), each place's likelihood, weighted.
  private let likelihoods: [Double]
  /// The same without elsewhere, divided by the likelihood with ``wideSpread``.
  private let fits: [Double]
  /// For each receiver, each place's probability of silence; 1 if the receiver was not surveyed.
  private let silences: [Double]
  /// In how many stays each place was surveyed.
  let stays: [Int]
  /// For each receiver, each place's usual level.
  private let usualLevels: [UsualLevel?]
  /// For each place, the probability of each place a second later, without elsewhere.
  let moves: [Double]
  /// Whether the survey has seconds of each receiver.
  let isSurveyed: [Bool]

  private static let kinds = SiteModel.levels.count + 1

  init(_ model: SiteModel) {
    placeCount = model.places.count
    receiverCount = model.receivers.count
    let kernel = Self.kernel(Self.spread)
    let wideKernel = Self.kernel(Self.wideSpread)
    let elsewhere = Self.elsewhere(model, kernel)
    let count = placeCount + 1
    var likelihoods = [Double](repeating: 1, count: count * receiverCount * Self.kinds)
    var fits = [Double](repeating: 1, count: likelihoods.count)
    var silences = [Double](repeating: 1, count: count * receiverCount)
    var isSurveyed = [Bool](repeating: false, count: receiverCount)
    for receiver in 0..<receiverCount {
      let surveyed = model.places.indices.filter { model.places[$0].levels[receiver].seconds > 0 }
      guard !surveyed.isEmpty else { continue }
      isSurveyed[receiver] = true
      // A place that was surveyed without this receiver is like the others: the receiver is no evidence for it.
      var mean = [Double](repeating: 0, count: Self.kinds)
      var columns = [[Double]](repeating: [], count: model.places.count)
      for place in surveyed {
        let levels = model.places[place].levels[receiver]
        columns[place] = Self.probabilities(levels, kernel)
        let wide = Self.probabilities(levels, wideKernel)
        for kind in mean.indices {
          mean[kind] += columns[place][kind] / Double(surveyed.count)
          fits[(receiver * Self.kinds + kind) * count + place] =
            DeterministicMath.pow(columns[place][kind] / wide[kind], Self.evidenceWeight)
        }
      }
      for (place, column) in (columns + [elsewhere]).enumerated() {
        let column = column.isEmpty ? mean : column
        silences[receiver * count + place] = column[0]
        for kind in 0..<Self.kinds {
          likelihoods[(receiver * Self.kinds + kind) * count + place] =
            DeterministicMath.pow(column[kind], Self.evidenceWeight)
        }
      }
    }
    self.likelihoods = likelihoods
    self.fits = fits
    self.silences = silences
    let stays = model.places.indices.map(model.stays)
    self.stays = stays
    usualLevels = model.receivers.indices.flatMap { receiver in
      model.places.indices.map { place in
        UsualLevel(model.places[place].levels[receiver], stays: stays[place])
      }
    }
    self.isSurveyed = isSurveyed
    moves = Self.moves(model)
  }

  /// The places' likelihoods of some evidence at a receiver; empty without evidence.
  func likelihoods(of evidence: ReceptionSecond.Evidence, at receiver: Int) -> ArraySlice<Double> {
    guard let start = start(of: evidence, at: receiver) else { return [] }
    return likelihoods[start...start + placeCount]
  }

  /// How much better the levels of a place explain a second than its levels spread widely do.
  func fit(of evidence: [ReceptionSecond.Evidence], in place: Int) -> Double {
    evidence.enumerated().reduce(1) { fit, said in
      fit * (start(of: said.element, at: said.offset).map { fits[$0 + place] } ?? 1)
    }
  }

  private func start(of evidence: ReceptionSecond.Evidence, at receiver: Int) -> Int? {
    let kind: Int
    switch evidence {
    case .none: return nil
    case .silence: kind = 0
    case .level(let level): kind = 1 + SiteModel.index(ofLevel: level)
    }
    return (receiver * Self.kinds + kind) * (placeCount + 1)
  }

  /// How probable it is that a receiver which listens does not receive a beacon in a place, in a second.
  func silence(at receiver: Int, in place: Int) -> Double {
    silences[receiver * (placeCount + 1) + place]
  }

  /// The usual level of a place at a receiver; `nil` if it was not surveyed.
  func usualLevel(at receiver: Int, in place: Int) -> UsualLevel? {
    usualLevels[receiver * placeCount + place]
  }

  // MARK: Levels

  /// The binomial coefficients, divided by their sum.
  private static func kernel(_ spread: Int) -> [Double] {
    var kernel = [1.0]
    for _ in 0..<2 * spread {
      kernel = (0...kernel.count).map { index in
        let left = index > 0 ? kernel[index - 1] : 0
        let right = index < kernel.count ? kernel[index] : 0
        return (left + right) / 2
      }
    }
    return kernel
  }

  /// The probability of silence, and of each level.
  private static func probabilities(_ levels: SiteModel.Levels, _ kernel: [Double]) -> [Double] {
    let spreadCounts = spreadCounts(levels.counts, kernel)
    let heard = Double(levels.heard)
    let counted =
      (Double(levels.silent) + anySilence) / (Double(levels.seconds) + 2 * anySilence)
    let silence = unlikeSilence + (1 - 2 * unlikeSilence) * counted
    let uniform = 1 / Double(spreadCounts.count)
    return [silence]
      + spreadCounts.map { count in
        let level = (count + anyLevel * uniform) / (heard + anyLevel)
        return (1 - silence) * ((1 - unlikeLevels) * level + unlikeLevels * uniform)
      }
  }

  /// The probability of silence, and of each level, outside of the survey.
  private static func elsewhere(_ model: SiteModel, _ kernel: [Double]) -> [Double] {
    var counts = [Int](repeating: 0, count: SiteModel.levels.count)
    for levels in model.places.flatMap(\.levels) {
      for (index, count) in levels.counts.enumerated() { counts[index] += count }
    }
    let heard = Double(max(1, counts.reduce(0, +)))
    let uniform = 1 / Double(counts.count)
    return [elsewhereSilence]
      + spreadCounts(counts, kernel).map { count in
        let level = (1 - elsewhereUnlike) * count / heard + elsewhereUnlike * uniform
        return (1 - elsewhereSilence) * level
      }
  }

  private static func spreadCounts(_ counts: [Int], _ kernel: [Double]) -> [Double] {
    var spreadCounts = [Double](repeating: 0, count: counts.count)
    for (index, count) in counts.enumerated() where count > 0 {
      for (offset, weight) in kernel.enumerated() {
        let level = min(max(index + offset - kernel.count / 2, 0), spreadCounts.count - 1)
        spreadCounts[level] += Double(count) * weight
      }
    }
    return spreadCounts
  }

  // MARK: Moves

  private static func moves(_ model: SiteModel) -> [Double] {
    let count = model.places.count
    var moves = [Double](repeating: 0, count: count * count)
    for (index, place) in model.places.enumerated() {
      guard count > 1 else { return [1] }
      let left = place.moves.enumerated().reduce(0) { $0 + ($1.offset == index ? 0 : $1.element) }
      let stays = max(Double(place.seconds), Double(left))
      let leaves = min((Double(left) + 1) / (stays + usualStay), 0.5)
      var weights = place.moves.map { $0 > 0 ? Double($0) + 1 : 0 }
      for neighbor in place.neighbors where weights[neighbor] == 0 { weights[neighbor] = 1 }
      weights[index] = 0
      let total = weights.reduce(0, +)
      let any = total > 0 ? anyMove : 1
      for other in 0..<count where other != index {
        let usual = total > 0 ? weights[other] / total * (1 - any) : 0
        moves[index * count + other] = leaves * (usual + any / Double(count - 1))
      }
      moves[index * count + index] = 1 - leaves
    }
    return moves
  }
}
