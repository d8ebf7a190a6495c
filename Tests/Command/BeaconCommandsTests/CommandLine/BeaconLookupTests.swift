// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// Beacons named on the command line by a name, or by the beginning of a UUID.
@Suite struct BeaconLookupTests {
  private static let gallery = CaptureGoldenTests.gallery
  private static let other = "F7826DA7-0000-0000-0000-000000000001"
  private static let walk = CommandRun.capture("walk.btsnoop")
  private let folder: ScratchFolder
  private let names: String

  init() throws {
    folder = try ScratchFolder()
    let file = """
      {
        beacons: {
          "\(Self.gallery)/1/2": "Astrolabe", "\(Self.gallery)/1/3": "Sun dial",
          "\(Self.gallery)/1/4": "Globe", "\(Self.gallery)/2/1": "Globe", "\(Self.gallery)/9/9": "cafe",
          "\(Self.gallery)/9/8": "a/b",
        },
        calibration: { beacons: { "\(Self.other)/1": -60 } },
      }
      """
    names = try folder.write(file, to: "names.json5")
  }

  private func run(_ words: [String]) -> CommandRun { CommandRun(words + ["--config", names]) }

  @Test(arguments: [
    ("Astrolabe", "G/1/2"), ("Sun dial", "G/1/3"), ("cafe", "G/9/9"), ("a/b", "G/9/8"),
    ("F7826DA6", "G"), ("f7826da6-4f", "G"), ("F7826DA6/1", "G/1"), ("F7826DA6-/1/2", "G/1/2"),
    ("F7826DA64FA2", "G"), ("F7826DA7/1/65535", "O/1/65535"),
  ])
  func `a name and the beginning of a UUID stand for a constraint`(_ text: String, _ full: String) {
    let full = full.replacing("G", with: Self.gallery).replacing("O", with: Self.other)
    let found = run(["range", "--from", Self.walk, "-s", text, "--format", "jsonl"])
    let expected = run(["range", "--from", Self.walk, "-s", full, "--format", "jsonl"])
    #expect(found.code == .done)
    #expect(found.output == expected.output)
    #expect(found.errors == "beaconctl: '\(text)' is \(full)\n" + expected.errors)
    let region = run(["monitor", "--from", Self.walk, "--region", "x=\(text)"])
    #expect(region.output == run(["monitor", "--from", Self.walk, "-r", "x=\(full)"]).output)
  }

  @Test func `the identity is shown once, and not with --quiet`() {
    let line = [
      "range", "--from", Self.walk, "-s", "Astrolabe", "-s", "F7826DA6", "-r", "a=Astrolabe",
    ]
    let shown = run(line).errors
    #expect(shown.components(separatedBy: "'Astrolabe' is").count == 2, "\(shown)")
    #expect(run(line + ["--quiet"]).errors.isEmpty)
  }

  @Test func `a recording contains the identity and not the name`() throws {
    let path = folder.path("a.jsonl")
    let line = ["range", "--from", Self.walk, "-s", "Astrolabe", "--client", "operator"]
    #expect(run(line + ["--record", path]).code == .done)
    #expect(!(try String(contentsOfFile: path, encoding: .utf8)).contains("Astrolabe"))
  }

