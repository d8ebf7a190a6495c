// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The distribution of the RSSI of single reports around a beacon's level.
///
/// It consists of noise in both directions and of fades, which only weaken: bodies, walls and cancelling reflections.
/// The depth of a fade differs from place to place, so all depths up to the deepest count as equally likely.
public struct SignalModel: Sendable {
  /// The standard deviation of the noise in dB, 1 to 15.
  public var deviation: Double {
    didSet { self = SignalModel(changing: self) }
  }
  /// The share of reports that are faded, 0 to 0.9.
  public var fadeShare: Double {
    didSet { self = SignalModel(changing: self) }
  }
  /// The largest depth of a fade in dB, 2 to 40.
  public var deepestFade: Double {
    didSet { self = SignalModel(changing: self) }
  }
  /// The likelihoods of each RSSI at all levels, one row for each RSSI; see ``row(of:)``.
  private(set) var likelihoods: [SIMD4<Float>]

  /// 4.5 dB: reports of a beacon at rest scatter by 3 to 6 dB, because the three advertising channels fade
  /// independently.
  public static let defaultDeviation: Double = 4.5
  /// Eighteen percent: measurements in rooms with people give 10 to 30.
  public static let defaultFadeShare: Double = 0.18
  /// 14 dB: a body between beacon and receiver weakens the signal by 10 to 15.
  public static let defaultDeepestFade: Double = 14
  /// The smallest depth of a fade in dB; a smaller one counts as noise.
  package static let lightestFade: Double = 2
  /// The share of reports that the model does not explain, such as errors of a receiver: 2 %.
  ///
  /// It is more than a report's probability of a change of level, so that a single report never counts as a change.
  static let strayShare: Double = 0.02
  /// The number of depths that are evaluated: one for each decibel.
  static let fadeDepths = 13

  /// The model of the default profile.
  public static let standard = SignalModel()

  /// Creates a model; numbers out of their range and NaN are clamped.
  public init(
    deviation: Double = defaultDeviation,
    fadeShare: Double = defaultFadeShare,
    deepestFade: Double = defaultDeepestFade
  ) {
    self.deviation = Self.clamped(deviation, to: 1...15)
    self.fadeShare = Self.clamped(fadeShare, to: 0...0.9)
    self.deepestFade = Self.clamped(deepestFade, to: Self.lightestFade...40)
    likelihoods = Self.likelihoods(
      deviation: self.deviation,
      fadeShare: self.fadeShare,
      deepestFade: self.deepestFade
    )
  }

  /// Clamps the numbers of a changed model, and computes its likelihoods again.
  private init(changing model: SignalModel) {
    self.init(
      deviation: model.deviation,
      fadeShare: model.fadeShare,
      deepestFade: model.deepestFade
    )
  }

  static func clamped(_ value: Double, to range: ClosedRange<Double>) -> Double {
    value > range.lowerBound ? min(value, range.upperBound) : range.lowerBound
  }

  /// Returns the place in ``likelihoods`` of an RSSI's row, which has the order of the groups of ``LevelBelief``.
  @inline(__always)
  static func row(of rssi: Int8) -> Range<Int> {
    let bounded = min(max(Int(rssi), weakest), Int(BayesianFilter.strongest))
    let start = (bounded &- weakest) &* LevelBelief.groupCount
    return start..<start &+ LevelBelief.groupCount
  }

  /// The weakest RSSI that is distinguished, in dBm.
  private static let weakest = Int(BayesianFilter.lowest)

  /// Returns the likelihood, per dB, of a report that is this many dB above a level.
  func likelihood(above: Double) -> Double {
    Self.likelihood(
      above: above,
      deviation: deviation,
      fadeShare: fadeShare,
      deepestFade: deepestFade
    )
  }

  private static func likelihood(
    above: Double,
    deviation: Double,
    fadeShare: Double,
    deepestFade: Double
  ) -> Double {
    func density(_ distance: Double) -> Double {
      let scaled = distance / deviation
      return DeterministicMath.exp(-scaled * scaled / 2) / (deviation * rootOfTwoPi)
    }
    let step = (deepestFade - lightestFade) / Double(fadeDepths - 1)
    var faded = 0.0
    for depth in 0..<fadeDepths { faded += density(above + lightestFade + Double(depth) * step) }
    let explained = (1 - fadeShare) * density(above) + fadeShare * faded / Double(fadeDepths)
    let stray = strayShare / (Double(BayesianFilter.levels) * BayesianFilter.spacing)
    return (1 - strayShare) * explained + stray
  }

  private static func likelihoods(
    deviation: Double,
    fadeShare: Double,
    deepestFade: Double
  ) -> [SIMD4<Float>] {
    // Levels are 1.5 dB apart and an RSSI is in whole decibels, so different rows contain the same numbers. Each number
    // is computed once, for each difference in half decibels between RSSI and level.
    let strongest = Int(BayesianFilter.strongest)
    let highest = 3 * (BayesianFilter.levels - 1)
    let halves = (-highest...2 * (strongest - weakest)).map { half in
      Float(
        likelihood(
          above: Double(half) / 2,
          deviation: deviation,
          fadeShare: fadeShare,
          deepestFade: deepestFade
        )
      )
    }
    var rows: [SIMD4<Float>] = []
    rows.reserveCapacity((strongest - weakest + 1) * LevelBelief.groupCount)
    for rssi in weakest...strongest {
      let lowest = highest + 2 * (rssi - weakest)
      for group in 0..<LevelBelief.groupCount {
        let levels = LevelBelief.levels(ofGroup: group)
        rows.append(
          SIMD4(
            halves[lowest - 3 * levels[0]],
            halves[lowest - 3 * levels[1]],
            halves[lowest - 3 * levels[2]],
            halves[lowest - 3 * levels[3]]
          )
        )
      }
    }
    return rows
  }

  private static let rootOfTwoPi = 2.5066282746310002
}

extension SignalModel: Hashable {
  /// Returns whether two models give every report the same likelihoods.
  public static func == (a: Self, b: Self) -> Bool {
    a.deviation == b.deviation && a.fadeShare == b.fadeShare && a.deepestFade == b.deepestFade
  }

  /// Hashes the numbers that the likelihoods follow from.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(deviation)
    hasher.combine(fadeShare)
    hasher.combine(deepestFade)
  }
}
