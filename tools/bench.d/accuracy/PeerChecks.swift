// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// Checks that each peer's filter has its known properties, before it is compared.
enum PeerChecks {
  static func run() {
    meanWindow()
    quartiles()
    kalman()
    adaptive()
    shortening()
    altBeacon()
  }

  private static func fed(_ filter: any TriedFilter, _ rssi: [Int8], every: Double = 0.25)
    -> Double?
  {
    var filter = filter
    for (index, value) in rssi.enumerated() {
      filter.add(value, at: .atSecond(Double(index) * every))
    }
    return filter.estimate(at: .atSecond(Double(rssi.count - 1) * every))?.dBm
  }

  private static func expect(_ value: Double?, _ wanted: Double, _ claim: String) {
    guard let value, abs(value - wanted) < 1e-6 else {
      FileHandle.standardError.write(
        Data(
          "accuracy: a peer's filter is not what it should be: \(claim) (\(value ?? .nan))\n".utf8
        )
      )
      exit(70)
    }
  }

  private static func meanWindow() {
    expect(fed(MeanWindow(seconds: 5), [-60, -70, -80]), -70, "a mean is a mean")
    let old = [Int8](repeating: -90, count: 40) + [Int8](repeating: -50, count: 20)
    expect(fed(MeanWindow(seconds: 5), old), -50, "after 5 s the past is forgotten")
  }

  private static func quartiles() {
    let calm = [Int8](repeating: -60, count: 20)
    expect(fed(QuartileWindow(), calm + [-90]), -60, "what lies beyond Tukey's fence is left out")
    let (near, far) = ([Int8](repeating: -60, count: 10), [Int8](repeating: -80, count: 10))
    expect(fed(QuartileWindow(), near + far), -70, "what lies within is averaged, not its median")
    let flood = [Int8](repeating: -90, count: 100) + [Int8](repeating: -50, count: 200)
    expect(fed(QuartileWindow(), flood, every: 0.01), -50, "no more than 200 samples are held")
  }

  private static func kalman() {
    // The covariance starts at 4: a first gain of 4.008 / 8.008.
    expect(fed(KalmanJS(), [-60, -70]), -60 - 10 * 4.008 / 8.008, "its second step is half way")
    var filter = KalmanJS()
    filter.add(-60, at: .atSecond(0))
    expect(filter.estimate(at: .atSecond(86_400))?.dBm, -60, "it never forgets")
    guard let late = fed(KalmanJS(), [Int8](repeating: -60, count: 400) + [-100]), late > -62.5
    else {
      return expect(nil, 0, "settled, it follows by less than a twentieth")
    }
  }

  private static func adaptive() {
    expect(fed(AdaptiveKalman(), [-60]), -60, "it starts at its first sample")
    let step = [Int8](repeating: -60, count: 100) + [Int8](repeating: -76, count: 16)
    guard let value = fed(AdaptiveKalman(), step), value < -73 else {
      return expect(nil, 0, "a step is followed within 16 reports")
    }
  }

  private static func shortening() {
    let step = [Int8](repeating: -60, count: 60) + [Int8](repeating: -76, count: 9)
    expect(fed(ShorteningWindow(), step), -76, "a step cuts the window")
  }

  private static func altBeacon() {
    let filter = RSSIFilterConfiguration.altBeacon(AltBeaconFilter.Parameters()).makeFilter()
    let ten: [Int8] = [-60, -70, -90, -50, -100, -40, -71, -72, -73, -74]
    expect(fed(filter, ten), -70, "a tenth and one more are left out at either end")
  }
}