  @Test(arguments: [
    ("Globe", "'Globe' can be G/1/4, G/2/1; write which"),
    ("F782", "'F782' can be G, O; write which"),
    ("F782/1/2", "'F782/1/2' can be G/1/2, O/1/2; write which"),
    ("Astrolab", "; did you mean 'Astrolabe'?"),
    ("Astrolabe/1", "; did you mean 'Astrolabe'?"),
    ("F78", "is not a UUID, the first 4 or more digits of one, or a name"),
    ("F7826DA6/70000", "major '70000' is not a whole number from 0 to 65535"),
    ("F7826DA6/1/2/3", "too many parts; write UUID, UUID/MAJOR or UUID/MAJOR/MINOR"),
    ("F7-826DA6", "is not a UUID, the first 4 or more digits of one, or a name"),
    ("", "is not a UUID, the first 4 or more digits of one, or a name"),
  ])
  func `an ambiguous or unknown name is refused`(_ text: String, _ message: String) {
    let message = message.replacing("G/", with: "\(Self.gallery)/")
      .replacing(" O/", with: " \(Self.other)/")
      .replacing("be G, O", with: "be \(Self.gallery), \(Self.other)")
    let run = run(["range", "--from", Self.walk, "--beacon=\(text)"])
    #expect(run.code == .usage)
    #expect(run.errors.contains("argument 4: --beacon: "), "\(run.errors)")
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func `an argument is a beacon by its name`() throws {
    #expect(run(["name", "Astrolabe"]).output == "Astrolabe\n")
    #expect(run(["name", "F7826DA6/1/3"]).output == "Sun dial\n")
    #expect(run(["name", "F7826DA6/1/3", "Sundial"]).code == .done)
    #expect(run(["name", "Sundial", "--remove"]).code == .done)
    #expect(run(["name", "\(Self.gallery)/1/3"]).code == .failed)
    let wrong = run(["name", "F7826DA6/1", "x"])
    #expect(wrong.code == .usage)
    #expect(wrong.errors.contains("'\(Self.gallery)/1' is not a single beacon"), "\(wrong.errors)")
  }

  // MARK: Captures

  @Test func `the beginning of a UUID is found in the operator's captures`() {
    let line = ["scan", "--from", Self.walk, "--config", "none"]
    let found = CommandRun(line + ["-s", "F782/1"])
    #expect(found.code == .done)
    #expect(found.output == CommandRun(line + ["-s", "\(Self.gallery)/1"]).output)
    #expect(found.errors.hasPrefix("beaconctl: 'F782/1' is \(Self.gallery)/1\n"))
  }

  @Test func `UUIDs of a capture that begin alike are listed`() throws {
    let two = try folder.write(
      Self.line(Self.gallery, at: 1) + Self.line(Self.other, at: 2),
      to: "two.jsonl"
    )
    let run = CommandRun(["scan", "--from", two, "--config", "none", "-s", "F782"])
    #expect(run.code == .usage)
    #expect(run.errors.contains("'F782' can be \(Self.gallery), \(Self.other);"), "\(run.errors)")
    // A UUID that the user knows is meant, whatever others send.
    let known = try folder.write("{ beacons: { '\(Self.other)/1/1': 'Mine' } }", to: "mine.json5")
    let mine = CommandRun(["scan", "--from", two, "--config", known, "-s", "F782"])
    #expect(mine.code == .done)
    #expect(mine.errors.contains("'F782' is \(Self.other)"), "\(mine.errors)")
  }

  /// Law L3: nothing derived from a received identity reaches a client, so no answer about one either.
  @Test(arguments: ["F782", "F7826DA6-4FA2-4E98-8024-BC5B71E0893/1"])
  func `a client learns nothing of a capture from a beginning`(_ text: String) {
    let line = ["--config", "none", "--client", "guest", "-s", text]
    let received = CommandRun(["range", "--from", Self.walk] + line)
    let silent = CommandRun(["range", "--from", CommandRun.capture("cut.btsnoop")] + line)
    #expect(received.code == .usage)
    #expect(received.errors == silent.errors)
    #expect(received.errors.contains("no UUID in your names, plans and configuration begins with"))
  }

  @Test func `standard input and other files are not searched`() throws {
    let piped = CommandRun(["scan", "--from", "-", "--config", "none", "-s", "F782"])
    #expect(piped.code == .usage)
    let text = try folder.write("no capture", to: "text")
    let wrong = CommandRun(["scan", "--from", text, "--config", "none", "-s", "F782"])
    #expect(wrong.code == .badData)
  }

  // MARK: Shells

  @Test func `shells complete the names`() throws {
    let file = "{ beacons: { '\(Self.gallery)/1/1': '-x', '\(Self.gallery)/1/2': 'Sun dial' } }"
    let path = try folder.write(file, to: "shells.json5")
    let run = CommandRun(["config", "show", "--beacons", "--config", path])
    #expect(run.output == "Sun dial\n")
    for shell in ["bash", "zsh", "fish"] {
      let script = CommandRun(["completion", shell]).output
      #expect(script.contains("beaconctl config show --beacons"), "\(shell)")
    }
  }

  private static func line(_ uuid: String, at second: Int) -> String {
    let hex = uuid.replacing("-", with: "")
    return #"{"v":1,"type":"report","t":"2026-05-02T10:00:0\#(second)Z","receiver":"hci0","#
      + #""address":null,"address_type":null,"event":"ADV_NONCONN_IND","rssi":-70,"#
      + #""ad":"1aff4c000215\#(hex)00010001c5"}"# + "\n"
  }
}
