// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// What a report and an answer cost.
enum Cost {
  static let rounds = 2_000_000

  /// Returns nanoseconds a report and an answer, for a filter whose beacon is heard four times a second.
  static func measure(_ configuration: RSSIFilterConfiguration) -> (add: Double, estimate: Double) {
    var samples: [ChannelSample] = []
    SeededChannel().run(seconds: 1000, seed: 5, path: { _ in 3 }) { sample in
      samples.append(sample)
      return true
    }
    let clock = ContinuousClock()
    var filter = configuration.makeFilter()
    var sum = 0.0
    let adding = clock.measure {
      for round in 0..<rounds / samples.count {
        for sample in samples {
          filter.add(sample.rssi, at: sample.time + .seconds(Int64(round) * 1000))
        }
      }
    }
    let time =
      (samples.last?.time ?? .earliest) + .seconds(Int64(rounds / samples.count - 1) * 1000)
    let estimating = clock.measure {
      for _ in 0..<rounds { sum += filter.estimate(at: time)?.dBm ?? 0 }
    }
    precondition(sum < 0)
    let added = Double(rounds / samples.count * samples.count)
    return (adding / .nanoseconds(1) / added, estimating / .nanoseconds(1) / Double(rounds))
  }

  static func report() {
    for name in RSSIFilterConfiguration.names {
      guard let configuration = RSSIFilterConfiguration(named: name) else { continue }
      let cost = measure(configuration)
      print(name, String(format: "%.1f %.1f", cost.add, cost.estimate))
    }
  }
}
