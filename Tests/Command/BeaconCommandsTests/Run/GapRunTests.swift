// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// A user who acts in a gap neither ends it nor makes it silence (row T5).
@Suite struct GapRunTests {
  static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  /// Monitors for a client that always may; the beacon is received until 11.5 s and again from 105.5 s on.
  static func run(_ answers: String, recordTo name: String, in folder: ScratchFolder) throws
    -> CommandRun
  {
    let capture = try SeveralCapturesTests.recording(
      SeveralCapturesTests.radio(receiving: 0...11, 105...130, at: 0.5),
      to: "gap.jsonl",
      in: folder
    )
    let environment = ["XDG_STATE_HOME": folder.path("state")]
    #expect(
      CommandRun(["auth", "set", "always", "--client", "guide"], environment: environment).code
        == .done
    )
    return CommandRun(
      try arguments(in: folder)
        + ["-f", capture, "--answers", folder.write(answers, to: "answers.json5")]
        + ["--record", folder.path(name)],
      environment: environment
    )
  }

  static func arguments(in folder: ScratchFolder) throws -> [String] {
    let manifest = try folder.write(#"{ whenInUse: "w", alwaysAndWhenInUse: "a" }"#, to: "m.json5")
    return [
      "range", "-r", "a=\(museum)", "-s", museum, "--client", "guide", "--manifest", manifest,
      "--profile", "coreLocation14", "--format", "jsonl",
    ]
  }

  @Test(arguments: [
    "[]", "[{ at: 59.5, input: 'background' }]", "[{ at: 100, input: 'screenOn' }]",
    "[{ at: 30, input: 'background' }, { at: 90, input: 'foreground' }]",
    "[{ at: 105, input: 'foreground' }]", "[{ at: 104.9, input: 'services', on: true }]",
  ])
  func `no crossing, no tick, and one gap, which is the operator's`(_ answers: String) throws {
    let folder = try ScratchFolder()
    let run = try Self.run(answers, recordTo: "run.jsonl", in: folder)
    #expect(run.code == .done, "\(run.errors)")
    #expect(!run.output.contains("region.exit"), "\(run.output)")
    #expect(!run.output.contains("region.enter"))
    #expect(!run.output.contains("timeGap"))
    let theOperator = CommandRun([
      "range", "-r", "a=\(Self.museum)", "-f", folder.path("run.jsonl"), "--format", "jsonl",
    ])
    #expect(theOperator.lines.count { $0.contains("timeGap") } == 1, "\(theOperator.errors)")
    for line in run.lines where line.contains(#""type":"ranged""#) {
      let time = line.dropFirst(28).prefix(40)
      #expect(!time.contains("22:14:") || !line.contains(#""beacons":[]"#), "\(line)")
    }
    let replay = CommandRun(
      try Self.arguments(in: folder) + ["-f", folder.path("run.jsonl")],
      environment: ["XDG_STATE_HOME": folder.path("other")]
    )
    #expect(replay.output == run.output)
  }
}
