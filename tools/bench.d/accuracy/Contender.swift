// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// A filter on trial: ours or a peer's.
protocol TriedFilter {
  mutating func add(_ rssi: Int8, at time: Timestamp)
  mutating func estimate(at time: Timestamp) -> FilteredRSSI?
}

extension RSSIFilter: TriedFilter {}

/// A filter on trial by name, with the model that its makers put behind it.
struct Contender: Sendable {
  let name: String
  let pathLoss: PathLoss
  let make: @Sendable () -> any TriedFilter

  init(
    _ name: String,
    pathLoss: PathLoss = .standard,
    _ make: @escaping @Sendable () -> any TriedFilter
  ) {
    self.name = name
    self.pathLoss = pathLoss
    self.make = make
  }

  init(_ name: String, pathLoss: PathLoss = .standard, _ configuration: RSSIFilterConfiguration) {
    self.init(name, pathLoss: pathLoss) { configuration.makeFilter() }
  }

  /// All that the table compares, ours first.
  static let all: [Contender] = [
    Contender("ours (default)", .standard),
    Contender(
      "AltBeacon 20 s",
      pathLoss: .altBeacon(.nexus),
      .altBeacon(AltBeaconFilter.Parameters())
    ),
    Contender("ESPresense IQR 15 s", pathLoss: .logDistance(exponent: 2.7)) { QuartileWindow() },
    Contender("kalmanjs 0.008/4", pathLoss: .altBeacon(.legacy)) { KalmanJS() },
    Contender("mean 5 s", pathLoss: .logDistance(exponent: 3)) { MeanWindow(seconds: 5) },
    Contender(
      "HA last sample",
      pathLoss: .altBeacon(.legacy),
      .latest(LatestFilter.Parameters(window: .seconds(60)))
    ),
    Contender(
      "asymmetric trim 6 s",
      .trimmedWindow(TrimmedWindowFilter.Parameters())
    ),
    Contender("adaptive Kalman") { AdaptiveKalman() },
    Contender("self-shortening 12 s") { ShorteningWindow() },
  ]
}
