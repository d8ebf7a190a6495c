// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

@Suite struct CalibrateCommandTests {
  static let beacon = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/17"

  /// The lines of a capture of the beacon from one place: 4 dB of noise, 15 % of fades of 8 dB, four reports a second.
  ///
  /// It announces −70 dBm, which is not what it has.
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
      ["calibrate", "--beacon", Self.beacon, "--from", near, "--write", site],
      terminal: true
    )
    #expect(run.code == .done, "\(run.errors)")
    #expect(run.output.contains("400 samples by hci0"))
    #expect(run.output.contains("announced -70 dBm"))
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
    let run = CommandRun([
      "calibrate", "--beacon", Self.beacon, "--from", near, "--at", "1m", "--from", far, "--at",
      "800cm", "--write", file,
    ])
    #expect(run.code == .done, "\(run.errors)")
    let answer = try #require(
      JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    )
    let power = try #require(answer["power"] as? Double)
    let exponent = try #require(answer["exponent"] as? Double)
    // The mean, as makers announce it: 15 % of the reports are faded by 8 dB.
    #expect(abs(power + 62.2) <= 1)
    #expect(abs(exponent - 2.3) <= 0.2)
    #expect(answer["exponent_error"] as? Double == 0.63)
    #expect(CommandRun(["config", "check", file]).code == .done)
    // What is written is the law to range by: within a decibel of what is heard at either place.
    let held = try #require(answer["held_exponent"] as? Double)
    let used = try #require(answer["held_power"] as? Double)
    #expect(abs(held - (2 + 0.39 * (exponent - 2))) < 0.02)
    #expect(abs(used + 10 * (exponent - held) * log10(8) / 2 - power) < 0.1)
    let written = try String(contentsOfFile: file, encoding: .utf8)
    #expect(written.contains("powerAt1m: \((used * 10).rounded() / 10)"))
    #expect(written.contains("farDistance"))
  }

  @Test func `a large spread is reported and nothing is written`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.capture(at: 1, noise: 12), to: "wild.jsonl")
    let file = folder.path("none.json5")
    let run = CommandRun(["calibrate", "--beacon", Self.beacon, "--from", path, "--write", file])
    #expect(run.code == .negativeVerdict)
    #expect(run.errors.contains("turn it, clear the line"))
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `a beacon that is not received is reported`() throws {
    let run = CommandRun([
      "calibrate", "--beacon", Self.beacon, "--from", CommandRun.capture("empty.btsnoop"),
    ])
    #expect(run.code == .negativeVerdict)
    #expect(run.errors.contains("was not received at 1.0 m"))
  }

  @Test func `a configuration that cannot be changed is left alone`() throws {
    let folder = try ScratchFolder()
    let near = try folder.write(Self.capture(at: 1), to: "near.jsonl")
    let broken = try folder.write("{ calibration: [1] }", to: "broken.json5")
    let run = CommandRun(["calibrate", "--beacon", Self.beacon, "--from", near, "--write", broken])
    #expect(run.code == .badConfiguration)
    #expect(run.errors.contains("broken.json5:1:16"))
    #expect(try String(contentsOfFile: broken, encoding: .utf8) == "{ calibration: [1] }")
  }

  @Test(arguments: [
    (["--beacon", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1"], "must name one beacon"),
    ([], "--beacon is missing"),
    (["--beacon", beacon, "--at", "1"], "write it with its unit"),
    (["--beacon", beacon, "--at", "0m"], "is not a distance from 0.1 to 100.0 m"),
    (["--beacon", beacon, "--at", "1m", "--at", "1.5m", "-f", "a", "-f", "b"], "at least 2 times"),
    (["--beacon", beacon, "--at", "1m", "--at", "3m", "--from", "a"], "2 distances and 1 capture"),
    (["--beacon", beacon, "--samples", "3"], "from 20"),
  ])
  func `contradictory options are refused`(_ arguments: [String], _ words: String) {
    let run = CommandRun(["calibrate"] + arguments)
    #expect(run.code == .usage)
    #expect(run.errors.contains(words), "\(run.errors)")
  }
}
