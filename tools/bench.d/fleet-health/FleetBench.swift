// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFleet
import FleetTestSupport

/// Measures how soon faults of a simulated fleet are found, and how many findings are false.
@main
struct FleetBench {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") || arguments.contains("-h") {
      print(
        """
        Finds the faults of a simulated fleet: 40 beacons, 6 receivers, 30 days.

          tools/bench fleet-health [SEED…]   the default seeds are those that no constant was chosen on: 11 12 13 14
        """
      )
      return
    }
    let seeds = arguments.compactMap { UInt64($0) }
    var (missed, falses) = (0, 0)
    for seed in seeds.isEmpty ? [11, 12, 13, 14] : seeds {
      var simulation = FleetSimulation(seed: seed, days: 30, beacons: 40, receivers: 6)
      simulation.addFaults()
      let score = FleetScore(simulation)
      print("seed \(seed): \(score.findings.count) findings")
      for (fault, after) in score.found {
        let text = after.map { $0 < 7200 ? "\(Int($0 / 60)) min" : "\(Int($0 / 3600)) h" }
        print("  \(fault.cause.rawValue) \(fault.number): \(text ?? "NOT FOUND IN TIME")")
        if after == nil { missed += 1 }
      }
      for finding in score.falseFindings {
        let days = (finding.found - FleetSimulation.start).seconds / 86_400
        let evidence = finding.evidence.map(\.rawValue)
        print(
          "  FALSE: \(finding.kind) \(finding.subject) on day \(days) \(evidence)",
          terminator: ""
        )
        print(" \(finding.before ?? 0) \(finding.after ?? 0)")
      }
      falses += score.falseFindings.count
    }
    print("not found in time: \(missed), false: \(falses)")
  }
}
