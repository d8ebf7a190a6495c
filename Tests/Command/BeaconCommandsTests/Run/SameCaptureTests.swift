// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import CommandTestSupport
import Foundation
import Testing

/// A capture that is named twice is read once, and that is said.
@Suite struct SameCaptureTests {
  private let folder: ScratchFolder
  private let walk: String
  private static let range = ["-s", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--format", "jsonl"]

  init() throws {
    folder = try ScratchFolder()
    walk = folder.path("walk.btsnoop")
    try FileManager.default.copyItem(atPath: CommandRun.capture("walk.btsnoop"), toPath: walk)
  }

  @Test func `the same path, another name, a link and a hard link are one capture`() throws {
    let (hard, soft) = (folder.path("hard.btsnoop"), folder.path("soft.btsnoop"))
    try FileManager.default.linkItem(atPath: walk, toPath: hard)
    try FileManager.default.createSymbolicLink(atPath: soft, withDestinationPath: walk)
    let once = CommandRun(["range", "-f", walk, "--summary"] + Self.range)
    for second in [walk, folder.path("./walk.btsnoop"), hard, soft] {
      let twice = CommandRun(["range", "-f", walk, "-f", second] + Self.range)
      #expect(twice.code == .done)
      #expect(twice.output == once.output, "\(second)")
      let said =
        second == walk
        ? "\(walk) is named twice; it is read once"
        : "\(second) is the same file as \(walk); it is read once"
      #expect(twice.errors == "beaconctl: \(said)\n")
      #expect(CommandRun(["range", "-q", "-f", walk, "-f", second] + Self.range).errors.isEmpty)
    }
    #expect(!once.output.isEmpty)
  }

  @Test func `copies are captures of their own, as two receivers may receive alike`() throws {
    let copy = folder.path("copy.btsnoop")
    try FileManager.default.copyItem(atPath: walk, toPath: copy)
    let run = CommandRun(["range", "-f", walk, "-f", copy] + Self.range)
    #expect(run.code == .done && !run.errors.contains("read once"))
  }

  @Test func `a message names the command without the program`() {
    let monitor = CommandRun(["monitor", "-f", walk])
    #expect(monitor.code == .usage)
    #expect(monitor.errors.hasPrefix("beaconctl: 'beaconctl monitor' needs --region ID=UUID"))
    let auth = CommandRun(["auth", "reset"], environment: ["HOME": folder.path("home")])
    #expect(auth.errors.hasPrefix("beaconctl: 'beaconctl auth reset' needs --client ID"))
  }
}
