// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// An App Clip's morning is a local one, and the zone is an input: a replay gives the same events anywhere (row U30).
@Suite struct ZoneTests {
  static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"

  /// A night in Tokyo: from eleven in the evening to five in the morning, 14:00 to 20:00 UTC.
  static func night(zones: [(minute: Int, offset: Int64)], in folder: ScratchFolder) throws
    -> String
  {
    var writer = CaptureLineWriter(CaptureHeader(tool: "test", receivers: ["hci0"]))
    let start = Timestamp(microseconds: 1_772_373_600_000_000)
    for minute in 0...360 {
      let time = start + .seconds(Int64(minute) * 60)
      for zone in zones where zone.minute == minute {
        writer.append(zone: .seconds(zone.offset), at: time)
      }
      writer.appendMark(at: time)
      writer.appendMark(at: time + .seconds(30))
    }
    return try folder.write(String(decoding: writer.bytes, as: UTF8.self), to: "night.jsonl")
  }

  static func run(_ capture: String, _ more: [String], in folder: ScratchFolder) throws
    -> CommandRun
  {
    let manifest = try folder.write(#"{ whenInUse: "w", appClip: true }"#, to: "clip.json5")
    return CommandRun(
      [
        "range", "-f", capture, "-s", museum, "--client", "clip", "--manifest", manifest,
        "--format", "jsonl",
      ] + more,
      environment: ["XDG_STATE_HOME": folder.path("state")]
    )
  }

  static func answers(in folder: ScratchFolder) throws -> [String] {
    let path = try folder.write(
      "[{ at: 2, input: 'answer', choice: 'untilTomorrow' }]",
      to: "answers.json5"
    )
    return ["--answers", path]
  }

  static func cleared(_ run: CommandRun) -> String? {
    run.lines.first { $0.contains(#""status":"notDetermined""#) }.map { String($0.prefix(75)) }
  }

  @Test func `the morning is that of the recording's zone`() throws {
    let folder = try ScratchFolder()
    let tokyo = try Self.night(zones: [(0, 32_400)], in: folder)
    let run = try Self.run(tokyo, Self.answers(in: folder), in: folder)
    #expect(run.code == .done, "\(run.errors)")
    #expect(Self.cleared(run)?.contains("2026-03-01T19:00:00.000000Z") == true, "\(run.output)")
    // Without a zone the morning is that of UTC, on every machine.
    let unknown = try Self.night(zones: [], in: folder)
    let other = try Self.run(unknown, Self.answers(in: folder), in: folder)
    #expect(Self.cleared(other) == nil)
    // A user who expects a local morning reads it once.
    #expect(other.errors.split(separator: "\n").count { $0.contains("4 o'clock UTC") } == 1)
    #expect(!run.errors.contains("UTC"))
  }

  @Test func `a change of the zone counts from its time on`() throws {
    let folder = try ScratchFolder()
    // At eleven local time it becomes ten.
    let path = try Self.night(zones: [(0, 32_400), (0, 28_800)], in: folder)
    let run = CommandRun(["convert", path, folder.path("copy.jsonl")])
    #expect(run.code == .done)
    let copy = try String(contentsOfFile: folder.path("copy.jsonl"), encoding: .utf8)
    #expect(copy.split(separator: "\n").count { $0.contains(#""type":"zone""#) } == 2)
    let recorded = folder.path("run.jsonl")
    let first = try Self.run(path, Self.answers(in: folder) + ["--record", recorded], in: folder)
    #expect(Self.cleared(try Self.run(recorded, [], in: folder)) == Self.cleared(first))
    #expect(try Self.run(recorded, [], in: folder).output == first.output)
  }

  /// A radio that is in another zone each time the run looks, until the last one.
  private actor MovedRadio: ScanSource {
    private let radio: LiveEqualsReplayTests.RandomRadio
    private var zones: [TimeSpan]

    init(_ radio: LiveEqualsReplayTests.RandomRadio, zones: [TimeSpan]) {
      (self.radio, self.zones) = (radio, zones)
    }

    var now: Timestamp { get async { await radio.now } }
    var receiverNames: [String] { get async { await radio.receiverNames } }
    var utcOffset: TimeSpan? { zones.count > 1 ? zones.removeFirst() : zones.first }
    func next(until deadline: Timestamp?) async -> ScanBatch? {
      await radio.next(until: deadline)
    }
  }

  @Test func `a live run records its zone and each change of it`() async throws {
    let folder = try ScratchFolder()
    var options = RunOptions()
    options.recording = OutputPath(folder.path("run.jsonl"))
    let setup = EngineSetup(options, nil)
    var run = Runner(
      MovedRadio(
        LiveEqualsReplayTests.RandomRadio(seed: 5),
        zones: [.seconds(3600), .seconds(3600), .seconds(3600), .seconds(7200)]
      ),
      setup,
      participants: [RunRecording(options, setup, nil, io: .silent)]
    )
    _ = try await run.run()
    let text = try String(contentsOfFile: folder.path("run.jsonl"), encoding: .utf8)
    let zones = text.split(separator: "\n").filter { $0.contains(#""type":"zone""#) }
    #expect(
      zones.map { $0.suffix(14) }
        == [#","offset":3600}"#, #","offset":7200}"#].map { $0.suffix(14) }
    )
    #expect(text.split(separator: "\n")[1].contains(#""type":"zone""#))
  }
}
