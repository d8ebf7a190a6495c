// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// Which stays form one visit to an exhibit.
@Suite struct ViewingTests {
  @Test func `stays a short time apart are one visit`() {
    let visit = VisitStatisticsTests.visit([(0, 0, 10), (1, 10, 13), (0, 13, 20), (0, 40, 50)])
    let viewings = visit.viewings(shortest: 5)
    #expect(viewings.map(\.exhibit) == [0, 0])
    #expect(viewings.map(\.dwell) == [17, 10])
  }

  @Test func `a stay too short does not count, and two a short time apart count as one`() {
    let visit = VisitStatisticsTests.visit([(0, 0, 3), (1, 10, 22), (2, 30, 33), (2, 35, 38)])
    let viewings = visit.viewings(shortest: 5)
    #expect(viewings.map(\.exhibit) == [1, 2])
    #expect(viewings.map(\.dwell) == [12, 6])
  }
}
