// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension PathLoss {
  /// The exponent of the log-distance law; `nil` for a curve, which has none.
  package var exponent: Double? {
    switch self {
    case .logDistance(let exponent): exponent
    case .twoPoint(let site): site.exponent
    case .altBeacon: nil
    }
  }
}
