// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFleet
import BeaconTestSupport
import FleetTestSupport
import Testing

/// The simulated fleet of `tools/bench fleet-health`, smaller and shorter.
@Suite struct FleetSimulationTests {
  /// Beacons that send each 10.24 s.
  private static func conditions(days: Double, beacons: Int, receivers: Int) -> FleetConditions {
    var conditions = FleetConditions()
    conditions.days = days
    (conditions.beacons, conditions.receivers) = (beacons, receivers)
    conditions.intervals = [10.24]
    return conditions
  }

  @Test(.slow) func `each fault is found in its time, and nothing else`() {
    var simulation = FleetSimulation(seed: 5, Self.conditions(days: 6, beacons: 12, receivers: 4))
    simulation.addFaults()
    #expect(simulation.faults.count >= 12)
    let score = FleetScore(simulation)
    for (fault, after) in score.found { #expect(after != nil, "\(fault.cause) \(fault.subject)") }
    #expect(score.falseFindings.isEmpty, "\(score.falseFindings)")
  }

  @Test(.slow) func `a fleet without a fault has no finding, though receivers restart each day`() {
    let conditions = Self.conditions(days: 3, beacons: 6, receivers: 2)
    let simulation = FleetSimulation(seed: 6, conditions)
    let score = FleetScore(simulation)
    #expect(score.findings.isEmpty, "\(score.findings)")
  }
}
