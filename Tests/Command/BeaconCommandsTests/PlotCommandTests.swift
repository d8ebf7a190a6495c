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

/// The picture of a capture has the crossings of `monitor` (row T13).
@Suite struct PlotCommandTests {
  static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A beacon at two receivers: near, then away, then near again; a shorter stay of another; a receiver that is off; a gap.
  private func stay() throws -> String {
    var scan = TestScan()
    for receiver: UInt8 in [0, 1] {
      scan.add(.radio(receiver: receiver, .listening, TestScan.at(0)))
    }
    for (state, time) in [(RadioState.off, 1100.0), (.listening, 1160)] {
      for receiver: UInt8 in [0, 1] {
        scan.add(.radio(receiver: receiver, state, TestScan.at(time)))
      }
    }
    var random = SplitMix64(seed: 3)
    for second in stride(from: 1.0, to: 1320, by: 1) {
      guard !(1100..<1160).contains(second), !(1200..<1300).contains(second) else { continue }
      let level = Int8(-60 + Int64(random.next() % 9)) - (second > 60 && second < 140 ? 25 : 0)
      scan.report(TestScan.beacon(1, 3), level, at: second + 0.25)
      if second < 10 || (50..<1000).contains(second) {
        scan.report(TestScan.beacon(1, 1), level, at: second + 0.5)
      }
    }
    return try SeveralCapturesTests.recording(
      scan,
      receivers: ["hci0", "hall<&>"],
      end: 1320,
      to: "stay.jsonl",
      in: folder
    )
  }

  private func regions() throws -> [String] {
    let config = try folder.write(
      "{ regions: { 'a<b>': { enterWithin: 2, leaveBeyond: 4 } } }",
      to: "zone.json5"
    )
    return [
      "-r", "a<b>=\(Self.museum)/1/3", "-r", "plain=\(Self.museum)/1/1", "--config", config,
    ]
  }

  @Test func `a capture that ends in the last second of all is drawn`() throws {
    let capture = try folder.write(
      """
      {"v":1,"type":"report","t":"2026-05-02T10:00:00Z","rssi":-60,"ad":"0201061aff4c000215F7826DA64FA24E988024BC5B71E0893E00010002c5"}
      {"v":1,"type":"mark","t":"9999-12-31T23:59:59.999999Z"}
      {"v":1,"type":"end","t":"9999-12-31T23:59:59.999999Z"}

      """,
      to: "last.jsonl"
    )
    let run = CommandRun(["plot", capture])
    #expect(run.code == .done && run.output.hasSuffix("</svg>\n"), "\(run.errors)")
  }

  private static func time(_ seconds: Double) -> String { RFC3339.string(TestScan.at(seconds)) }

  /// The sentences of crossings in a picture, without markup.
  private static func sentences(_ text: String) -> [String] {
    text.matches(of: />(?:(?!<).)*((?:left|entered) (?:(?!<).)*)</).map {
      String($0.1).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
        .replacing("&amp;", with: "&")
    }
  }

