// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import SystemKit

/// Who counts as one peer.
@Suite struct SocketPeerTests {
  @Test func `the numbers that an account may give to its containers count as one`() {
    let accounts = SubordinateAccounts(
      "ada:100000:65536\nbob:165536:65536\n# no range\nada:500000:10\nbob:x:1\nada:4294967290:100\n"
    )
    #expect(accounts.counted(1000) == 1000)
    #expect(accounts.counted(100_000) == 100_000 && accounts.counted(165_535) == 100_000)
    #expect(accounts.counted(165_536) == 165_536 && accounts.counted(231_072) == 231_072)
    #expect(accounts.counted(500_009) == 100_000 && accounts.counted(500_010) == 500_010)
    #expect(accounts.counted(4_294_967_294) == 100_000)
  }
}
