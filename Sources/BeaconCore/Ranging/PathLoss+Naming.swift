// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension PathLoss {
  /// Creates the model of a name, as a configuration writes it; `nil` when no model is called that.
  init?(named name: String) {
    if name == "logDistance" {
      self = .standard
      return
    }
    guard name.hasPrefix("altbeacon-"),
      let curve = AltBeaconCurve(rawValue: String(name.dropFirst("altbeacon-".count)))
    else { return nil }
    self = .altBeacon(curve)
  }

  /// The name as a configuration writes it.
  var name: String {
    switch self {
    case .logDistance, .twoPoint: "logDistance"
    case .altBeacon(let curve): "altbeacon-" + curve.rawValue
    }
  }

  /// The exponent of the log-distance law; `nil` for a curve, which has none.
  var exponent: Double? {
    switch self {
    case .logDistance(let exponent): exponent
    case .twoPoint(let site): site.exponent
    case .altBeacon: nil
    }
  }
}
