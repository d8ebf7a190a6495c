// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// The cost of a report and of an estimate.
enum Cost {
  /// How often everything is measured; the shortest time counts, since other programs on the machine only add time.
  static let tries = 25
  /// How often the samples are processed in a try.
  static let rounds = 30

  /// Returns the nanoseconds of a report and of an estimate, for a beacon that is received four times a second.
  static func measure(_ configuration: RSSIFilterConfiguration) -> (add: Double, estimate: Double) {
    var samples: [ChannelSample] = []
    SeededChannel().run(seconds: 1000, seed: 5, path: { _ in 3 }) { sample in
      samples.append(sample)
      return true
    }
    let clock = ContinuousClock()
    let count = Double(rounds * samples.count)
    var sum = 0.0
    var least = (add: Double.infinity, estimate: Double.infinity)
    for _ in 0..<tries {
      var filter = configuration.makeFilter()
      let adding = clock.measure {
        for round in 0..<rounds {
          for sample in samples {
            filter.add(sample.rssi, at: sample.time + .seconds(Int64(round) * 1000))
          }
        }
      }
      let time = (samples.last?.time ?? .earliest) + .seconds(Int64(rounds - 1) * 1000)
      let estimating = clock.measure {
        for _ in 0..<rounds * samples.count { sum += filter.estimate(at: time)?.dBm ?? 0 }
      }
      least.add = min(least.add, adding / .nanoseconds(1) / count)
      least.estimate = min(least.estimate, estimating / .nanoseconds(1) / count)
    }
    precondition(sum < 0)
    return least
  }

  static func report() {
    for name in RSSIFilterConfiguration.names {
      guard let configuration = RSSIFilterConfiguration(named: name) else { continue }
      let cost = measure(configuration)
      print(name, String(format: "%.1f %.1f", cost.add, cost.estimate))
    }
  }
}
