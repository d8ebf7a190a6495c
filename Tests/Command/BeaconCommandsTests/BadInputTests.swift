// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// A fault is reported in one line with its kind, place and remedy, and an exit code.
@Suite struct BadInputTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let code: ExitCode
    let message: String
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ line: String, _ code: ExitCode, _ message: String) {
      arguments = line.split(separator: " ").map {
        $0.hasPrefix("@") ? CommandRun.capture(String($0.dropFirst())) : String($0)
      }
      (self.code, self.message) = (code, message)
    }
  }

  static let uuid = CaptureGoldenTests.gallery

  static let rows = [
    Row("help nosuch", .usage, "'nosuch' is not a command; 'beaconctl help' lists them"),
    Row("help rang", .usage, "'rang' is not a command; did you mean 'range'?"),
    Row("manual nosuch", .usage, "'nosuch' is not a command; 'beaconctl help' lists them"),
    Row(
      "help range monitor",
      .usage,
      "'monitor' is not a command of 'range'; write 'beaconctl help range' and 'beaconctl help monitor', one after the other"
    ),
    Row("help range x", .usage, "'x' is not a command of 'range'; write 'beaconctl help range'"),
    Row(
      "help config x",
      .usage,
      "'config x' is not a command; write one of list, show, check, path, edit"
    ),
    Row("help config shwo", .usage, "'config shwo' is not a command; did you mean 'show'?"),
    Row("manual rang", .usage, "'rang' is not a command; did you mean 'range'?"),
    Row(
      "--summary range",
      .usage,
      "argument 1: '--summary' is not an option of 'beaconctl'; write it after the command: 'beaconctl range --summary'"
    ),
    Row(
      "--set ranging.linger=5 config show",
      .usage,
      "argument 1: '--set' is not an option of 'beaconctl'; write it after the command: 'beaconctl config show --set'"
    ),
    Row(
      "-s x",
      .usage,
      "argument 1: '-s' is not an option of 'beaconctl'; write it after the command, as in 'beaconctl range -s'"
    ),
    Row(
      "inspect mqtt://pi/home",
      .noInput,
      "cannot open mqtt://pi/home: No such file or directory; it is a live source, and this takes captures:"
        + " 'beaconctl range --from mqtt://pi/home --record FILE' records one"
    ),
    Row(
      "plot esphome://hall",
      .noInput,
      "cannot open esphome://hall: No such file or directory; it is a live source, and this takes captures:"
        + " 'beaconctl range --from esphome://hall --record FILE' records one"
    ),
    Row(
      "inspect hci0",
      .noInput,
      "cannot open hci0: No such file or directory; an adapter is a live source, and this takes captures:"
        + " 'beaconctl record FILE --adapter hci0' records one"
    ),
    Row("scan --from /no/file", .noInput, "cannot open /no/file: No such file or directory"),
    Row("inspect /no/file", .noInput, "cannot open /no/file: No such file or directory"),
    Row("convert /no/file a.pcap", .noInput, "cannot open /no/file: No such file or directory"),
    Row("scan --from /", .noInput, "cannot read /: Is a directory; name a file in it"),
    Row("inspect /", .noInput, "cannot read /: Is a directory; name a file in it"),
    Row("config check /no/file", .noInput, "cannot open /no/file: No such file or directory"),
    Row(
      "inspect @README.md",
      .badData,
      "Fixtures/captures/README.md: not a capture: it begins with the text \"# Captures  Smal\";"
        + " give a recording of 'beaconctl record', or a capture as btsnoop, pcap, pcapng, PacketLogger or hcidump"
        + " write it"
    ),
    Row(
      "scan --from @ethernet.pcap",
      .badData,
      "Fixtures/captures/ethernet.pcap: a pcap capture of link type 1, which holds no advertising"
        + " (187, 201, 251, 254, 256 or 272 would);"
        + " capture Bluetooth, as 'beaconctl record FILE' or 'btmon -w FILE' do"
    ),
    Row(
      "range --from @walk.btsnoop -s F7826DA7",
      .usage,
      "argument 4: -s: no UUID in your names, plans, configuration and captures begins with 'F7826DA7'; write 32"
        + " hexadecimal digits as 8-4-4-4-12"
    ),
    Row(
      "range -s F7826DA6",
      .usage,
      "argument 2: -s: no UUID in your names, plans and configuration begins with 'F7826DA6'; write 32 hexadecimal"
        + " digits as 8-4-4-4-12"
    ),
    Row(
      "monitor -r hall=Astrolabe",
      .usage,
      "argument 2: -r: 'Astrolabe' is not a UUID, the first 4 or more digits of one, or a name; write 32 hexadecimal"
        + " digits as 8-4-4-4-12; 'beaconctl name' gives names"
    ),
    Row(
      "record x.jsonl --rotate 0",
      .usage,
      "argument 3: --rotate: '0' is neither a size nor a time above zero; write a size with K, M or G, such as 10M,"
        + " or a time with s, m, h or d, such as 1h"
    ),
    Row(
      "record x.jsonl --rotate 0s",
      .usage,
      "argument 3: --rotate: '0s' is neither a size nor a time above zero; write a size with K, M or G, such as 10M,"
        + " or a time with s, m, h or d, such as 1h"
    ),
    Row(
      "advertise \(uuid)/1/7 --power 59",
      .usage,
      "argument 3: --power: '59' is not the RSSI of a beacon at 1 m, which is from -127 to -1 dBm; did you mean -59?"
    ),
    Row(
      "advertise \(uuid)/1/7 --power 0",
      .usage,
      "argument 3: --power: '0' is not the RSSI of a beacon at 1 m, which is from -127 to -1 dBm, such as -59"
    ),
    Row(
      "range -s \(uuid):1:1",
      .usage,
      "argument 2: -s: '\(uuid):1:1' has more after its UUID; write UUID, UUID/MAJOR or UUID/MAJOR/MINOR"
    ),
    Row(
      "monitor --region a",
      .usage,
      "argument 2: --region: 'a' is not of the form ID=UUID[/MAJOR[/MINOR]]: write '=' and the beacons after the region's"
        + " name, such as 'a=F7826DA6-4FA2-4E98-8024-BC5B71E0893E', or 'hall=a' if it is the name of a beacon"
    ),
    Row(
      "monitor --region F782/1",
      .usage,
      "argument 2: --region: 'F782/1' is not of the form ID=UUID[/MAJOR[/MINOR]]: write a name for the region and '='"
        + " before the beacon, such as 'hall=F782/1'"
    ),
    Row(
      "advertise \(uuid)/1 --power -59",
      .usage,
      "argument 2: BEACON: '\(uuid)/1' is not a single beacon; write UUID/MAJOR/MINOR or a name"
    ),
    Row(
      "range --from @walk.btsnoop -s \(uuid)/1/2/3",
      .usage,
      "argument 4: -s: too many parts; write UUID, UUID/MAJOR or UUID/MAJOR/MINOR"
    ),
    Row(
      "range --from @walk.btsnoop --client guest",
      .usage,
      "'beaconctl range' needs --beacon UUID[/MAJOR[/MINOR]]; a client ranges what it names"
    ),
    Row(
      "range --form x",
      .usage,
      "argument 2: '--form' is not an option of 'beaconctl range'; did you mean '--from'?"
    ),
    Row(
      "scan --from - --from -",
      .usage,
      "standard input can be only one of the captures"
    ),
    Row("decode 1g", .badData, "argument 1, column 2: 'g' is not a hexadecimal digit"),
    Row("decode 0x1", .badData, "argument 1, column 4: a byte has two digits; the last has one"),
    Row("decode ü", .badData, "argument 1, column 1: '\\xc3' is not a hexadecimal digit"),
    Row(
      "config show --set ranging.lingr=1",
      .usage,
      "argument 3: no constant is named 'ranging.lingr'; did you mean 'ranging.linger'?"
    ),
    Row(
      "config show --set ranging.linger=x",
      .usage,
      "argument 3: 'ranging.linger' takes seconds from 0 to 300, not 'x'; write a number and ms, s, m, h or d, such as 30s"
    ),
    Row(
      "config show --set ranging.linger=6m",
      .usage,
      "argument 3: 'ranging.linger' takes seconds from 0 to 300, not '6m'"
    ),
    Row(
      "scan --from @walk.btsnoop -o csv:/no/x",
      .usage,
      "the folder '/no' of '/no/x' does not exist; make it first, or name another one"
    ),
    Row(
      "convert @walk.btsnoop /no/x.pcap",
      .usage,
      "the folder '/no' of '/no/x.pcap' does not exist; make it first, or name another one"
    ),
  ]

  @Test(arguments: rows) func `a fault is one line with its exit code`(_ row: Row) {
    let run = CommandRun(row.arguments)
    #expect(run.code == row.code)
    #expect(run.output.isEmpty)
    #expect(run.errors == "beaconctl: \(row.message)\n")
  }

  @Test(.enabled(if: getuid() != 0, "the superuser may read every file"))
  func `a file that may not be read is not permitted`() throws {
    let folder = try ScratchFolder()
    let file = try folder.write("secret", to: "secret")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
    let run = CommandRun(["inspect", file])
    #expect(run.code == .notPermitted)
    #expect(run.errors == "beaconctl: cannot open \(file): Permission denied\n")
  }

  // MARK: Captures that end early

  @Test func `an empty capture is reported and is not a failure`() {
    let empty = CommandRun.capture("empty.btsnoop")
    for arguments in [["scan", "--from", empty], ["range", "-s", Self.uuid, "--from", empty]] {
      let run = CommandRun(arguments)
      #expect(run.code == .done)
      #expect(run.output.isEmpty)
      #expect(run.errors == "beaconctl: Fixtures/captures/empty.btsnoop: the capture is empty\n")
    }
  }

  @Test func `a capture cut in a record is read to there`() {
    let cut = CommandRun.capture("cut.btsnoop")
    let run = CommandRun(["scan", "--from", cut])
    #expect(run.code == .done)
    #expect(run.lines.count == 18)
    #expect(
      run.errors
        == "beaconctl: Fixtures/captures/cut.btsnoop: read 24 records up to byte 1482: the capture"
        + " ends in the middle of a record\n"
    )
    #expect(
      CommandRun(["inspect", cut, "--format", "json"]).output.contains("\"damaged_at\":1482")
    )
  }

  /// Cut anywhere, a capture is read to there, with the same output for the part before.
  @Test func `a capture cut anywhere never fails and never invents`() throws {
    let folder = try ScratchFolder()
    let whole = [UInt8](
      try Data(contentsOf: URL(fileURLWithPath: CommandRun.capture("h4.btsnoop")))
    )
    let lines = CommandRun(["scan", "--from", CommandRun.capture("h4.btsnoop")]).lines
    for count in stride(from: 16, to: whole.count, by: 13) {
      let file = folder.path("cut-\(count)")
      try Data(whole[..<count]).write(to: URL(fileURLWithPath: file))
      let run = CommandRun(["scan", "--from", file])
      #expect(run.code == .done)
      #expect(lines.starts(with: run.lines))
    }
  }

  // MARK: Configuration

  @Test func `every fault of a configuration is reported`() throws {
    let folder = try ScratchFolder()
    let file = try folder.write(
      """
      {
        profile: "deflt",
        set: { "ranging.lingr": 10, "ranging.linger": "x" },
        calibration: {
          beacons: { zz: -59 },
          receivers: { hci0: 99 },
          site: { powerAt1m: -59 },
        },
        extra: 1,
      }
      """,
      to: "c.json5"
    )
    let check = CommandRun(["config", "check", file])
    #expect(check.code == .negativeVerdict)
    #expect(check.errors.isEmpty)
    #expect(
      check.lines.map { $0.split(separator: ":")[1] } == ["2", "3", "3", "5", "6", "7", "7", "9"]
    )
    let used = CommandRun(["scan", "--from", "/dev/null", "--config", file])
    #expect(used.code == .badConfiguration)
    #expect(used.output.isEmpty)
    #expect(used.errors.replacing("beaconctl: ", with: "") == check.output)
    let good = try folder.write("{ set: { \"ranging.linger\": 5 } }", to: "good.json5")
    #expect(CommandRun(["config", "check", good]).code == .done)
    let shown = CommandRun(["config", "show", "--config", good, "--format", "table"]).lines
    #expect(shown.contains { $0.hasPrefix("ranging.linger ") && $0.hasSuffix(good) })
  }
}
