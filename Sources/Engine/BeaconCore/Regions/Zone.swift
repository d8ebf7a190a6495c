// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A distance around a region's beacons, with a hysteresis so that a visitor at the edge does not cause repeated
/// crossings.
public struct Zone: Sendable, Hashable {
  /// Why two distances are not a valid zone.
  public enum Fault: Error, Sendable, Equatable {
    /// A distance is not a positive finite number of meters.
    case notADistance(Double)
    /// The inner distance is not below the outer.
    case notBelow(enterWithin: Double, leaveBeyond: Double)
  }

  /// The distance in meters at which, or below, the zone is entered.
  public let enterWithin: Double
  /// The distance in meters beyond which the zone is left.
  public let leaveBeyond: Double

  /// Creates a zone.
  ///
  /// - Throws: ``Fault`` unless 0 < `enterWithin` < `leaveBeyond`, both finite.
  public init(enterWithin: Double, leaveBeyond: Double) throws(Fault) {
    for distance in [enterWithin, leaveBeyond] {
      guard distance.isFinite, distance > 0 else { throw .notADistance(distance) }
    }
    guard enterWithin < leaveBeyond else {
      throw .notBelow(enterWithin: enterWithin, leaveBeyond: leaveBeyond)
    }
    self.enterWithin = enterWithin
    self.leaveBeyond = leaveBeyond
  }
}

extension Zone.Fault: CustomStringConvertible {
  /// The fault, and its correction.
  public var description: String {
    switch self {
    case .notADistance(let meters): "\(meters) is not a distance in meters above 0"
    case .notBelow(let inner, let outer):
      "enterWithin \(inner) is not below leaveBeyond \(outer)"
    }
  }
}
