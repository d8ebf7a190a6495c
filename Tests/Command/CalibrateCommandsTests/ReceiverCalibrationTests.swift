// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands
@testable import CalibrateCommands

@Suite struct ReceiverCalibrationTests {
  /// A beacon of the hall, as far from the receivers as it is; `shade` is the loss of a pillar.
  struct PlacedBeacon {
    var minor = 17
    var meters = 1.0
    var shade = 0.0

    var name: String { "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/\(minor)" }
  }

  /// The additions to the receivers' levels: the first receives weakly, the second strongly.
  static let truth = ["hci0": 6.0, "hci1": -3.0]

  /// The lines of a capture by both receivers: 4 dB of noise, 15 % of fades of 8 dB, four reports a second and receiver; the
  /// mean of the beacons is the −61 dBm that they announce.
  static func capture(
    _ beacons: [PlacedBeacon],
    by receivers: [String] = ["hci0", "hci1"],
    count: Int = 200,
    seed: UInt64
  ) -> String {
    var text = #"{"v":1,"type":"capture","tool":"test","receivers":["hci0","hci1"]}"# + "\n"
    var random = SplitMix64(seed: seed)
    for index in 0..<count {
      let time = String(format: "%02d:%02d.%03d", index / 240, index / 4 % 60, index % 4 * 250)
      for beacon in beacons {
        for receiver in ["hci0", "hci1"] {
          let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0...1, using: &random)
          }
          let fade = Double.random(in: 0...1, using: &random) < 0.15 ? 8.0 : 0
          let free = -61 + 0.15 * 8 - 20 * log10(beacon.meters)
          let level = free - beacon.shade - (truth[receiver] ?? 0)
          guard receivers.contains(receiver) else { continue }
          let minor = String(format: "%04x", beacon.minor)
          text +=
            #"{"v":1,"type":"report","t":"2026-01-01T10:\#(time)Z","receiver":"\#(receiver)","#
            + #""rssi":\#(Int((level + 4 * (sum - 6) - fade).rounded())),"#
            + #""manufacturer":{"004c":"0215f7826da64fa24e988024bc5b71e0893e0001\#(minor)c3"}}"#
            + "\n"
        }
      }
    }
    return text
  }

  /// The offsets that a run answers with, by receiver.
  static func offsets(_ run: CommandRun) throws -> [String: Double] {
    let answer = try #require(
      JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    )
    let receivers = try #require(answer["receivers"] as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: receivers.compactMap { receiver in
        guard let name = receiver["receiver"] as? String, let offset = receiver["offset"] as? Double
        else { return nil }
        return (name, offset)
      }
    )
  }

  @Test(arguments: UInt64(0)..<6)
  func `two receivers' offsets are found, and range then agrees`(_ seed: UInt64) throws {
    let folder = try ScratchFolder()
    let both = try folder.write(Self.capture([PlacedBeacon()], seed: seed), to: "both.jsonl")
    let site = try folder.write(
      "// the hall\n{\n  calibration: { receivers: { hci0: -9 } }, // guessed\n}\n",
      to: "site.json5"
    )
    let run = CommandRun(
      of: .withCalibrate,
      [
        "calibrate", "--receiver", "all", "--beacon", PlacedBeacon().name, "--from", both,
        "--write",
        site, "--config", site, "--format", "json",
      ]
    )
    #expect(run.code == .done, "\(run.errors)")
    let offsets = try Self.offsets(run)
    #expect(offsets.count == 2)
    for (name, offset) in Self.truth {
      #expect(try abs(#require(offsets[name]) - offset) <= 1, "\(offsets)")
    }
    let written = try String(contentsOfFile: site, encoding: .utf8)
    #expect(written.hasPrefix("// the hall\n{\n") && written.hasSuffix("}, // guessed\n}\n"))
    #expect(!written.contains("-9"))
    #expect(CommandRun(of: .withCalibrate, ["config", "check", site]).code == .done)

    func distance(_ receiver: String, _ more: [String]) throws -> Double {
      let path = try folder.write(
        Self.capture([PlacedBeacon(meters: 3)], by: [receiver], seed: 50 + seed),
        to: "\(receiver).jsonl"
      )
      let ranged = CommandRun(
        of: .withCalibrate,
        ["range", "--from", path, "--satisfying", PlacedBeacon().name, "--format", "jsonl"] + more
      )
      let last = try #require(ranged.lines.last)
      return try #require(last.firstMatch(of: /"distance":([0-9.]+)/).flatMap { Double($0.1) })
    }
    // Nine decibels apart are a factor of 2.8 in meters.
    #expect(try distance("hci0", []) / distance("hci1", []) > 2)
    let ratio =
      try distance("hci0", ["--config", site]) / distance("hci1", ["--config", site])
    #expect(ratio > 1 / 1.35 && ratio < 1.35, "\(ratio)")
  }

  @Test func `one of three beacons may be shadowed, and one receiver may be chosen`() throws {
    let folder = try ScratchFolder()
    let beacons = [
      PlacedBeacon(minor: 1), PlacedBeacon(minor: 2, meters: 4),
      PlacedBeacon(minor: 3, meters: 2, shade: 12),
    ]
    let path = try folder.write(Self.capture(beacons, by: ["hci1"], seed: 7), to: "a.jsonl")
    let run = CommandRun(
      of: .withCalibrate,
      ["calibrate", "--receiver", "hci1", "--from", path, "--format", "table"]
        + beacons.flatMap { ["--beacon", $0.name, "--at", "\(Int($0.meters))m"] }
    )
    #expect(run.code == .done, "\(run.errors)")
    let offset = try #require(
      run.output.firstMatch(of: /hci1  add (\S+) dB/).flatMap { Double($0.1) }
    )
    // The middle of three is the weaker of the two that stand well.
    #expect(abs(offset + 3) <= 1)
    #expect(!run.output.contains("hci0"))
  }

  @Test(arguments: [["--receiver", "all"], []])
  func `a receiver's name does nothing but be seen`(_ receiver: [String]) throws {
    let folder = try ScratchFolder()
    let text = Self.capture([PlacedBeacon()], by: ["hci1"], seed: 7)
    let hostile = text.split(separator: "hci1", omittingEmptySubsequences: false)
      .joined(separator: #"x\u001b[2J\n\u202e"#)
    let path = try folder.write(hostile, to: "a.jsonl")
    let run = CommandRun(
      of: .withCalibrate,
      [
        "calibrate", "--beacon", PlacedBeacon().name, "--at", "1m", "--from", path, "--format",
        "table",
      ]
        + receiver
    )
    #expect(run.output.contains(#"x\u{1B}[2J\u{A}\u{202E}"#), "\(run.output.printable)")
    #expect(run.output.split(separator: "\n").allSatisfy { $0.isPrintable })
  }

  @Test func `what cannot be measured is reported and nothing is written`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(
      Self.capture([PlacedBeacon()], by: ["hci1"], seed: 1),
      to: "one.jsonl"
    )
    let file = folder.path("none.json5")
    func refused(_ receiver: String, _ beacon: String, _ words: String) {
      let run = CommandRun(
        of: .withCalibrate,
        [
          "calibrate", "--receiver", receiver, "--beacon", beacon, "--from", path, "--write", file,
        ]
      )
      #expect(run.code == .negativeVerdict)
      #expect(run.errors.contains(words), "\(run.errors)")
    }
    refused("hci7", PlacedBeacon().name, "no receiver is 'hci7'; there are: hci0, hci1")
    refused("hci0", PlacedBeacon().name, "at 1.0 m was not received")
    refused("all", PlacedBeacon(minor: 18).name, "no receiver received any of the beacons")
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test(arguments: [
    (["-b", PlacedBeacon().name, "-b", PlacedBeacon(minor: 2).name], "several are for --receiver"),
    (
      [
        "--receiver", "all", "-b", PlacedBeacon().name, "-b", PlacedBeacon(minor: 2).name, "-b",
        PlacedBeacon(minor: 3).name, "--at", "1m", "--at", "2m",
      ], "3 beacons and 2 distances"
    ),
    (["--receiver", "all"], "needs --beacon UUID"),
  ])
  func `contradictory options are refused`(_ arguments: [String], _ words: String) {
    let run = CommandRun(of: .withCalibrate, ["calibrate"] + arguments)
    #expect(run.code == .usage)
    #expect(run.errors.contains(words), "\(run.errors)")
  }

  @Test func `an offset that no receiver has is a warning`() throws {
    let folder = try ScratchFolder()
    let shaded = try folder.write(
      Self.capture([PlacedBeacon(shade: 30)], by: ["hci0"], seed: 1),
      to: "shaded.jsonl"
    )
    func run(_ path: String) -> CommandRun {
      CommandRun(
        of: .withCalibrate,
        ["calibrate", "--receiver", "hci0", "--beacon", PlacedBeacon().name, "--from", path]
      )
    }
    let far = run(shaded)
    #expect(far.code == .done && far.errors.contains("check its antenna"), "\(far.errors)")
    let usual = try folder.write(Self.capture([PlacedBeacon()], seed: 1), to: "usual.jsonl")
    #expect(!run(usual).errors.contains("antenna"))
  }
}
