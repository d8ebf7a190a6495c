// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension PathLoss {
  /// The names of all models that need no measured site, as a configuration writes them.
  public static let names =
    ["logDistance"] + AltBeaconCurve.allCases.map { PathLoss.altBeacon($0).name }

  /// The name as a configuration writes it: `logDistance`, `altBeacon.CURVE` or `twoPoint`.
  public var name: String {
    switch self {
    case .logDistance: "logDistance"
    case .altBeacon(let curve): "altBeacon.\(curve.rawValue)"
    case .twoPoint: "twoPoint"
    }
  }

  /// Creates the model of a name, log-distance with its default exponent; `nil` when none is called that.
  ///
  /// `twoPoint` is no such name: it takes a site's two points.
  public init?(named name: String) {
    let known = [PathLoss.standard] + AltBeaconCurve.allCases.map { .altBeacon($0) }
    guard let model = known.first(where: { $0.name == name }) else { return nil }
    self = model
  }
}
