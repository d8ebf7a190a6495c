// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Levels at several measured distances in one site, and the law that fits them best.
///
/// Two sessions give a power and an exponent; from three on the fit also says how far single places lie from the law:
/// the site's own shadowing, which makes a distance's interval honest there.
///
/// Each place's level lies by the shadowing from any law, for good, so that two places say little of the exponent: the
/// law to range by is the measured one held to what exponents are, as firmly as the places are few and close together.
public struct SiteSurvey: Sendable {
  /// The best fit.
  public struct Fit: Sendable, Hashable {
    /// The power in dBm at one meter, as measured.
    public let powerAtOneMeter: Double
    /// The path loss exponent as measured, within ``PathLoss/exponentRange``.
    public let exponent: Double
    /// The standard deviation in dB of places about the law; `nil` with two points, which no law can miss.
    public let shadowing: Double?
    /// How far the exponent may be off for where the places are, as a standard deviation.
    ///
    /// By the site's own shadowing where it is known, else by that of a furnished room: between 1 m and 3 m two levels,
    /// each off by 4 dB, make an exponent of 2 ± 1.2.
    public let exponentError: Double

    /// The middle of the places, in decades of a meter.
    let center: Double

    /// The exponent to range by: the measured one and what exponents are (``PathLoss/exponentSpread``), each counting
    /// for as much as it is sure.
    public var heldExponent: Double {
      let prior = PathLoss.exponentSpread * PathLoss.exponentSpread
      let weight = prior / (prior + exponentError * exponentError)
      return PathLoss.defaultExponent + weight * (exponent - PathLoss.defaultExponent)
    }

    /// The power in dBm at one meter to range by: the law goes through the middle of all places with ``heldExponent``.
    public var heldPower: Double { powerAtOneMeter + 10 * (heldExponent - exponent) * center }

    /// The law to range by as a model of path loss; `nil` when the power is none that a beacon has.
    public var calibration: TwoPointCalibration? {
      let decades = DeterministicMath.log10(SiteSurvey.modelDistance)
      return TwoPointCalibration(
        powerAtOneMeter: heldPower,
        powerAtFar: heldPower - 10 * heldExponent * decades,
        farDistance: SiteSurvey.modelDistance
      )
    }
  }

  /// The least ratio of the farthest distance to the nearest: 2, as with ``TwoPointCalibration/leastFarDistance``.
  public static let leastRatio: Double = 2
  /// Where a fit puts the far point of a two-point calibration, in meters: any distance gives the same law.
  static let modelDistance: Double = 4

  private var points: [(decades: Double, level: Double)] = []

  /// Begins a survey.
  public init() {}

  /// Adds a session; one without samples is ignored.
  public mutating func add(_ session: CalibrationSession) {
    if let level = session.level { add(level: level.dBm, at: session.meters) }
  }

  /// Adds a level in dBm at a distance in meters; NaN is ignored.
  public mutating func add(level: Double, at meters: Double) {
    guard level.isFinite, meters > 0, meters.isFinite else { return }
    points.append((DeterministicMath.log10(meters), level))
  }

  /// The log-distance law that fits best by least squares; `nil` while the distances are too alike.
  public var fit: Fit? {
    let all = points.map(\.decades)
    guard let nearest = all.min(), let farthest = all.max(),
      farthest - nearest >= DeterministicMath.log10(Self.leastRatio) - 1e-9
    else { return nil }
    let count = Double(points.count)
    let center = all.reduce(0, +) / count
    let mean = points.reduce(0) { $0 + $1.level } / count
    var (covariance, variance) = (0.0, 0.0)
    for point in points {
      covariance += (point.decades - center) * (point.level - mean)
      variance += (point.decades - center) * (point.decades - center)
    }
    let exponent = PathLoss.clampedExponent(-covariance / variance / 10)
    let power = mean + 10 * exponent * center
    var squares = 0.0
    for point in points {
      let rest = point.level - power + 10 * exponent * point.decades
      squares += rest * rest
    }
    let shadowing = points.count > 2 ? (squares / (count - 2)).squareRoot() : nil
    return Fit(
      powerAtOneMeter: power,
      exponent: exponent,
      shadowing: shadowing,
      exponentError: (shadowing ?? DistanceEstimate.shadowingDeviation)
        / (10 * variance.squareRoot()),
      center: center
    )
  }
}
