// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import CommandTestSupport
import Foundation
import SiteCommands
import Testing

@testable import BeaconCommands
@testable import BeaconHistory
@testable import HistoryCommands

extension Program {
  /// The program with the commands of this module.
  static let withHistory = Program(
    adding: [
      (.recordings, HistoryCommand.command), (.watch, WebCommand.command([], [.places])),
    ],
    constants: [HistoryCommand.constants],
    participants: [.history],
    conditions: [.place]
  )
}

/// The rows of a history.
enum HistoryRows {
  static func time(_ text: String) -> Timestamp { RFC3339.parse(text) ?? .earliest }

  static func places(_ path: String) throws -> [HistoryPlace] {
    var found: [HistoryPlace] = []
    try HistoryReader(path).places(HistoryReader.Selection()) {
      found.append($0)
      return true
    }
    return found
  }

  static func spans(_ path: String) throws -> [HistoryReader.ReceiverSpan] {
    var found: [HistoryReader.ReceiverSpan] = []
    try HistoryReader(path).receivers(HistoryReader.Selection()) {
      found.append($0)
      return true
    }
    return found
  }

  static func visits(_ path: String) throws -> [HistoryVisit] {
    var found: [HistoryVisit] = []
    try HistoryReader(path).visits(HistoryReader.Selection()) {
      found.append($0)
      return true
    }
    return found
  }
}

/// The history of a replay is the history of the run that was recorded, row for row.
@Suite struct HistoryEqualsReplayTests {
  /// A source that behaves as a radio does: late stamps, silence, sleep, receivers that go and come back.
  actor RandomRadio: ScanSource {
    private var random: SplitMix64
    private var clock = TestScan.at(0.25)
    private let end = TestScan.at(1500)

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    var now: Timestamp { clock }
    var receiverNames: [String] { ["hci0", "hci1"] }
    nonisolated var isLive: Bool { true }

    func next(until deadline: Timestamp?) -> ScanBatch? {
      guard clock < end else { return nil }
      var batch = ScanBatch()
      let sleeps = Int.random(in: 0..<200, using: &random) == 0
      let target = sleeps ? clock + .seconds(Int64.random(in: 50...200, using: &random)) : deadline
      let horizon = target ?? clock + .seconds(1)
      for _ in 0..<Int.random(in: 0...3, using: &random) where !sleeps {
        let span = max(1, (horizon - clock).microseconds)
        clock = clock + TimeSpan(microseconds: Int64.random(in: 0...span, using: &random))
        add(to: &batch)
      }
      if Bool.random(using: &random) || batch.inputs.isEmpty {
        clock = max(clock, horizon) + TimeSpan(microseconds: 1)
        batch.upTo = clock
      }
      return batch
    }

    private func add(to batch: inout ScanBatch) {
      let stamp = clock - TimeSpan(microseconds: Int64.random(in: 0...300_000, using: &random))
      guard Int.random(in: 0..<60, using: &random) > 0 else {
        let state = RadioState.allCases.randomElement(using: &random) ?? .listening
        batch.inputs.append(.radio(receiver: 0, state, stamp))
        batch.inputs.append(.radio(receiver: 0, .listening, clock))
        return
      }
      // The first two come and go; the others stay.
      let seconds = Int((clock - TestScan.at(0)).seconds)
      var present: [UInt16] = []
      if seconds / 90 % 2 == 0 { present.append(1) }
      if seconds / 70 % 2 == 0 { present.append(2) }
      present += [3, 4]
      let minor = present.randomElement(using: &random) ?? 3
      let beacon = TestScan.beacon(1, minor)
      batch.append(
        AdvertisingReport(
          time: stamp,
          rssi: Int8.random(in: -95 ... -40, using: &random),
          receiver: UInt8.random(in: 0...1, using: &random),
          content: .rebuiltManufacturerData,
          payloadStart: 0,
          payloadCount: 0
        ),
        payload: BeaconEncoder.advertisingData(beacon, measuredPower: -59)
      )
    }
  }

  static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  /// Two listed beacons by separate regions, and a region of all.
  static let regions = [
    ("one", IdentityConstraint.minor(TestScan.beacon(1, 1))),
    ("two", IdentityConstraint.minor(TestScan.beacon(1, 2))),
    ("all", IdentityConstraint.uuid(TestScan.museum)),
  ]

  static func listing(_ name: String, _ folder: String) -> CommandRun {
    CommandRun(of: .withHistory, ["history", name, "--history", folder, "--format", "jsonl"])
  }

