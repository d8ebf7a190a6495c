// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands
@testable import CalibrateCommands

@Suite struct CalibrateCommandTests {
  static let beacon = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/17"

  /// The lines of a capture of the beacon from one place: 4 dB of noise, 15 % of fades of 8 dB, four reports a second.
  ///
  /// It announces −70 dBm, which is not its power.
  static func capture(
    at meters: Double,
    power: Double = -61,
    exponent: Double = 2.3,
    noise: Double = 4,
    count: Int = 400,
    seed: UInt64 = 1
  ) -> String {
    var random = SplitMix64(seed: seed)
    let level = power - 10 * exponent * log10(meters)
    var text = #"{"v":1,"type":"capture","tool":"test","receivers":["hci0"]}"# + "\n"
    for index in 0..<count {
      let sum = (0..<12).reduce(0.0) { total, _ in total + Double.random(in: 0...1, using: &random)
      }
      let fade = Double.random(in: 0...1, using: &random) < 0.15 ? 8.0 : 0
      let rssi = Int((level + noise * (sum - 6) - fade).rounded())
      let time = String(format: "%02d:%02d.%03d", index / 240, index / 4 % 60, index % 4 * 250)
      text +=
        #"{"v":1,"type":"report","t":"2026-01-01T10:\#(time)Z","receiver":"hci0","rssi":\#(rssi),"#
        + #""manufacturer":{"004c":"0215f7826da64fa24e988024bc5b71e0893e00010011ba"}}"# + "\n"
    }
    return text
  }

  @Test func `one meter gives the power, and range uses it`() throws {
    let folder = try ScratchFolder()
    let near = try folder.write(Self.capture(at: 1), to: "near.jsonl")
    let site = try folder.write("// the hall\n{\n  set: {}, // none\n}\n", to: "site.json5")
    let run = CommandRun(
      of: .withCalibrate,
      ["calibrate", "--beacon", Self.beacon, "--from", near, "--write", site],
      terminal: true
    )
    #expect(run.code == .done, "\(run.errors)")
    #expect(run.output.contains("400 samples by hci0"))
    #expect(run.output.contains("announced -70 dBm"))
    #expect(run.errors.contains("one distance shows no law of this room"))
    let written = try String(contentsOfFile: site, encoding: .utf8)
    #expect(written.hasPrefix("// the hall\n{\n  calibration: { beacons: {"))
    #expect(written.hasSuffix("  set: {}, // none\n}\n"))
    let power = try #require(
      written.firstMatch(of: /"F7826DA6.*?": (-[0-9.]+)/).flatMap { Double($0.1) }
    )
    // The mean, as makers announce it: 15 % of the reports are faded by 8 dB.
    #expect(abs(power + 62.2) <= 1)

