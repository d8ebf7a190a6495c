// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Testing

@testable import BeaconCore

@Suite struct AuthorizationDeadlinesTests {
  @Test(arguments: 1...20)
  func `the earliest deadline is found, however deadlines move`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = AuthorizationDeadlines()
    var actual: [Timestamp?] = Array(repeating: nil, count: 20)
    for _ in 0..<2_000 {
      let client = Int.random(in: 0..<20, using: &random)
      let time = Timestamp(microseconds: Int64.random(in: 0...50, using: &random))
      actual[client] = Int.random(in: 0..<4, using: &random) == 0 ? nil : time
      queue.note(actual[client], of: client)
      while let first = queue.first, actual[first.client] != first.time {
        queue.removeFirst()
        queue.note(actual[first.client], of: first.client)
      }
      let earliest = actual.compactMap(\.self).min()
      #expect(queue.first?.time == earliest)
      #expect(queue.first?.client == earliest.flatMap { actual.firstIndex(of: $0) })
    }
  }
}
