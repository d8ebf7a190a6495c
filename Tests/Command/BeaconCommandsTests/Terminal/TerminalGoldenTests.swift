// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import BeaconTestSupport
import Testing

@testable import BeaconCommands

@Suite struct TerminalGoldenTests {
  @Test func `pictures are made of what the terminal can show`() throws {
    for (name, glyphs) in [("unicode", Glyphs.unicode), ("ascii", .ascii)] {
      var screen = Screen(columns: 40, rows: 8, glyphs: glyphs)
      screen.box(column: 0, row: 0, width: 40, height: 8, title: "hall 2")
      for (row, share) in [0, 0.3, 0.55, 1, 7, .nan].enumerated() {
        screen.bar(share, column: 2, row: row + 1, width: 10)
      }
      screen.sparkline(
        [-99, -90, nil, -70, -60, -50, -40, 0],
        in: -100...(-40),
        column: 14,
        row: 1,
        width: 12
      )
      screen.sparkline([1, 2, 3, 4], in: 0...4, column: 14, row: 2, width: 2)
      let isASCII = screen.text.allSatisfy { $0.isASCII }
      #expect(isASCII == (glyphs == .ascii))
      try Golden.expect(screen.text, "terminal/pictures.\(name).txt")
    }
  }
}
