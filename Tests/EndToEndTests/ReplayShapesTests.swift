// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// Programs of many shapes over one replay (row T7). Each runs in a separate process, since a process that computes for
/// other tests never rests.
@Suite struct ReplayShapesTests {
  private static let program = BuiltCommand.program.deletingLastPathComponent()
    .appending(path: "ReplayShapes").path

  @Test(.slow) func `each shape gets the same events at every speed`() throws {
    let run = try BuiltCommand(
      "python3 tools/replay-shapes.d/compare.py '\(Self.program)' \(Effort.isFull ? 3 : 1) max,1000 own"
    )
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(run.output.hasSuffix("all equal\n"))
    #expect(run.output.split(separator: "\n").count > 30)
  }

  @Test func `a program does what follows its last event before its process ends`() throws {
    let run = try BuiltCommand("'\(Self.program)' goal own max")
    #expect(run.output.hasSuffix("\nevents ended\n"), "\(run.output)")
  }

  @Test(arguments: [
    (
      "stalled",
      "the replay waits for the loop over 'regionEvents' of 'operator', and nothing happens;"
        + " 'continuesWhenStalled' continues without it\n"
    ),
    (
      "idle",
      "the replay waits for any loop of the program, and nothing happens;"
        + " 'continuesWhenStalled' continues without it\n"
    ),
    (
      "continued",
      "diagnostics the replay continues without the loop over 'regionEvents' of 'operator':"
        + " its events may differ from one run to the next\n"
    ),
  ])
  func `a loop that neither asks nor ends is named`(shape: String, text: String) throws {
    let run = try BuiltCommand("'\(Self.program)' \(shape) own max")
    #expect(run.output == text)
  }
}
