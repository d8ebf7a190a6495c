// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// Deliveries to a client do not depend on what must not matter.
@Suite struct GateDeterminismTests {
  static let lives: UInt64 = 40

  @Test(arguments: Profile.allCases)
  func `one step of time equals many`(_ profile: Profile) {
    for seed in 0..<Self.lives {
      let script = GateScript(seed: seed, count: 250)
      let once = script.run(profile)
      #expect(once == script.run(profile, steps: 7), "seed \(seed)")
      #expect(once == script.run(profile), "seed \(seed)")
      #expect(once.contains { !$0.isEmpty }, "seed \(seed)")
    }
  }

  @Test(arguments: Profile.allCases)
  func `the order in which clients connect does not matter to either`(_ profile: Profile) {
    for seed in 0..<Self.lives {
      let script = GateScript(seed: seed, count: 250)
      #expect(script.run(profile) == script.run(profile, order: [1, 0]), "seed \(seed)")
    }
  }
}