    func distance(_ more: [String]) throws -> Double {
      let ranged = CommandRun(
        of: .withCalibrate,
        ["range", "--from", near, "--satisfying", Self.beacon, "--format", "jsonl"] + more
      )
      let last = try #require(ranged.lines.last)
      return try #require(last.firstMatch(of: /"distance":([0-9.]+)/).flatMap { Double($0.1) })
    }
    // With the announced power it stands at 0.35 m, with the measured one at a meter.
    #expect(try distance([]) < 0.6)
    #expect(try abs(distance(["--config", site]) - 1) < 0.35)
  }

  @Test(arguments: UInt64(0)..<8)
  func `a far point gives the law`(_ seed: UInt64) throws {
    let folder = try ScratchFolder()
    let near = try folder.write(Self.capture(at: 1, seed: seed), to: "near.jsonl")
    let far = try folder.write(Self.capture(at: 8, seed: 100 + seed), to: "far.jsonl")
    let file = folder.path("new.json5")
    let run = CommandRun(
      of: .withCalibrate,
      [
        "calibrate", "--beacon", Self.beacon, "--from", near, "--at", "1m", "--from", far, "--at",
        "800cm", "--write", file, "--format", "json",
      ]
    )
    #expect(run.code == .done, "\(run.errors)")
    let answer = try #require(
      JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    )
    #expect(run.output.hasSuffix("}\n"))
    let power = try #require(answer["power"] as? Double)
    let exponent = try #require(answer["exponent"] as? Double)
    // The mean, as makers announce it: 15 % of the reports are faded by 8 dB.
    #expect(abs(power + 62.2) <= 1)
    #expect(abs(exponent - 2.3) <= 0.2)
    #expect(answer["exponent_error"] as? Double == 0.63)
    #expect(CommandRun(of: .withCalibrate, ["config", "check", file]).code == .done)
    // The output is the law to range by: within a decibel of the level at either place.
    let held = try #require(answer["held_exponent"] as? Double)
    let used = try #require(answer["held_power"] as? Double)
    #expect(abs(held - (2 + 0.39 * (exponent - 2))) < 0.02)
    #expect(abs(used + 10 * (exponent - held) * log10(8) / 2 - power) < 0.1)
    let written = try String(contentsOfFile: file, encoding: .utf8)
    #expect(try abs(Self.number("powerAt1m", in: file) - used) < 0.06)
    #expect(written.contains("farDistance"))
  }

  @Test func `captures that were exchanged are refused`() throws {
    let folder = try ScratchFolder()
    let near = try folder.write(Self.capture(at: 1), to: "near.jsonl")
    let far = try folder.write(Self.capture(at: 8, seed: 2), to: "far.jsonl")
    let file = folder.path("none.json5")
    let arguments = [
      "calibrate", "--beacon", Self.beacon, "--from", far, "--at", "1m", "--from", near, "--at",
      "8m", "--write", file,
    ]
    let run = CommandRun(of: .withCalibrate, arguments + ["--format", "table"])
    #expect(run.code == .negativeVerdict)
    #expect(run.errors.contains("nothing was written: at 8.0 m the beacon is 2"), "\(run.errors)")
    #expect(run.errors.contains("captures exchanged? Check each --at"), "\(run.errors)")
    #expect(!run.output.contains("exponent"), "\(run.output)")
    #expect(!FileManager.default.fileExists(atPath: file))
    let forced = CommandRun(of: .withCalibrate, arguments + ["--force", "--format", "table"])
    #expect(forced.code == .done && forced.errors.contains("captures exchanged?"))
    #expect(forced.output.contains("path loss exponent: -2."), "\(forced.output)")
    #expect(forced.output.contains("used is the limit of 1.0"), "\(forced.output)")
  }

  @Test func `an exponent that no room has is not shown as measured`() throws {
    let folder = try ScratchFolder()
    let near = try folder.write(Self.capture(at: 1), to: "near.jsonl")
    let far = try folder.write(Self.capture(at: 8, exponent: 0, seed: 2), to: "far.jsonl")
    let arguments = [
      "calibrate", "--beacon", Self.beacon, "--from", near, "--at", "1m", "--from", far, "--at",
      "8m",
    ]
    let run = CommandRun(of: .withCalibrate, arguments + ["--format", "table"])
    #expect(run.code == .done)
    #expect(run.output.contains("± 0.63, which no room has; used is the limit of 1.0"))
    #expect(run.errors.contains("no room has the measured exponent"), "\(run.errors)")
    let json = CommandRun(of: .withCalibrate, arguments + ["--format", "json"])
    #expect(json.output.contains(#""exponent":1.00,"exponent_clamped":true,"exponent_measured":"#))
  }

  @Test func `three places that scatter widely are not written without a word`() throws {
    let folder = try ScratchFolder()
    let places = [(10.0, "1m"), (1, "4m"), (4, "10m")]
    var arguments = ["calibrate", "--beacon", Self.beacon]
    for (index, (meters, said)) in places.enumerated() {
      let text = Self.capture(at: meters, exponent: 3, seed: UInt64(index))
      arguments += ["--from", try folder.write(text, to: "\(index).jsonl"), "--at", said]
    }
    let run = CommandRun(of: .withCalibrate, arguments)
    #expect(run.code == .negativeVerdict && run.errors.contains("captures exchanged?"))
    let forced = CommandRun(of: .withCalibrate, arguments + ["--force"])
    #expect(forced.errors.contains("the places scatter by"), "\(forced.errors)")
  }

  @Test func `a level that is not known well is written only with force`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.capture(at: 1, noise: 16, count: 30), to: "wild.jsonl")
    let file = folder.path("none.json5")
    let arguments = ["calibrate", "--beacon", Self.beacon, "--from", path, "--write", file]
    let run = CommandRun(of: .withCalibrate, arguments)
    #expect(run.code == .negativeVerdict)
    #expect(run.errors.contains("turn it, clear the line") && run.errors.contains("--force"))
    #expect(!FileManager.default.fileExists(atPath: file))
    let forced = CommandRun(of: .withCalibrate, arguments + ["--force"])
    #expect(forced.code == .done && forced.errors.contains("turn it, clear the line"))
    #expect(CommandRun(of: .withCalibrate, ["config", "check", file]).code == .done)
  }

  @Test func `a large spread of many samples is a warning`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.capture(at: 1, noise: 10), to: "wide.jsonl")
    let file = folder.path("wide.json5")
    let run = CommandRun(
      of: .withCalibrate,
      ["calibrate", "--beacon", Self.beacon, "--from", path, "--write", file]
    )
    #expect(run.code == .done && run.errors.contains("at 1.0 m, spread 1"), "\(run.errors)")
    #expect(FileManager.default.fileExists(atPath: file))
  }

  static let second = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/18"

  /// Writes captures at 1 and 8 m, and calibrates the beacon from them.
  private static func calibrate(
    _ beacon: String,
    exponent: Double,
    power: Double = -61,
    into file: String,
    _ folder: ScratchFolder,
    _ more: [String] = []
  ) throws -> CommandRun {
    var arguments = ["calibrate", "--beacon", beacon, "--write", file] + more
    for (index, meters) in [1.0, 8].enumerated() {
      let text = capture(at: meters, power: power, exponent: exponent, seed: UInt64(index))
        .replacingOccurrences(
          of: "00010011ba",
          with: beacon == second ? "00010012ba" : "00010011ba"
        )
      let path = try folder.write(text, to: "\(meters) \(exponent) \(power).jsonl")
      arguments += ["--from", path, "--at", "\(meters)m"]
    }
    return CommandRun(of: .withCalibrate, arguments)
  }

  /// The number of a key behind another key.
  private static func number(_ keys: String..., in file: String) throws -> Double {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    var after = text.startIndex
    for key in keys { after = try #require(text[after...].range(of: key)).upperBound }
    return try #require(
      text[after...].firstMatch(of: /^"?: (-?[0-9.]+)/).flatMap { Double($0.1) },
      "\(text)"
    )
  }

  @Test func `a second beacon keeps the first one's places, and one law fits both`() throws {
    let folder = try ScratchFolder()
    let file = folder.path("site.json5")
    #expect(try Self.calibrate(Self.beacon, exponent: 3, into: file, folder).code == .done)
    let (first, far) = try (
      Self.number("beacons:", "/1/17", in: file), Self.number("powerAtFar", in: file)
    )
    let run = try Self.calibrate(Self.second, exponent: 1.6, power: -70, into: file, folder)
    #expect(run.code == .done, "\(run.errors)")
    #expect(CommandRun(of: .withCalibrate, ["config", "check", file]).code == .done)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    for meters in ["\"1\": -", "\"8\": -"] {
      #expect(text.components(separatedBy: meters).count == 3, "\(text)")
    }
    // The first beacon's power follows from the new law, so that its levels in the middle mean the same distance.
    let (again, other) = try (
      Self.number("beacons:", "/1/17", in: file), Self.number("beacons:", "/1/18", in: file)
    )
    #expect(again < first && abs(again - other - 2.7) < 1.5)
    #expect(try Self.number("powerAtFar", in: file) != far)
    // A third time, nothing changes: the places are the same.
    let before = text
    #expect(
      try Self.calibrate(Self.second, exponent: 1.6, power: -70, into: file, folder).code == .done
    )
    #expect(try String(contentsOfFile: file, encoding: .utf8) == before)
  }

  @Test func `a site's law of other origin is replaced only with force`() throws {
    let folder = try ScratchFolder()
    let law = "{ calibration: { site: { powerAt1m: -59, powerAtFar: -85, farDistance: 6 } } }\n"
    let file = try folder.write(law, to: "site.json5")
    let run = try Self.calibrate(Self.beacon, exponent: 2, into: file, folder)
    #expect(run.code == .negativeVerdict && run.errors.contains("--force replaces it"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == law)
    let forced = try Self.calibrate(Self.beacon, exponent: 2, into: file, folder, ["--force"])
    #expect(forced.code == .done)
    #expect(try Self.number("powerAtFar", in: file) > -80)
  }

  @Test(arguments: [[], ["--zone"]])
  func `the limit of the zone lies midway between two levels`(_ options: [String]) throws {
    let folder = try ScratchFolder()
    let file = folder.path("zone.json5")
    let run = try Self.calibrate(Self.beacon, exponent: 2, into: file, folder, options)
    #expect(run.code == .done && run.errors.contains("limit between near and far: 2.8"))
    #expect(!run.errors.contains("one distance"))
    // Of 1 and 8 m, by any log-distance law through their middle.
    #expect(try abs(Self.number("ranging.near", in: file) - 8.0.squareRoot()) < 0.02)
    #expect(CommandRun(of: .withCalibrate, ["config", "check", file]).code == .done)
  }

  @Test
  func
    `a limit that the file has is replaced only on request, and none is written against the user's will`()
    throws
  {
    let folder = try ScratchFolder()
    let file = try folder.write("{ set: { \"ranging.near\": 4.5 } }", to: "zone.json5")
    let kept = try Self.calibrate(Self.beacon, exponent: 2, into: file, folder)
    #expect(kept.code == .done && !kept.errors.contains("limit"))
    #expect(try Self.number("ranging.near", in: file) == 4.5)
    _ = try Self.calibrate(Self.beacon, exponent: 2, into: file, folder, ["--zone"])
    #expect(try Self.number("ranging.near", in: file) < 3)
    let other = folder.path("other.json5")
    let run = try Self.calibrate(Self.beacon, exponent: 2, into: other, folder, ["--keep-zone"])
    #expect(run.code == .done)
    #expect(try !String(contentsOfFile: other, encoding: .utf8).contains("ranging.near"))
  }

  @Test func `a beacon that is received without an RSSI is not called absent`() throws {
    let lines = (10..<40).map { second in
      #"{"v":1,"type":"sighting","t":"2026-05-02T10:00:\#(second)Z","#
        + #""uuid":"\#(Self.beacon.prefix(36))","major":1,"minor":17,"power":-59,"rssi":null}"#
        + "\n"
    }
    let folder = try ScratchFolder()
    let path = folder.path("unmeasured.jsonl")
    try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
    let run = CommandRun(
      of: .withCalibrate,
      ["calibrate", "--beacon", Self.beacon, "--from", path]
    )
    #expect(run.code == .negativeVerdict)
    #expect(run.errors.contains("was received 30 times at 1.0 m, each time without an RSSI"))
  }

  @Test func `a beacon that is not received is reported`() throws {
    let run = CommandRun(
      of: .withCalibrate,
      [
        "calibrate", "--beacon", Self.beacon, "--from", CommandRun.capture("empty.btsnoop"),
      ]
    )
    #expect(run.code == .negativeVerdict)
    #expect(run.errors.contains("was not received at 1.0 m in"))
    #expect(run.errors.contains("'beaconctl inspect"))
  }

  @Test func `a configuration that cannot be changed is left alone`() throws {
    let folder = try ScratchFolder()
    let near = try folder.write(Self.capture(at: 1), to: "near.jsonl")
    let broken = try folder.write("{ calibration: [1] }", to: "broken.json5")
    let run = CommandRun(
      of: .withCalibrate,
      ["calibrate", "--beacon", Self.beacon, "--from", near, "--write", broken]
    )
    #expect(run.code == .badConfiguration)
    #expect(run.errors.contains("broken.json5:1:16"))
    #expect(try String(contentsOfFile: broken, encoding: .utf8) == "{ calibration: [1] }")
  }

  @Test(arguments: [
    (["--beacon", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1"], "must name one beacon"),
    ([], "needs --beacon UUID"),
    (["--beacon", beacon, "--at", "1"], "write it with its unit"),
    (["--beacon", beacon, "--at", "0m"], "is not a distance from 0.1 to 100.0 m"),
    (["--beacon", beacon, "--at", "1m", "--at", "1.5m", "-f", "a", "-f", "b"], "at least 2 times"),
    (["--beacon", beacon, "--at", "1m", "--at", "3m", "--from", "a"], "2 distances and 1 capture"),
    (["--beacon", beacon, "--samples", "3"], "from 20"),
    (["--beacon", beacon, "--zone"], "at two distances"),
  ])
  func `contradictory options are refused`(_ arguments: [String], _ words: String) {
    let run = CommandRun(of: .withCalibrate, ["calibrate"] + arguments)
    #expect(run.code == .usage)
    #expect(run.errors.contains(words), "\(run.errors)")
  }

  @Test func `a capture was recorded at one distance`() throws {
    let folder = try ScratchFolder()
    let near = try folder.write(Self.capture(at: 1), to: "near.jsonl")
    try FileManager.default.linkItem(atPath: near, toPath: folder.path("far.jsonl"))
    for far in [near, folder.path("far.jsonl")] {
      let run = CommandRun(
        of: .withCalibrate,
        [
          "calibrate", "--beacon", Self.beacon, "--from", near, "--at", "1m", "--from", far, "--at",
          "8m",
        ]
      )
      #expect(run.code == .usage)
      #expect(run.errors.contains("one capture is named for two distances"))
    }
  }
}