  @Test(arguments: 1...6)
  func `history of a replay is that of the run`(_ seed: UInt64) async throws {
    let folder = try ScratchFolder()
    let (path, live, replayed) = (
      folder.path("run.jsonl"), folder.path("live"), folder.path("replayed")
    )
    var options = RunOptions()
    options.recording = OutputPath(path)
    options.regions = Self.regions.map { Region(RegionIdentifier($0.0), $0.1) }
    options.constraints = [.uuid(TestScan.museum)]
    let setup = EngineSetup(options, .ranging)
    let keeper = HistoryKeeper(
      live,
      AdditionalParticipant.Surroundings(options: options, io: .silent) { _ in }
    )
    var run = Runner(
      RandomRadio(seed: seed),
      setup,
      participants: [RunRequests(setup), RunRecording(options, setup, nil, io: .silent), keeper]
    )
    _ = try await run.run()
    let regions = Self.regions.flatMap { name, constraint in ["-r", "\(name)=\(constraint)"] }
    let arguments = ["range", "--from", path, "-s", Self.uuid, "--format", "none"]
    let replay = CommandRun(of: .withHistory, arguments + regions + ["--history", replayed])
    #expect(replay.code == .done, "\(replay.errors)")
    for name in ["visits", "crossings", "minutes", "receivers", "notices"] {
      let (first, second) = (Self.listing(name, live), Self.listing(name, replayed))
      #expect(first.code == .done)
      #expect(first.output == second.output, "\(name)")
      #expect(first.lines.count > (name == "notices" ? 0 : 3), "\(name): \(first.lines.count)")
    }
  }

