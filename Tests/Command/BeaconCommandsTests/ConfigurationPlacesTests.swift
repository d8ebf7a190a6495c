// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// Configuration files that are read without being named.
@Suite struct ConfigurationPlacesTests {
  private let folder: ScratchFolder
  private let machine: String
  private let user: String
  private let named: String
  private var environment: [String: String] { ["HOME": folder.path("home")] }

  init() throws {
    folder = try ScratchFolder()
    let place = folder.path("home/.config/beacons")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    machine = try folder.write(
      "{ set: { 'ranging.linger': 1, 'timing.gap': 61, 'tracks.limit': 101, 'tracks.retention': 91 } }",
      to: "machine.json5"
    )
    user = try folder.write(
      "{ set: { 'ranging.linger': 2, 'timing.gap': 62, 'tracks.limit': 102 } }",
      to: "home/.config/beacons/config.json5"
    )
    named = try folder.write(
      "{ set: { 'ranging.linger': 3, 'timing.gap': 63 } }",
      to: "named.json5"
    )
  }

  private func show(_ more: String..., environment: [String: String]? = nil) -> CommandRun {
    CommandRun(
      ["config", "show", "--format", "table"] + more,
      environment: environment ?? self.environment,
      machineConfiguration: machine
    )
  }

  private func value(_ key: String, _ run: CommandRun) -> [Substring] {
    let line = run.lines.first { $0.hasPrefix(key + " ") } ?? ""
    return line.split(separator: " ")
  }

  @Test func `each place overrides the one below it, key by key`() {
    let run = show("--config", named, "--set", "ranging.linger=4")
    #expect(run.code == .done, "\(run.errors)")
    #expect(value("ranging.linger", run) == ["ranging.linger", "4", "s", "--set"])
    #expect(value("timing.gap", run) == ["timing.gap", "63", "s", named[...]])
    #expect(value("tracks.limit", run)[1] == "102")
    #expect(value("tracks.retention", run)[1] == "91")
    #expect(run.output.contains(user))
    #expect(run.output.contains(machine))
  }

  @Test func `no file is read if none is wanted`() {
    for run in [
      show("--config", "none"),
      show(environment: environment.merging(["BEACONS_CONFIG": "none"]) { $1 }),
    ] {
      #expect(value("ranging.linger", run)[1] == "10")
      #expect(value("ranging.linger", run).suffix(2) == ["built", "in"])
      #expect(!run.output.contains(folder.url.path))
    }
  }

  @Test func `BEACONS_CONFIG stands for the option that is not given`() {
    let with = environment.merging(["BEACONS_CONFIG": named]) { $1 }
    #expect(value("timing.gap", show(environment: with))[1] == "63")
    #expect(value("timing.gap", show("--config", user, environment: with))[1] == "62")
  }

  @Test func `the account's folder is XDG_CONFIG_HOME where it is set`() throws {
    let place = folder.path("xdg/beacons")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    _ = try folder.write("{ set: { 'ranging.linger': 7 } }", to: "xdg/beacons/config.json5")
    let xdg = environment.merging(["XDG_CONFIG_HOME": folder.path("xdg")]) { $1 }
    #expect(value("ranging.linger", show(environment: xdg))[1] == "7")
    let path = CommandRun(["config", "path"], environment: xdg)
    #expect(path.output == "\(place)/config.json5\n")
    // A path that is not absolute is ignored, as the base directory specification has it.
    let relative = CommandRun(
      ["config", "path"],
      environment: environment.merging(["XDG_CONFIG_HOME": "here"]) { $1 }
    )
    #expect(relative.output == "\(user)\n")
    #expect(CommandRun(["config", "path"]).code == .failed)
  }

