// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// A picture shows by itself why a region was left.
@Suite struct PlotReasonTests {
  private let folder: ScratchFolder
  private static let gate = ["-r", "gate=\(PlotCommandTests.museum)/1/1"]

  init() throws { folder = try ScratchFolder() }

  /// A beacon that sends twice a second in some times, with the states of a receiver.
  private func capture(
    _ stays: [Range<Double>],
    radio: [(RadioState, Double)] = [(.listening, 0)],
    others: [Double] = [],
    names: [String] = ["hci0"],
    end: Double
  ) throws -> String {
    var scan = TestScan()
    var inputs: [(time: Double, add: (inout TestScan) -> Void)] = []
    for (state, time) in radio {
      inputs.append((time, { $0.add(.radio(receiver: 0, state, TestScan.at(time))) }))
    }
    for stay in stays {
      for time in stride(from: stay.lowerBound, to: stay.upperBound, by: 0.5) {
        let level = Int8(-65 + Int(time * 2) % 6)
        inputs.append((time, { $0.report(TestScan.beacon(1, 1), level, at: time) }))
      }
    }
    for time in others {
      inputs.append((time, { $0.report(TestScan.beacon(1, 2), -80, at: time) }))
    }
    for input in inputs.sorted(by: { $0.time < $1.time }) { input.add(&scan) }
    return try SeveralCapturesTests.recording(
      scan,
      receivers: names,
      end: end,
      to: "reason.jsonl",
      in: folder
    )
  }

