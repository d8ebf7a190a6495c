// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFleet
import BeaconTestSupport
import FleetTestSupport

/// Measures how soon faults of a simulated fleet are found, and how many findings are false.
@main
struct FleetBench {
  private static let help = """
    Finds the faults of a simulated fleet: 40 beacons, 6 receivers, 30 days.

      tools/bench fleet-health [--fleet NAME]… [SEED…]

    The default seeds are those that no constant was chosen on: 11 12 13 14. Another fleet is one of \(fleets.joined(separator: ", ")),
    or all. --limits measures instead the cost of a report and a minute with 2,000 beacons at 64 receivers.
    """
  private static let fleets = [
    "usual", "slow", "lossy", "one-receiver", "many-receivers", "nights", "away", "one-beacon",
  ]

  /// The differences of a fleet.
  private static func conditions(_ fleet: String) -> FleetConditions? {
    var conditions = FleetConditions()
    conditions.telemetry = 4
    switch fleet {
    case "usual": break
    case "slow": conditions.intervals = [10.24]
    case "lossy": conditions.loss = 0.6
    case "one-receiver": conditions.receivers = 1
    case "many-receivers": (conditions.receivers, conditions.intervals) = (20, [2, 5, 10.24])
    case "nights": conditions.sleeper = 3
    case "away": conditions.away = 4 * 86_400
    case "one-beacon": (conditions.beacons, conditions.receivers) = (1, 2)
    default: return nil
    }
    return conditions
  }

  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") || arguments.contains("-h") { return print(help) }
    if arguments.contains("--limits") { return Limits.measure() }
    var names: [String] = []
    while let option = arguments.firstIndex(of: "--fleet"), option + 1 < arguments.count {
      names.append(arguments[option + 1])
      arguments.removeSubrange(option...option + 1)
    }
    if names == ["all"] { names = fleets }
    let seeds = arguments.compactMap { UInt64($0) }
    for name in names.isEmpty ? ["usual"] : names {
      guard let conditions = conditions(name) else { return print(help) }
      play(name, conditions, seeds.isEmpty ? [11, 12, 13, 14] : seeds)
    }
  }

  private static func play(_ name: String, _ conditions: FleetConditions, _ seeds: [UInt64]) {
    var (missed, falses) = (0, 0)
    for seed in seeds {
      var simulation = FleetSimulation(seed: seed, conditions)
      simulation.addFaults()
      let score = FleetScore(simulation)
      print("\(name), seed \(seed): \(score.findings.count) findings")
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
    print("\(name): not found in time: \(missed), false in \(seeds.count) months: \(falses)")
  }
}
