// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Levels at several measured distances in one site, and the log-distance law that fits them best.
///
/// Several beacons may be surveyed together: each has its own power, and the places of all of them determine the exponent.
/// Two sessions of one beacon give a power and an exponent. With three or more, the fit also gives how far single places deviate from
/// the law. That is the site's own shadowing, with which the intervals of distances are right there.
///
/// The level of each place permanently deviates from any law by the shadowing, so two places hardly describe the
/// exponent. Therefore the law for ranging combines the measured exponent with the usual exponents: the fewer the
/// places and the closer together, the more the usual ones count.
package struct SiteSurvey: Sendable {
  /// The best fit.
  package struct Fit: Sendable, Hashable {
    /// The power in dBm at one meter, as measured.
    package let powerAtOneMeter: Double
    /// The path loss exponent, within ``PathLoss/exponentRange``.
    package let exponent: Double
    /// The exponent as measured, also if no room has such an exponent.
    package let measuredExponent: Double
    /// The standard deviation in dB of the places around the law; `nil` with two points, which a law always fits
    /// exactly.
    package let shadowing: Double?
    /// The standard deviation of the exponent's error because of the choice of places.
    ///
    /// It combines the scatter of the places with the shadowing of a furnished room (``SiteSurvey/priorFreedom``). For example,
    /// two levels at 1 m and 3 m, each with an error of 4 dB, give an exponent of 2 ± 1.2.
    package let exponentError: Double

    /// The mean of the places' distances, as a decimal logarithm of meters.
    let center: Double

    /// Whether the exponent is a limit of ``PathLoss/exponentRange``, instead of the measured one.
    package var isClamped: Bool { exponent != measuredExponent }

    /// The exponent for ranging: the measured one combined with the usual one (``PathLoss/exponentSpread``), each
    /// weighted by its accuracy.
    package var heldExponent: Double {
      let prior = PathLoss.exponentSpread * PathLoss.exponentSpread
      let weight = prior / (prior + exponentError * exponentError)
      return PathLoss.defaultExponent + weight * (exponent - PathLoss.defaultExponent)
    }

    /// The power in dBm at one meter for ranging: the law with ``heldExponent`` through the center of all places.
    package var heldPower: Double { powerAtOneMeter + 10 * (heldExponent - exponent) * center }

    /// The law for ranging as a model of path loss; `nil` if no beacon has such a power.
    package var calibration: TwoPointCalibration? {
      let decades = DeterministicMath.log10(SiteSurvey.modelDistance)
      return TwoPointCalibration(
        powerAtOneMeter: heldPower,
        powerAtFar: heldPower - 10 * heldExponent * decades,
        farDistance: SiteSurvey.modelDistance
      )
    }
  }

  /// The least ratio of the farthest distance to the nearest: 2, as for ``TwoPointCalibration/leastFarDistance``.
  package static let leastRatio: Double = 2
  /// The distance of the far point that a fit gives to a two-point calibration, in meters: any distance gives the same
  /// law.
  static let modelDistance: Double = 4

  /// For how many places the shadowing of a furnished room counts when the places of a site determine their own: the degrees
  /// of freedom of a scaled inverse chi square.
  ///
  /// The scatter of a few places is often far too small by chance: with one degree of freedom, below half of the true one in
  /// 38 of 100 sites.
  static let priorFreedom = 6.0

  /// Two places of a beacon that contradict each other: the farther one has the higher level.
  package struct Inversion: Sendable, Equatable {
    /// The distances in meters.
    package let near, far: Double
    /// By how many decibels the farther one is louder.
    package let decibels: Double
  }

  private struct Point {
    let beacon: Int
    let decades: Double
    let level: Double
  }

  private var points: [Point] = []

  /// Creates an empty survey.
  package init() {}

  /// Adds a session of the beacon with a number of the caller's; a session without samples is ignored.
  package mutating func add(_ session: CalibrationSession, of beacon: Int = 0) {
    if let level = session.level { add(level: level.dBm, at: session.meters, of: beacon) }
  }

  /// Adds a beacon's level in dBm at a distance in meters; NaN is ignored.
  package mutating func add(level: Double, at meters: Double, of beacon: Int = 0) {
    guard level.isFinite, meters > 0, meters.isFinite else { return }
    points.append(Point(beacon: beacon, decades: DeterministicMath.log10(meters), level: level))
  }

  /// The log-distance law that fits best by least squares; `nil` while the distances are too similar.
  package var fit: Fit? { fit(of: 0) }

  /// The law of one beacon: its own power, and the exponent that fits the places of all beacons best.
  ///
  /// - Returns: `nil` without a place of this beacon, and while the distances of every beacon are too similar.
  package func fit(of beacon: Int) -> Fit? {
    let middles = Dictionary(grouping: points, by: \.beacon).mapValues { Middle($0) }
    guard let own = middles[beacon],
      middles.values.contains(where: {
        $0.reach >= DeterministicMath.log10(Self.leastRatio) - 1e-9
      })
    else { return nil }
    var (covariance, variance) = (0.0, 0.0)
    // In the order of the points: a sum in the order of a dictionary would differ from run to run.
    for point in points {
      guard let middle = middles[point.beacon] else { continue }
      let decades = point.decades - middle.center
      covariance += decades * (point.level - middle.level)
      variance += decades * decades
    }
    let measured = -covariance / variance / 10
    let exponent = PathLoss.clampedExponent(measured)
    var squares = 0.0
    for point in points {
      guard let middle = middles[point.beacon] else { continue }
      let expected = middle.level - 10 * exponent * (point.decades - middle.center)
      squares += (point.level - expected) * (point.level - expected)
    }
    let freedom = Double(points.count - middles.count - 1)
    let shadowing = freedom > 0 ? (squares / freedom).squareRoot() : nil
    // Around the measured law, which fits best.
    let clamping = 10 * (exponent - measured)
    let least = freedom > 0 ? max(0, squares - clamping * clamping * variance) : 0
    let usual = DistanceEstimate.shadowingDeviation * DistanceEstimate.shadowingDeviation
    let scatter =
      ((Self.priorFreedom * usual + least) / (Self.priorFreedom + max(0, freedom))).squareRoot()
    return Fit(
      powerAtOneMeter: own.level + 10 * exponent * own.center,
      exponent: exponent,
      measuredExponent: measured,
      shadowing: shadowing,
      exponentError: scatter / (10 * variance.squareRoot()),
      center: own.center
    )
  }

  /// The two places of a beacon that contradict each other most, if no shadowing of a furnished room explains it: its signal
  /// rises with distance by more than the possible error, or one farther place is louder by twice that of two places.
  package func inversion(of beacon: Int = 0) -> Inversion? {
    let own = points.filter { $0.beacon == beacon }.sorted { $0.decades < $1.decades }
    var (most, pair) = (0.0, (near: 0, far: 0))
    for far in own.indices {
      for near in 0..<far where own[near].decades < own[far].decades {
        guard own[far].level - own[near].level > most else { continue }
        (most, pair) = (own[far].level - own[near].level, (near, far))
      }
    }
    guard most > 0 else { return nil }
    let middle = Middle(own)
    var (covariance, variance) = (0.0, 0.0)
    for point in own {
      covariance += (point.decades - middle.center) * (point.level - middle.level)
      variance += (point.decades - middle.center) * (point.decades - middle.center)
    }
    let deviation = DistanceEstimate.shadowingDeviation
    let rises = covariance / variance.squareRoot() > deviation
    guard rises || most > 2 * deviation * 2.0.squareRoot() else { return nil }
    return Inversion(
      near: DeterministicMath.pow10(own[pair.near].decades),
      far: DeterministicMath.pow10(own[pair.far].decades),
      decibels: most
    )
  }

  /// The middle of one beacon's places.
  private struct Middle {
    /// The mean of the distances, as a decimal logarithm of meters, and of the levels in dBm.
    let center, level: Double
    /// From the nearest to the farthest place, in decades.
    let reach: Double

    init(_ points: [Point]) {
      let decades = points.map(\.decades)
      center = decades.reduce(0, +) / Double(points.count)
      level = points.reduce(0) { $0 + $1.level } / Double(points.count)
      reach = (decades.max() ?? 0) - (decades.min() ?? 0)
    }
  }
}