  /// Lines of a recording in which beacons go from place to place, now and then with a pause.
  static func recordingWithPlaces() -> String {
    var random = SplitMix64(seed: 3)
    var lines = [
      #"{"v":1,"type":"capture","tool":"t","version":"1","receivers":["a"],"profile":null,"redacted":true}"#,
      #"{"v":1,"type":"radio","t":"2026-05-31T23:40:00.000000Z","receiver":"a","state":"listening"}"#,
    ]
    var time = HistoryRows.time("2026-05-31T23:40:00Z")
    for second in 0..<2400 {
      time = time + .seconds(second % 500 == 499 ? 90 : 1)
      let text = RFC3339.string(time)
      for minor in 1...2 {
        let place = ["\"hall\"", "\"cellar\"", "null"][Int((random.next() >> 8) % 3)]
        guard second % 7 == 0 else { continue }
        lines.append(
          #"{"v":1,"type":"place","t":"\#(text)","uuid":"\#(uuid)","major":1,"minor":\#(minor),"#
            + #""place":\#(place),"p":0.95,"receivers":{"heard":1,"deaf":0}}"#
        )
      }
      lines.append(#"{"v":1,"type":"mark","t":"\#(text)"}"#)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func `places of a replay are those of the run that was recorded, over a month's end`()
    throws
  {
    let folder = try ScratchFolder()
    let source = try folder.write(Self.recordingWithPlaces(), to: "places.jsonl")
    let (first, second) = (folder.path("first"), folder.path("second"))
    let words = [
      "monitor", "-r", "one=\(Self.uuid)/1/1", "-r", "two=\(Self.uuid)/1/2", "--place", "hall",
      "--format", "none",
    ]
    let recorded = folder.path("recorded.jsonl")
    let run = CommandRun(
      of: .withHistory,
      words + ["--from", source, "--history", first, "--record", recorded]
    )
    #expect(run.code == .done, "\(run.errors)")
    let replay = CommandRun(
      of: .withHistory,
      words + ["--from", recorded, "--history", second]
    )
    #expect(replay.code == .done, "\(replay.errors)")
    for name in ["places", "visits", "receivers"] {
      let (one, other) = (Self.listing(name, first), Self.listing(name, second))
      #expect(one.output == other.output, "\(name)")
      #expect(one.lines.count > 8, "\(name): \(one.lines.count)")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: first)
    #expect(Set(files).isSuperset(of: ["history-2026-05.db", "history-2026-06.db"]))
    // Each beacon is in one place at a time, and in none while no receiver listened.
    let places = try HistoryRows.places(first)
    for minor: UInt16 in 1...2 {
      let own = places.filter { $0.identity.minor == minor }
      #expect(own.allSatisfy { $0.left != nil })
      for (place, next) in zip(own, own.dropFirst()) {
        #expect((place.left ?? .latest) <= next.entered)
      }
      let spans = try HistoryRows.spans(first).filter { $0.state.state == .gap }
      #expect(spans.count > 2)
      for gap in spans {
        #expect(
          !own.contains { $0.entered < gap.end ?? .latest && ($0.left ?? .latest) > gap.state.time }
        )
      }
    }
  }

  /// A recording in which a beacon is there from the start to the end.
  static func stay(from start: String, seconds: Int, minor: Int = 1) -> String {
    let begun = HistoryRows.time(start)
    let hex = uuid.replacing("-", with: "").lowercased()
    var lines = [
      #"{"v":1,"type":"capture","tool":"t","version":"1","receivers":["a"],"profile":null,"redacted":true}"#,
      #"{"v":1,"type":"radio","t":"\#(RFC3339.string(begun))","receiver":"a","state":"listening"}"#,
    ]
    for second in 1...seconds {
      lines.append(
        #"{"v":1,"type":"report","t":"\#(RFC3339.string(begun + .seconds(Int64(second))))","receiver":"a","#
          + #""address":null,"address_type":null,"event":"ADV_NONCONN_IND","rssi":-60,"#
          + #""ad":"0201061aff4c000215\#(hex)0001000\#(minor)c5"}"#
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test func `several replays into one history leave one stay open, that of the last one`() throws {
    let folder = try ScratchFolder()
    let history = folder.path("h")
    func replay(_ start: String, _ seconds: Int, _ minor: Int, _ regions: [String]) throws {
      let path = try folder.write(
        Self.stay(from: start, seconds: seconds, minor: minor),
        to: "c.jsonl"
      )
      let run = CommandRun(
        of: .withHistory,
        ["monitor", "--from", path, "--history", history, "--format", "none"]
          + regions.flatMap { ["-r", $0] }
      )
      #expect(run.code == .done, "\(run.errors)")
    }
    let (one, two) = ("one=\(Self.uuid)/1/1", "two=\(Self.uuid)/1/2")
    try replay("2026-05-01T10:00:00Z", 60, 1, [one])
    try replay("2026-05-01T12:00:00Z", 60, 1, [one, two])
    var visits = try HistoryRows.visits(history)
    #expect(visits.map(\.region) == ["one"], "the stay goes on")
    #expect(visits.map(\.quality) == [.interrupted] && visits.allSatisfy(\.isOpen))
    // The beacon is gone: it left while no receiver listened.
    try replay("2026-05-01T14:00:00Z", 200, 2, [one, two])
    visits = try HistoryRows.visits(history)
    #expect(visits.map(\.region) == ["one", "two"])
    #expect(visits.map(\.isOpen) == [false, true])
    #expect(visits.first?.quality == .endUnknown)
    // Months later only another region.
    try replay("2026-09-01T10:00:00Z", 60, 1, [one])
    visits = try HistoryRows.visits(history)
    #expect(visits.map(\.isOpen) == [false, false, true])
  }

  @Test(arguments: [["--record", "h/history-2026-05.db"], ["-o", "csv:h"], ["-o", "csv:h/lock"]])
  func `no other output goes into the files of a history`(_ words: [String]) throws {
    let folder = try ScratchFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("h"),
      withIntermediateDirectories: true
    )
    var words = words
    words[1] = words[1].replacing("h", with: folder.path("h"), maxReplacements: 1)
    let run = CommandRun(
      of: .withHistory,
      [
        "monitor", "--from", CommandRun.capture("walk.btsnoop"), "-r", "a=\(Self.uuid)",
        "--history", folder.path("h"), "--format", "none",
      ] + words
    )
    #expect(run.code == .usage, "\(run.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("h")).isEmpty)
  }

  @Test func `a history needs a folder`() throws {
    let folder = try ScratchFolder()
    let file = try folder.write("mine", to: "file")
    for (path, word) in [(file, "is a file"), (folder.path("no/h"), "does not exist")] {
      let run = CommandRun(
        of: .withHistory,
        ["monitor", "--from", "/no/such", "-r", "a=\(Self.uuid)", "--history", path]
      )
      #expect(run.code == .usage)
      #expect(run.errors.contains(word), "\(run.errors)")
    }
  }

  @Test func `a replay does not add to history that reaches beyond its start`() throws {
    let folder = try ScratchFolder()
    let arguments = [
      "monitor", "--from", CommandRun.capture("walk.btsnoop"), "-r", "a=\(Self.uuid)", "--history",
      folder.path("history"), "--format", "none",
    ]
    #expect(CommandRun(of: .withHistory, arguments).code == .done)
    let before = Self.listing("crossings", folder.path("history")).output
    let again = CommandRun(of: .withHistory, arguments)
    #expect(again.code == .usage)
    #expect(again.errors.contains("has history up to"))
    // Nothing else was opened for a run that could not start.
    let kept = try folder.write("mine", to: "kept.jsonl")
    let replacing = arguments + ["--force", "--record", kept, "-o", "jsonl:\(kept)-2"]
    #expect(CommandRun(of: .withHistory, replacing).code == .usage)
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "mine")
    #expect(!FileManager.default.fileExists(atPath: "\(kept)-2"))
    #expect(Self.listing("crossings", folder.path("history")).output == before)
  }
}
