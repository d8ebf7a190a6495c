// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconCore
import BeaconTestSupport
import Testing

@Suite struct IdentityTableTests {
  @Test(arguments: 0..<4)
  func `it agrees with a dictionary over random insertions and removals`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = IdentityTable()
    var slots: [BeaconIdentity: Int] = [:]
    for _ in 0..<5000 {
      let identity = BeaconIdentity(
        uuid: UInt128.random(in: 0...3, using: &random),
        major: UInt16.random(in: 0...9, using: &random),
        minor: UInt16.random(in: 0...9, using: &random)
      )
      let key = TrackKey(identity)
      #expect(table.slot(of: key) == slots[identity])
      if slots[identity] == nil {
        slots[identity] = table.insert(key)
      } else if let slot = slots[identity], Bool.random(using: &random) {
        table.remove(slot)
        slots[identity] = nil
      }
      #expect(table.count == slots.count)
    }
    #expect(Set(slots.values).count == slots.count)
    for (identity, slot) in slots {
      #expect(table.slot(of: TrackKey(identity)) == slot)
      #expect(table.key(of: slot) == TrackKey(identity))
    }
  }
}
