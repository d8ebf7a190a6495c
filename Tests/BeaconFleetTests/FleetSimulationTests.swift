// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFleet
import BeaconTestSupport
import FleetTestSupport
import Testing

/// The simulated fleet of `tools/bench fleet-health`, smaller and shorter.
@Suite struct FleetSimulationTests {
  @Test(.slow) func `each fault is found in its time, and nothing else`() {
    var simulation = FleetSimulation(
      seed: 5,
      days: 7,
      beacons: 14,
      receivers: 4,
      intervals: [5, 10.24]
    )
    simulation.addFaults()
    #expect(simulation.faults.count >= 12)
    let score = FleetScore(simulation)
    for (fault, after) in score.found { #expect(after != nil, "\(fault.cause) \(fault.subject)") }
    #expect(score.falseFindings.isEmpty, "\(score.falseFindings)")
  }

  @Test(.slow) func `a fleet without a fault has no finding, though receivers restart each day`() {
    let simulation = FleetSimulation(
      seed: 6,
      days: 4,
      beacons: 10,
      receivers: 3,
      intervals: [5, 10.24]
    )
    let score = FleetScore(simulation)
    #expect(score.findings.isEmpty, "\(score.findings)")
  }
}
