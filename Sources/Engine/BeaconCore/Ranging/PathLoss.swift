// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The model by which a distance follows from a signal strength and the measured power.
public enum PathLoss: Sendable, Hashable {
  /// The log-distance law with an exponent: 2 in free space, 1.6 to 1.8 in corridors, 2.5 to 4 among walls.
  case logDistance(exponent: Double)
  /// A curve of the Android Beacon Library, corrected if it decreases or is negative.
  case altBeacon(AltBeaconCurve)
  /// The log-distance law with the exponent of a measured site.
  ///
  /// The power stays the beacon's own: beacons of several strengths may share a site.
  case twoPoint(TwoPointCalibration)

  /// The exponent of free space, 2: it applies with line of sight within a room, and is nearest to the distances of
  /// Core Location.
  public static let defaultExponent: Double = 2

  /// The standard deviation of the exponents of places with line of sight around ``defaultExponent``: 0.5.
  ///
  /// Measurements at 2.4 GHz give 1.6 in corridors, 2 in the open and up to 2.6 in furnished rooms; larger exponents
  /// include walls.
  public static let exponentSpread: Double = 0.5

  /// The possible exponents: below 1 a signal would hardly fade, above 8 a decibel would be almost no distance.
  public static let exponentRange: ClosedRange<Double> = 1...8

  /// The largest distance that is reported, in meters.
  ///
  /// 1000: no beacon's advertisement on one of the three primary channels has been received farther away; a larger
  /// result means that the measured power is wrong.
  public static let maximumDistance: Double = 1000

  /// The model of the default profile: log-distance in free space.
  public static let standard = PathLoss.logDistance(exponent: defaultExponent)

  /// Returns the distance in meters for a signal strength.
  ///
  /// It is finite, within 0...``maximumDistance``, and never less for a weaker signal.
  ///
  /// - Parameters:
  ///   - rssi: The filtered signal strength in dBm.
  ///   - measuredPower: The signal strength in dBm at one meter, as ``Calibration`` gives it. For a value that is not a
  ///     calibration the curves return the maximum.
  /// - Returns: The distance in meters.
  public func distance(rssi: Double, measuredPower: Double) -> Double {
    switch self {
    case .logDistance(let exponent):
      Self.logDistance(measuredPower - rssi, exponent: exponent)
    case .altBeacon(let curve):
      Self.bounded(curve.fixedDistance(rssi: rssi, measuredPower: measuredPower))
    case .twoPoint(let site):
      Self.logDistance(measuredPower - rssi, exponent: site.exponent)
    }
  }

  /// Returns the distances in meters for a signal strength, and for one stronger and one weaker by a reach in dB.
  ///
  /// Under the log-distance law a number of decibels is a factor in meters. So three distances need only two powers,
  /// which are computed together.
  @inline(__always)
  func distances(
    rssi: Double,
    reach: Double,
    measuredPower: Double
  ) -> (near: Double, middle: Double, far: Double) {
    let exponent: Double
    switch self {
    case .logDistance(let own): exponent = own
    case .twoPoint(let site): exponent = site.exponent
    case .altBeacon:
      return (
        near: distance(rssi: rssi + reach, measuredPower: measuredPower),
        middle: distance(rssi: rssi, measuredPower: measuredPower),
        far: distance(rssi: rssi - reach, measuredPower: measuredPower)
      )
    }
    let scale = 10 * Self.clampedExponent(exponent)
    let powers = DeterministicMath.pow10(SIMD2(measuredPower - rssi, reach) / scale)
    let (meters, factor) = (powers[0], powers[1])
    return (Self.bounded(meters / factor), Self.bounded(meters), Self.bounded(meters * factor))
  }

  /// Returns an exponent clamped to ``exponentRange``; NaN becomes the default.
  package static func clampedExponent(_ exponent: Double) -> Double {
    exponent.isNaN
      ? defaultExponent
      : min(max(exponent, exponentRange.lowerBound), exponentRange.upperBound)
  }

  private static func logDistance(_ loss: Double, exponent: Double) -> Double {
    bounded(DeterministicMath.pow10(loss / (10 * clampedExponent(exponent))))
  }

  private static func bounded(_ distance: Double) -> Double {
    // NaN is not below the maximum.
    distance < maximumDistance ? max(distance, 0) : maximumDistance
  }
}

extension PathLoss {
  /// The names, in a configuration, of all models that need no measured site.
  public static let names =
    ["logDistance"] + AltBeaconCurve.allCases.map { PathLoss.altBeacon($0).name }

  /// The name in a configuration: `logDistance`, `altBeacon.CURVE` or `twoPoint`.
  public var name: String {
    switch self {
    case .logDistance: "logDistance"
    case .altBeacon(let curve): "altBeacon.\(curve.rawValue)"
    case .twoPoint: "twoPoint"
    }
  }

  /// Creates the model of a name, log-distance with its default exponent; `nil` for an unknown name.
  ///
  /// `twoPoint` is not among these names, because it needs the two points of a site.
  public init?(named name: String) {
    let known = [PathLoss.standard] + AltBeaconCurve.allCases.map { .altBeacon($0) }
    guard let model = known.first(where: { $0.name == name }) else { return nil }
    self = model
  }
}

extension PathLoss {
  /// The exponent of the log-distance law; `nil` for a curve.
  package var exponent: Double? {
    switch self {
    case .logDistance(let exponent): exponent
    case .twoPoint(let site): site.exponent
    case .altBeacon: nil
    }
  }
}
