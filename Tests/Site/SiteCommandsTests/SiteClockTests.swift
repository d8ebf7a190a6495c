// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

@testable import SiteCommands

/// Captures of machines whose clocks are apart, by the command lines.
@Suite struct SiteClockTests {
  private static let program = Program(
    adding: [(.receivers, SiteCommand.command())],
    conditions: [.place]
  )
  private static let start = Timestamp(microseconds: 1_777_716_000_000_000)
  private static let beacon = BeaconIdentity(
    uuid: 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E,
    major: 1,
    minor: 1
  )

  /// What a machine recorded of a beacon that is a minute in the hall and a minute in the cellar.
  ///
  /// - Parameters:
  ///   - name: The machine's receiver.
  ///   - near: Whether it is in the hall.
  ///   - ahead: How far its clock is ahead, in seconds.
  private static func capture(_ name: String, inHall near: Bool, ahead: Double) -> String {
    var generator = SplitMix64(seed: 3)
    var batch = ScanBatch()
    func time(_ microseconds: Int64) -> Timestamp {
      start + TimeSpan(microseconds: microseconds) + TimeSpan(seconds: ahead)
    }
    batch.inputs.append(.radio(receiver: 0, .listening, time(0)))
    var sent: Int64 = 0
    while sent < 120_000_000 {
      sent += 200_000 + Int64.random(in: 0...10_000, using: &generator)
      let level = Int8.random(in: -3...3, using: &generator)
      let isNear = (sent < 60_000_000) == near
      batch.append(
        AdvertisingReport(
          time: time(sent),
          rssi: (isNear ? -55 : -85) + level,
          payloadStart: 0,
          payloadCount: 0
        ),
        payload: BeaconEncoder.advertisingData(beacon, measuredPower: -59)
      )
    }
    var writer = CaptureLineWriter(
      CaptureHeader(tool: "test", version: "1", receivers: [name], profile: nil)
    )
    writer.append(batch)
    writer.appendEnd(at: time(121_000_000))
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func run(_ arguments: [String]) -> CommandRun {
    CommandRun(of: Self.program, arguments)
  }

  /// The seconds and places of lines.
  private static func places(_ run: CommandRun) -> [String] {
    run.lines.filter { $0.contains(#""type":"place""#) }.map { line in
      let other = line.contains("cellar") ? "cellar" : "-"
      let place = line.contains(#""place":"hall""#) ? "hall" : other
      return "\(line.dropFirst(41).prefix(5)) \(place)"
    }
  }

  @Test(arguments: [6.0, -6.0])
  func `row O10: a clock that is off is said in words and as a line, and corrected`(
    ahead: Double
  ) throws {
    let folder = try ScratchFolder()
    let hall = try folder.write(Self.capture("h", inHall: true, ahead: 0), to: "hall.jsonl")
    let right = try folder.write(Self.capture("c", inHall: false, ahead: 0), to: "right.jsonl")
    let wrong = try folder.write(Self.capture("c", inHall: false, ahead: ahead), to: "wrong.jsonl")
    let labels = try folder.write("start,end,name\n0,60,hall\n60,120,cellar\n", to: "w.csv")
    let model = folder.path("site.json")
    let survey = run([
      "site", "survey", "-f", hall, "-f", right, "--truth", labels, "--write", model,
    ])
    #expect(survey.code == .done)
    #expect(!survey.errors.contains("clock"), "\(survey.errors)")
    let good = run(["site", "fuse", "--model", model, "-f", hall, "-f", right, "--format", "jsonl"])
    #expect(good.errors == "")
    let bad = run(["site", "fuse", "--model", model, "-f", hall, "-f", wrong, "--format", "jsonl"])
    let words = "the clock of receiver 'c' is 6"
    // Of two, the clock of the capture that starts first counts as right.
    if ahead < 0 {
      #expect(bad.errors.contains("'h' is 6.0 s ahead of that of 'c'"), "\(bad.errors)")
      #expect(Self.places(bad).filter { $0.hasSuffix("hall") }.count > 55)
      return
    }
    #expect(bad.errors.contains(words), "\(bad.errors)")
    #expect(bad.errors.contains("ahead of that of 'h'"))
    let line = #""type":"clock","t":"2026-05-02T"#
    #expect(bad.lines.first?.contains(line) == true, "\(bad.lines.first ?? "")")
    #expect(bad.lines.first?.contains(#""receiver":"c","reference":"h","offset":"#) == true)
    let (one, two) = (Self.places(good), Self.places(bad))
    #expect(one.count > 100)
    #expect(two.filter { $0.hasSuffix("hall") || $0.hasSuffix("cellar") }.count > 110)
    // At most the seconds at the ends differ.
    #expect(Set(one).subtracting(two).count <= 2, "\(Set(one).subtracting(two).sorted())")
    let table = run([
      "site", "fuse", "--model", model, "-f", hall, "-f", wrong, "--format", "table",
    ])
    #expect(!table.output.contains("clock"))
  }

  @Test(arguments: [6.0, 29.0])
  func `a capture whose clock is ahead ends when its receiver stopped`(ahead: Double) throws {
    let folder = try ScratchFolder()
    let hall = try folder.write(Self.capture("h", inHall: false, ahead: 0), to: "hall.jsonl")
    let right = try folder.write(Self.capture("c", inHall: true, ahead: 0), to: "right.jsonl")
    let wrong = try folder.write(Self.capture("c", inHall: true, ahead: ahead), to: "wrong.jsonl")
    let labels = try folder.write("start,end,name\n0,60,cellar\n60,120,hall\n", to: "w.csv")
    let model = folder.path("site.json")
    _ = run(["site", "survey", "-f", hall, "-f", right, "--truth", labels, "--write", model])
    let bad = run(["site", "fuse", "--model", model, "-f", hall, "-f", wrong, "--format", "jsonl"])
    #expect(bad.errors.contains("the clock of receiver 'c' is"), "\(bad.errors)")
    let good = run(["site", "fuse", "--model", model, "-f", hall, "-f", right, "--format", "jsonl"])
    #expect(Self.places(bad).last == Self.places(good).last)
    let monitor = [
      "monitor", "--region", "a=F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--place", "hall",
      "--format", "jsonl", "--model", model,
    ]
    let crossings = run(monitor + ["-f", hall, "-f", wrong]).lines.filter {
      $0.contains("region.e")
    }
    #expect(crossings.count == 1)
  }

  @Test func `monitor corrects a clock, and its recording replays to the same events`() throws {
    let folder = try ScratchFolder()
    let hall = try folder.write(Self.capture("h", inHall: true, ahead: 0), to: "hall.jsonl")
    let right = try folder.write(Self.capture("c", inHall: false, ahead: 0), to: "right.jsonl")
    let wrong = try folder.write(Self.capture("c", inHall: false, ahead: 6), to: "wrong.jsonl")
    let labels = try folder.write("start,end,name\n0,60,hall\n60,120,cellar\n", to: "w.csv")
    let model = folder.path("site.json")
    _ = run(["site", "survey", "-f", hall, "-f", right, "--truth", labels, "--write", model])
    let recording = folder.path("run.jsonl")
    let monitor = [
      "monitor", "--region", "a=F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--place", "cellar",
      "--format", "jsonl",
    ]
    let live = run(
      monitor + ["-f", hall, "-f", wrong, "--model", model, "--record", recording]
    )
    #expect(live.errors.contains("the clock of receiver 'c' is 6"), "\(live.errors)")
    #expect(live.output.contains(#""code":"late""#), "\(live.output)")
    #expect(live.output.contains("region.enter"))
    let replay = run(monitor + ["-f", recording])
    #expect(replay.output == live.output)
    let plain = run(monitor + ["-f", hall, "-f", right, "--model", model])
    let enters = [plain, live].map { run in
      run.lines.first { $0.contains("region.enter") }?.dropFirst(40).prefix(8) ?? ""
    }
    #expect(enters[0] == enters[1])
  }
}