  @Test func `crossings are those of monitor, with their reasons`() throws {
    let capture = try stay()
    let regions = try regions()
    let picture = CommandRun(["plot", capture] + regions)
    #expect(picture.code == .done && picture.errors.isEmpty, "\(picture.errors)")
    let monitor = CommandRun(["monitor", "-f", capture, "--format", "table"] + regions)
    let told = monitor.lines.compactMap { line in
      line.firstMatch(of: /(?:left|entered) .*/).map { String($0.0) }
    }
    #expect(told.count >= 4, "\(told)")
    #expect(Self.sentences(picture.output).sorted() == told.sorted())
    #expect(told.contains { $0.hasPrefix("left a<b>, out of range: beyond 4 m, it was at ") })
    #expect(
      told.contains { $0.contains(": the limit is 30 s until more is learned") }
    )
  }

  @Test func `the beginning of a UUID is found in the capture`() throws {
    let capture = try stay()
    let short = CommandRun(["plot", capture, "-r", "plain=F782/1/1"])
    #expect(short.errors.contains("'F782/1/1' is \(Self.museum)/1/1"), "\(short.errors)")
    #expect(short.output == CommandRun(["plot", capture, "-r", "plain=\(Self.museum)/1/1"]).output)
    #expect(CommandRun(["plot", capture, "-r", "plain=0000/1/1"]).code == .usage)
  }

  @Test func `it shows zones, states, radio states and gaps`() throws {
    let picture = CommandRun(["plot", try stay()] + (try regions())).output
    for text in [
      "enter within 2 m", "leave beyond 4 m", "near", "inside", "hci0",
      "hall&lt;&amp;&gt;",
      "not recorded", "listening", "off", "UTC", "a&lt;b&gt;",
    ] {
      #expect(picture.contains(">\(text)<") || picture.contains(text + "<"), "\(text)")
    }
    #expect(picture.contains("class=\"strip outside\""))
    #expect(!picture.contains("a<b>") && !picture.contains("hall<"))
  }

  // MARK: Long and crowded pictures

  /// A beacon that comes and goes, another that is always there, of some minutes or days.
  private func visits(
    _ count: Int,
    every span: Double,
    lasting stay: Double,
    other: Double = 20,
    step: Double = 0.5
  ) throws -> String {
    var scan = TestScan()
    var inputs: [(Double, UInt16)] = []
    for visit in 0..<count {
      for part in 0..<Int(stay / step) {
        inputs.append((Double(visit) * span + Double(part) * step, 1))
      }
    }
    for tick in 0..<Int(Double(count) * span / other) {
      inputs.append((Double(tick) * other + 0.1, 2))
    }
    for (time, minor) in inputs.sorted(by: { $0.0 < $1.0 }) {
      scan.report(TestScan.beacon(1, minor), -60, at: time)
    }
    return try SeveralCapturesTests.recording(
      scan,
      receivers: ["hci0"],
      end: Double(count) * span,
      to: "visits.jsonl",
      in: folder
    )
  }

  private static let gate = ["-r", "gate=\(museum)/1/1"]

  @Test func `crossings too close to be distinguished are an area, and counted`() throws {
    let capture = try visits(300, every: 90, lasting: 5)
    let picture = CommandRun(["plot", capture] + Self.gate).output
    #expect(picture.contains("class=\"many\""))
    #expect(picture.contains(/[0-9]{3} crossings are too close to be distinguished/))
    let lines = picture.matches(of: /class="crossing [a-z]+" d="([^"]*)"/).map {
      $0.1.split(separator: "M").count
    }
    #expect(lines.reduce(0, +) < 60, "\(lines)")
    #expect(picture.contains(/class="tag-name middle"[^>]*>1–12</), "the listed ones share a tag")
  }

  @Test func `every listed number is drawn, and times of several days have their date`() throws {
    let capture = try visits(3, every: 86_400, lasting: 3600, step: 4)
    let picture = CommandRun(["plot", capture] + Self.gate).output
    var drawn: Set<Int> = []
    for tag in picture.matches(of: /class="tag-name middle"[^>]*>([0-9]+)(?:–([0-9]+))?</) {
      let first = Int(tag.1) ?? 0
      drawn.formUnion(first...(tag.2.flatMap { Int($0) } ?? first))
    }
    let listed = picture.matches(of: /class="end strong"[^>]*>([0-9]+)</).compactMap { Int($0.1) }
    #expect(drawn == Set(listed) && listed.count == 6, "\(drawn) \(listed)")
    #expect(picture.contains(/class="strong"[^>]*>20[0-9-]{8} [0-9:.]+</))
  }

  @Test func `of an exit in a long picture the reason is drawn in detail`() throws {
    let capture = try visits(2, every: 7200, lasting: 3600, step: 1)
    let picture = CommandRun(["plot", capture] + Self.gate).output
    #expect(picture.contains(/2 in detail: the last 6[0-9] s before it was left/))
    #expect(picture.matches(of: />Silence, and the exit time</).count >= 2)
    let short = CommandRun(
      [
        "plot", try stay(), "-r", "plain=\(Self.museum)/1/1", "--since", Self.time(960), "--until",
        Self.time(1080),
      ]
    )
    #expect(!short.output.contains("in detail"), "the picture shows it")
  }

  @Test func `a gap is neither inside nor silent, and off is off`() throws {
    let picture = CommandRun(["plot", try stay()] + (try regions())).output
    let span = ["--since", Self.time(1050), "--until", Self.time(1320)]
    let part = CommandRun(["plot", try stay()] + span + (try regions())).output
    #expect(part.contains(">no radio listens<") && part.contains(">not recorded<"))
    #expect(picture.contains("class=\"strip off\"") && picture.contains("class=\"strip unknown\""))
    #expect(picture.contains(">silence<"), "the gray area has a meaning")
  }

  @Test func `the beacons of a region are a line each, and its weakest level is drawn`() throws {
    let capture = try visits(1, every: 120, lasting: 100)
    let config = try folder.write("{ regions: { hall: { rssiFloor: -70 } } }", to: "floor.json5")
    let picture = CommandRun(["plot", capture, "-r", "hall=\(Self.museum)", "--config", config])
    #expect(picture.errors.isEmpty, "\(picture.errors)")
    #expect(picture.output.contains(">1/1<") && picture.output.contains(">1/2<"))
    #expect(picture.output.contains("weaker reports do not enter: -70 dBm"))
  }

  @Test func `a drain shows an exit after the end of the capture`() throws {
    let capture = try visits(1, every: 60, lasting: 58)
    #expect(!CommandRun(["plot", capture] + Self.gate).output.contains("left gate"))
    #expect(CommandRun(["plot", capture, "--drain"] + Self.gate).output.contains("left gate"))
  }

  @Test func `an empty capture gives a sentence, and exit 65`() throws {
    let capture = try folder.write("", to: "empty.jsonl")
    for options in [[], Self.gate] {
      let run = CommandRun(["plot", capture, "-o", folder.path("empty.svg")] + options)
      #expect(run.code == .badData)
      #expect(
        run.errors.contains("there is nothing to draw: the capture is empty"),
        "\(run.errors)"
      )
      #expect(!FileManager.default.fileExists(atPath: folder.path("empty.svg")))
    }
  }

  @Test(arguments: ["svg", "html"])
  func `the same capture has the same bytes`(_ ending: String) throws {
    let capture = try stay()
    let files = ["one", "two"].map { folder.path("\($0).\(ending)") }
    for file in files { #expect(CommandRun(["plot", capture, "-o", file]).code == .done) }
    let bytes = try files.map { try Data(contentsOf: URL(filePath: $0)) }
    #expect(bytes[0] == bytes[1])
    #expect(bytes[0].count > 5000)
    #expect(try XMLDocumentCheck.isBalanced(String(decoding: bytes[0], as: UTF8.self)))
  }

  @Test func `a span changes the picture, and no crossing`() throws {
    let capture = try stay()
    let arguments = ["-r", "plain=\(Self.museum)/1/1"]
    let whole = Self.sentences(CommandRun(["plot", capture] + arguments).output)
    let cut = CommandRun(
      ["plot", capture, "--since", Self.time(960), "--until", Self.time(1080)] + arguments
    )
    let left = try #require(whole.last { $0.hasPrefix("left") })
    #expect(left.contains("its usual silences are below "), "\(left)")
    #expect(Self.sentences(cut.output) == [left])
    let ends = [960, 1080].map { Self.time($0).dropFirst(11).prefix(8) }
    #expect(cut.output.contains("\(ends[0]) to \(ends[1])"))
  }

  @Test func `without a choice the most received beacons are drawn`() throws {
    let picture = CommandRun(["plot", CommandRun.capture("walk.btsnoop")]).output
    let places = ["1/1", "1/2", "1/3"].map { picture.firstRange(of: ">\($0)<")?.lowerBound }
    #expect(places.allSatisfy { $0 != nil })
    #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
  }

  @Test(arguments: [
    (["-o", "why.png"], "rsvg-convert -w 1600 why.svg -o why.png"),
    (["-o", "why"], ".svg or .html"),
    (["--since", "12:00", "--until", "2026-05-02T10:00:00Z"], "nothing would be left"),
    (["-r", "a=\(museum)", "-r", "a=\(museum)/1"], "two regions are named 'a'"),
  ])
  func `a fault of the command line is reported before anything is written`(
    _ arguments: [String],
    _ message: String
  ) {
    let run = CommandRun(["plot", CommandRun.capture("walk.btsnoop")] + arguments)
    #expect(run.code == .usage)
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test func `an existing file is kept without force`() throws {
    let file = try folder.write("mine", to: "why.svg")
    let arguments = ["plot", CommandRun.capture("walk.btsnoop"), "-o", file]
    #expect(CommandRun(arguments).code == .usage)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(CommandRun(arguments + ["--force"]).code == .done)
  }

  @Test func `a beacon that was not received is reported`() {
    let run = CommandRun(["plot", CommandRun.capture("walk.btsnoop"), "-s", "\(Self.museum)/9/9"])
    #expect(run.code == .done)
    #expect(run.errors.contains("no beacon of \(Self.museum)/9/9 was received"), "\(run.errors)")
  }
}

/// Whether the elements of a text are closed in the order in which they are opened.
private enum XMLDocumentCheck {
  static func isBalanced(_ text: String) throws -> Bool {
    var open: [Substring] = []
    let empty: Set<Substring> = ["meta", "!DOCTYPE"]
    for match in text.matches(of: /<(\/?)([!A-Za-z0-9]+)[^>]*?(\/?)>/)
    where !empty.contains(match.2) {
      if match.1 == "/" {
        guard open.popLast() == match.2 else { return false }
      } else if match.3.isEmpty {
        open.append(match.2)
      }
    }
    return open.isEmpty
  }
}