  @Test func `a fault of a file that was found stops every command that uses it`() throws {
    _ = try folder.write("{ set: { 'ranging.lingr': 7 } }", to: "home/.config/beacons/config.json5")
    let line = ["range", "--from", ReplayCommandTests.walk, "-s", CaptureGoldenTests.gallery]
    let run = CommandRun(line, environment: environment)
    #expect(run.code == .badConfiguration)
    #expect(run.errors.contains("config.json5:1:"), "\(run.errors)")
    #expect(CommandRun(line + ["--config", "none"], environment: environment).code == .done)
    // Names of beacons are of the configuration, so `inspect` uses it; `convert` does not.
    let inspect = ["inspect", ReplayCommandTests.walk]
    #expect(CommandRun(inspect, environment: environment).code == .badConfiguration)
    #expect(CommandRun(inspect + ["--config", "none"], environment: environment).code == .done)
    let convert = ["convert", ReplayCommandTests.walk, folder.path("copy.jsonl")]
    #expect(CommandRun(convert, environment: environment).code == .done)
  }

  @Test func `of a file with many faults the first hundred are shown`() throws {
    let entries = (0..<300).map { "r\($0): { exit: 'x' }" }.joined(separator: ",\n")
    let path = try folder.write("{ regions: {\n\(entries) } }", to: "many.json5")
    let run = CommandRun(["config", "show", "--config", path], environment: environment)
    #expect(run.code != .done)
    let lines = run.errors.split(whereSeparator: \.isNewline)
    #expect(lines.count == 101, "\(lines.count)")
    #expect(lines.last?.hasSuffix("and 200 more faults") ?? false)
  }

  @Test func `a found file changes a run's deliveries, and is never an output`() throws {
    _ = try folder.write("{ profile: 'coreLocation14' }", to: "home/.config/beacons/config.json5")
    let line = ["range", "--from", ReplayCommandTests.walk, "-s", CaptureGoldenTests.gallery]
    let found = CommandRun(line, environment: environment).output
    #expect(found == CommandRun(line + ["--profile", "coreLocation14"]).output)
    #expect(found != CommandRun(line).output)
    let onto = CommandRun(
      line + ["--record", user, "--force"],
      environment: environment
    )
    #expect(onto.code == .usage, "\(onto.errors)")
  }

  @Test func `calibrations and regions of several files add up`() throws {
    _ = try folder.write(
      """
      { calibration: { beacons: { '\(CaptureGoldenTests.gallery)/1/1': -60 }, receivers: { hci1: 2 } },
        set: { 'ranging.fallbackPower': -65 } }
      """,
      to: "home/.config/beacons/config.json5"
    )
    let file = try folder.write(
      """
      { calibration: { beacons: { '\(CaptureGoldenTests.gallery)': -61 }, receivers: { hci0: -3 } },
        regions: { lobby: { exit: 8 } } }
      """,
      to: "site.json5"
    )
    let run = CommandRun(
      ["config", "show", "--format", "table", "--config", file],
      environment: environment
    )
    for text in [
      "/1/1  -60.0 dBm", "\(CaptureGoldenTests.gallery)  -61.0 dBm", "hci0  -3.0 dB", "  lobby",
    ] {
      #expect(run.output.contains(text), "\(run.output)")
    }
    #expect(value("ranging.fallbackPower", run)[1] == "-65")
  }

  @Test func `the regions that --region completes are names that it takes`() throws {
    let file = try folder.write(
      #"""
      { regions: { "hall 1": { exit: 8 }, "$(touch x)": { exit: 8 }, "a:b": { exit: 8 },
        "-dash": { exit: 8 }, "x=y": { exit: 8 }, "new\nline": { exit: 8 }, "": { exit: 8 } } }
      """#,
      to: "regions.json5"
    )
    let run = CommandRun(["config", "show", "--regions", "--config", file])
    #expect(run.lines == ["$(touch x)", "a:b", "hall 1"], "\(run.output)\(run.errors)")
    for name in run.lines {
      let region = "\(name)=\(CaptureGoldenTests.gallery)"
      let monitor = CommandRun(
        ["monitor", "--from", CommandRun.capture("walk.btsnoop"), "-r", region, "--config", file]
      )
      #expect(monitor.code == .done, "\(monitor.errors)")
    }
  }

  @Test func `an editor needs a terminal`() {
    let run = CommandRun(["config", "edit"], environment: environment)
    #expect(run.code == .usage)
    #expect(run.errors.contains(user), "\(run.errors)")
  }
}
