// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import CalibrateCommands

/// `sweep`, by its command line.
@Suite struct SweepCommandTests {

  private func run(_ arguments: [String], terminal: Bool = false) -> CommandRun {
    CommandRun(of: .withCalibrate, ["calibrate", "sweep"] + arguments, terminal: terminal)
  }

  /// Two minutes of two beacons, four reports a second each; `rssi` gives the RSSI of a beacon in a second.
  private static func capture(_ rssi: (_ minor: Int, _ second: Int) -> Int?) -> String {
    var lines = [
      #"{"v":1,"type":"capture","tool":"test","version":"1","receivers":["hci0"],"redacted":true}"#
    ]
    func time(_ second: Int, _ part: Int) -> String {
      String(format: "2026-05-02T10:%02d:%02d.%06dZ", second / 60, second % 60, part * 250_000 + 10)
    }
    for second in 0..<120 {
      for part in 0..<4 {
        for minor in 1...2 {
          guard let rssi = rssi(minor, second) else { continue }
          lines.append(
            #"{"v":1,"type":"report","t":"\#(time(second, part))","receiver":"hci0","#
              + #""address":"02:00:00:00:00:0\#(minor)","address_type":"random","#
              + #""event":"ADV_NONCONN_IND","rssi":\#(rssi),"#
              + #""ad":"0201061aff4c000215f7826da64fa24e988024bc5b71e0893e0001000\#(minor)c5"}"#
          )
        }
      }
    }
    lines.append(#"{"v":1,"type":"end","t":"2026-05-02T10:02:00.000000Z"}"#)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func results(_ run: CommandRun) throws -> [String: [String: Any]] {
    var results: [String: [String: Any]] = [:]
    for line in run.lines {
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      )
      results[try #require(object["set"] as? String)] = object
    }
    return results
  }

  @Test func `the deliveries are counted for each set`() throws {
    let folder = try ScratchFolder()
    // In the middle both change places; the second is silent for two seconds.
    let path = try folder.write(
      Self.capture { minor, second in
        if minor == 2, (20..<22).contains(second) { return nil }
        return (minor == 1) == (second < 60) ? -55 : -75
      },
      to: "walk.jsonl"
    )
    let run = run([
      "--from", path, "--try", "ranging.hold=false", "--try",
      "ranging.filter=altbeacon,ranging.certainty=0",
    ])
    #expect(run.code == .done, "\(run.errors)")
    let results = try Self.results(run)
    let ours = try #require(results["as configured"])
    #expect(ours["changes"] as? Double == 0.5)
    #expect(ours["flips"] as? Double == 1)
    #expect(ours["unknown"] as? Double == 0)
    #expect(try #require(ours["lag"] as? Double) <= 3)
    #expect(try #require(ours["wrong"] as? Double) < 4)
    #expect(ours["best"] as? Bool == true)
    // Of 240 seconds that a beacon was present, two had no report.
    let plain = try #require(results["ranging.hold=false"]?["unknown"] as? Double)
    #expect(plain > 0.5 && plain < 1.5)
    let slow = try #require(results["ranging.filter=altbeacon,ranging.certainty=0"])
    #expect(try #require(slow["lag"] as? Double) > 5 && slow["best"] as? Bool == false)
  }

  @Test func `a terminal gets a table, and the usual sets without --try`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.capture { minor, _ in -50 - 10 * minor }, to: "stay.jsonl")
    let run = run(["--from", path], terminal: true)
    #expect(run.code == .done, "\(run.errors)")
    #expect(run.lines.first?.hasPrefix(" FLIPS  CHANGES") == true)
    #expect(run.lines.count == 14)
    #expect(run.lines[1].hasSuffix("  * as configured"))
    #expect(run.lines[1].hasPrefix("  0.00     0.00     0 %      0 %   0 s"), "\(run.lines[1])")
  }

  @Test(arguments: [
    ([], "needs --from FILE"), (["--from", "-"], "cannot be standard input"),
    (["--from", "a", "--try", "ranging.near"], "write KEY=VALUE"),
    (["--from", "a", "--try", "ranging.nix=3"], "no constant is named"),
    (["--from", "a", "--try", "ranging.near=x"], "ranging.near"),
  ])
  func `sets that make no sense are refused`(_ arguments: [String], _ words: String) {
    let run = run(arguments)
    #expect(run.code == .usage)
    #expect(run.errors.contains(words), "\(run.errors)")
  }

  @Test func `captures without a beacon have no result`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.capture { _, _ in nil }, to: "empty.jsonl")
    let run = run(["--from", path])
    #expect(run.code == .negativeVerdict && run.errors.contains("had a beacon a distance"))
  }
}
