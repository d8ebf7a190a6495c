// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Plan {
  /// The operator's measurements of the beacons and the site.
  public struct Calibration: Sendable, Hashable {
    /// The measured power of all beacons in dBm at 1 m, above −128 and below 0; `nil` uses the announced powers.
    public var power: Double?
    /// The path loss exponent of the rooms; `nil` uses the engine's default.
    public var exponent: Double?

    /// Creates a calibration.
    public init(power: Double? = nil, exponent: Double? = nil) {
      self.power = power
      self.exponent = exponent
    }
  }

  /// The measured powers in the plan with the constraints they apply to, in the order of the plan.
  public var powers: [(constraint: IdentityConstraint, power: Double)] {
    let all = calibration.power.map { [(constraint: constraint, power: $0)] } ?? []
    return all
      + exhibits.compactMap { exhibit in
        exhibit.power.map { (constraint: .minor(exhibit.identity), power: $0) }
      }
  }
}
