// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// A filter on trial: ours or a peer's.
protocol TriedFilter {
  mutating func add(_ rssi: Int8, at time: Timestamp)
  mutating func estimate(at time: Timestamp) -> FilteredRSSI?
}

extension RSSIFilter: TriedFilter {}

/// A filter on trial by name, with the distance model of its makers.
struct Contender: Sendable {
  let name: String
  let pathLoss: PathLoss
  let rule: TriedRule
  let make: @Sendable () -> any TriedFilter

  init(
    _ name: String,
    pathLoss: PathLoss = .standard,
    rule: TriedRule = .quarter,
    _ make: @escaping @Sendable () -> any TriedFilter
  ) {
    self.name = name
    self.pathLoss = pathLoss
    self.rule = rule
    self.make = make
  }

  init(
    _ name: String,
    pathLoss: PathLoss = .standard,
    rule: TriedRule = .quarter,
    _ configuration: RSSIFilterConfiguration
  ) {
    self.init(name, pathLoss: pathLoss, rule: rule) { configuration.makeFilter() }
  }

  /// All filters in the table, ours first.
  static let all: [Contender] = [
    Contender("ours", rule: .ours, .standard),
    Contender("ours, 25 %", .standard),
    Contender(
      "AltBeacon",
      pathLoss: .altBeacon(.nexus),
      .altBeacon(AltBeaconFilter.Parameters())
    ),
    Contender("ESPresense", pathLoss: .logDistance(exponent: 2.7)) { QuartileWindow() },
    Contender("kalmanjs", pathLoss: .altBeacon(.legacy)) { KalmanJS() },
    Contender("mean 5 s", pathLoss: .logDistance(exponent: 3)) { MeanWindow(seconds: 5) },
    Contender(
      "HA last",
      pathLoss: .altBeacon(.legacy),
      .latest(LatestFilter.Parameters(window: .seconds(60)))
    ),
    Contender("trim 6 s", .trimmedWindow(TrimmedWindowFilter.Parameters())),
    Contender("ad. Kalman") { AdaptiveKalman() },
    Contender("shortening") { ShorteningWindow() },
  ]
}