  /// The heights of a line, and its path.
  private static func line(_ style: String, _ picture: String) -> (
    heights: Set<String>, path: String
  ) {
    let path = picture.matches(of: /class="([a-z ]+)" d="([^"]*)"/).first { $0.1 == style }
    let text = path.map { String($0.2) } ?? ""
    let heights = text.matches(of: /(?:M[0-9.]+ |V)([0-9.]+)/).map { String($0.1) }
    return (Set(heights), text)
  }

  @Test func `a gap does not change the exit time, and the silence reaches it`() throws {
    let file = try capture([1..<60], others: [300, 310, 320], end: 380)
    let picture = CommandRun(["plot", file, "--drain"] + Self.gate).output
    #expect(picture.contains("left gate, silent for 30.0 s"))
    #expect(picture.contains(">30 s<") && !picture.contains("00 s<"), "no exit time of the gap")
    let exit = Self.line("exit assumed", picture)
    #expect(exit.heights.count == 1 && exit.path.count(where: { $0 == "M" }) == 2, "\(exit)")
    let peak = try #require(
      Self.line("silence", picture).path.matches(of: /L[0-9.]+ ([0-9.]+)V/).last
    )
    #expect(exit.heights == [String(peak.1)])
  }

  @Test func `after radio off the exit time is drawn again, up to the exit`() throws {
    let radio = [(RadioState.listening, 0.0), (.off, 60), (.listening, 100)]
    let file = try capture([1..<60], radio: radio, others: [101, 111, 121, 131, 141], end: 150)
    let picture = CommandRun(["plot", file] + Self.gate).output
    #expect(
      picture.contains("left gate, silent for 30.0 s: the limit is 30 s after an unknown state")
    )
    let exit = Self.line("exit assumed", picture)
    #expect(exit.path.count(where: { $0 == "M" }) == 2 && exit.heights.count == 1, "\(exit)")
    let left = try #require(
      Self.line("crossing left", picture).path.firstMatch(of: /M([0-9.]+)[ ]/)
    ).1
    let end = try #require(exit.path.matches(of: /H([0-9.]+)/).last).1
    #expect(abs((Double(end) ?? 0) - (Double(left) ?? 99)) < 1, "\(end) \(left)")
  }

  @Test func `a drain marks the end of the capture`() throws {
    let file = try capture([0..<60], end: 60)
    let drained = CommandRun(["plot", file, "--drain"] + Self.gate).output
    #expect(drained.contains(">the capture ends<") && drained.contains("class=\"ending\""))
    #expect(drained.contains("UTC; the capture ends at \(Self.time(60))"))
    #expect(drained.contains(">after the capture<") && drained.contains("class=\"strip ended\""))
    #expect(!drained.contains("still inside"))
    let plain = CommandRun(["plot", file] + Self.gate).output
    #expect(!plain.contains("the capture ends"))
  }

  private static func time(_ seconds: Double) -> Substring {
    RFC3339.string(TestScan.at(seconds)).dropFirst(11).prefix(8)
  }

  @Test func `the end of a capture shows that a region is inside, and how to see the exit`() throws
  {
    let file = try capture([0..<50], others: [55, 60], end: 60)
    let remark =
      "still inside at the capture's end: silent for 10.5 s of 30.0 s; --drain waits for the exit"
    let escaped = remark.replacing("'", with: "&#39;")
    #expect(CommandRun(["plot", file] + Self.gate).output.contains(">\(escaped)<"))
    let html = folder.path("why.html")
    _ = CommandRun(["plot", file, "-o", html] + Self.gate)
    #expect(try String(contentsOfFile: html, encoding: .utf8).contains("<p>\(escaped)</p>"))
    let cut = ["--until", RFC3339.string(TestScan.at(40))]
    #expect(!CommandRun(["plot", file] + cut + Self.gate).output.contains("still inside"))
    let monitor = ["monitor", "-f", file, "--format", "table"] + Self.gate
    let sentence = "gate is still inside at the capture's end; --drain waits for the exit"
    #expect(CommandRun(monitor).errors.contains(sentence))
    for further in [["--drain"], ["--format", "jsonl"], ["-q"], cut] {
      #expect(!CommandRun(monitor + further).errors.contains("still inside"), "\(further)")
    }
  }

  @Test func `an hour that clocks show twice has its times twice, with the zone`() throws {
    // Clocks are set back an hour 40 minutes after the start.
    let change = TestScan.at(2400)
    let zone = LocalZone { $0 < change ? .seconds(7200) : .seconds(3600) }
    let file = try capture(
      [0..<600, 3000..<3600],
      others: stride(from: 0, to: 6000, by: 20).map { $0 },
      end: 6000
    )
    let picture = CommandRun(["plot", file] + Self.gate, zone: zone).output
    let zones = picture.matches(of: />(?:times in )?(UTC\+0[12]:00)</).map { String($0.1) }
    #expect(Set(zones) == ["UTC+01:00", "UTC+02:00"], "\(zones)")
    #expect(picture.contains(/[0-9:]{8} UTC\+02:00 to [0-9:]{8} UTC\+01:00</))
    let order = [">times in UTC+02:00<", ">2<", ">times in UTC+01:00<", ">3<"].compactMap {
      picture.ranges(of: $0).last?.lowerBound
    }
    #expect(order.count == 4 && order == order.sorted())
    let html = folder.path("why.html")
    _ = CommandRun(["plot", file, "-o", html] + Self.gate, zone: zone)
    #expect(try String(contentsOfFile: html, encoding: .utf8).contains(" UTC+01:00</time>"))
  }

  @Test func `the detail of an exit shows its own stay, its length and its number`() throws {
    let stays = (0..<40).map { Double($0) * 60..<Double($0) * 60 + 19 }
    let file = try capture(stays, end: 2400)
    let picture = CommandRun(["plot", file] + Self.gate).output
    let titles = picture.matches(of: />([0-9]+) in detail: the last ([0-9]+) s before it was left</)
    #expect(titles.map { "\($0.1) \($0.2)" } == ["2 49", "4 49"], "\(titles.map(\.0))")
    let peaks = picture.matches(of: /class="silence" d="([^"]*)"/).map { $0.1 }
    #expect(peaks.count == 3)
    for detail in peaks.dropFirst() {
      #expect(detail.matches(of: /L[0-9. ]+L[0-9. ]+L/).isEmpty, "no silence leaves the chart")
    }
    for tag in ["2", "4"] {
      #expect(picture.contains("class=\"tag-name middle\"") && picture.contains(">\(tag)</text>"))
    }
    #expect(picture.matches(of: /class="crossing left"/).count == 3)
  }

  @Test func `no line runs through a title, and no mark leaves its chart`() throws {
    let file = try capture([0.5..<60], others: [100], end: 120)
    let picture = CommandRun(["plot", file] + Self.gate).output
    let frames = picture.matches(
      of: /class="frame" x="[0-9.]+" y="([0-9.]+)" width="[0-9.]+" height="([0-9.]+)"/
    ).map { (top: Double($0.1) ?? 0, bottom: (Double($0.1) ?? 0) + (Double($0.2) ?? 0)) }
    #expect(frames.count == 3)
    for path in picture.matches(of: /class="crossing [a-z]+" d="([^"]*)"/) {
      for line in path.1.matches(of: /M[0-9.]+ ([0-9.]+)V([0-9.]+)/) {
        let (top, bottom) = (Double(line.1) ?? 0, Double(line.2) ?? 0)
        #expect(frames.contains { $0.top <= top && bottom <= $0.bottom }, "\(line.0)")
      }
    }
    let marks = try #require(picture.firstMatch(of: /class="mark m0" d="([^"]*)"/)).1
    for mark in marks.matches(of: /M[0-9.]+ ([0-9.]+)m/) {
      let y = Double(mark.1) ?? 0
      #expect(y - 2.4 >= frames[0].top && y + 2.4 <= frames[0].bottom, "\(mark.0)")
    }
  }

  @Test func `a chart is of a beacon at a receiver`() throws {
    let file = try capture([0..<10], names: [""], end: 10)
    let museum = PlotCommandTests.museum
    #expect(
      CommandRun(["plot", file, "-r", "all=\(museum)"]).output.contains(">RSSI of 1/1 at #0<")
    )
    #expect(CommandRun(["plot", file] + Self.gate).output.contains(">RSSI at #0<"))
    let both = try capture([0..<10], others: [5], end: 10)
    #expect(CommandRun(["plot", both, "-r", "all=\(museum)"]).output.contains(">RSSI at hci0<"))
  }

  @Test func `with a span the exit time starts with the picture`() throws {
    let file = try capture([0..<60], end: 60)
    let span = [
      "--since", RFC3339.string(TestScan.at(10.25)), "--until", RFC3339.string(TestScan.at(20)),
    ]
    let exit = Self.line("exit assumed", CommandRun(["plot", file] + span + Self.gate).output)
    #expect(exit.path.hasPrefix("M70 "), "\(exit.path)")
  }

  @Test func `a reason in two lines has lines of similar length`() throws {
    let config = try folder.write(
      "{ beacons: { '\(PlotCommandTests.museum)/1/1': 'The seated scribe of the fourth dynasty' } }",
      to: "names.json5"
    )
    let file = try capture([0..<60], others: [100], end: 120)
    let picture = CommandRun(["plot", file, "--config", config] + Self.gate).output
    let reason = try #require(
      picture.firstMatch(of: />(left gate[^<]*)<\/text>\n<text [^>]*>([^<]*)<\/text>/)
    )
    #expect(!reason.1.hasSuffix("dBm"), "\(reason.1)")
    #expect(
      reason.2.count > 20 && abs(reason.1.count - reason.2.count) < 25,
      "\(reason.1) | \(reason.2)"
    )
  }

  @Test func `a page of a picture scrolls on a narrow screen`() throws {
    let html = folder.path("why.html")
    _ = CommandRun(["plot", try capture([0..<10], end: 10), "-o", html] + Self.gate)
    let page = try String(contentsOfFile: html, encoding: .utf8)
    #expect(
      page.contains("<div class=\"scroller\" tabindex=\"0\"") && page.contains("min-width:50rem")
    )
  }
}
