// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The guide of `Sources/iPhone/MuseumWalk`, which is written for an iPhone, walks through the bundled capture.
@Suite struct MuseumWalkTests {
  private func walk(_ variables: String) throws -> BuiltCommand {
    let program = BuiltCommand.program.deletingLastPathComponent().appending(path: "MuseumWalk")
    return try BuiltCommand("\(variables) timeout 60 '\(program.path)'")
  }

  @Test func `it finds the paintings in their order`() throws {
    let run = try walk(
      "BEACONS_SOURCE=capture:Fixtures/captures/walk.btsnoop BEACONS_ANSWERS=whileUsing "
        + "BEACONS_MANIFEST=Sources/iPhone/MuseumWalk/MuseumWalk-Info.plist"
    )
    #expect(
      run.output == """
        welcome to the museum
        room 1, painting 1: 5.6 m
        room 1, painting 2: 4.4 m

        """
    )
    #expect(run.errors.isEmpty, "\(run.errors)")
    #expect(run.code == 0)
  }

  @Test(.slow) func `without its texts it does nothing and reports why once`() throws {
    let run = try walk("BEACONS_SOURCE=capture:Fixtures/captures/walk.btsnoop")
    #expect(run.output.isEmpty)
    let lines = run.errors.split(separator: "\n")
    #expect(lines.count == 3, "\(run.errors)")
    #expect(lines.first?.contains("NSLocationWhenInUseUsageDescription") == true)
    #expect(lines.dropFirst().first?.contains("nothing was ranged or monitored for 10 s") == true)
    #expect(lines.last?.contains("ended before the program ranged or monitored") == true)
    #expect(run.code == 0)
  }

  @Test func `a capture that is not there ends it`() throws {
    let run = try walk("BEACONS_SOURCE=capture:/nowhere")
    #expect(run.errors.contains("/nowhere"))
    #expect(run.code == 1)
  }
}
