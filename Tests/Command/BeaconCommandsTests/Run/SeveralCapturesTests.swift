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

/// Several captures are several radios that come and go, and the pieces of a recording are one.
@Suite struct SeveralCapturesTests {
  static let museum = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  static let fixture = CaptureGoldenTests.fixture

  /// Writes a recording of some inputs.
  static func recording(
    _ scan: TestScan,
    receivers: [String] = ["hci0"],
    end: Double? = nil,
    to name: String,
    in folder: ScratchFolder
  ) throws -> String {
    var writer = CaptureLineWriter(CaptureHeader(tool: "test", receivers: receivers))
    writer.append(scan.inOrder)
    if let end { writer.appendEnd(at: TestScan.at(end)) }
    return try folder.write(String(decoding: writer.bytes, as: UTF8.self), to: name)
  }

  /// A radio that receives one beacon each second, from and to given times.
  static func radio(
    receiving times: ClosedRange<Double>...,
    at phase: Double,
    states: [(Double, RadioState)] = []
  ) -> TestScan {
    var scan = TestScan()
    for (time, state) in states { scan.add(.radio(receiver: 0, state, TestScan.at(time))) }
    for range in times {
      for second in stride(from: range.lowerBound, to: range.upperBound, by: 1) {
        scan.report(TestScan.beacon(1, 1), -60, at: second + phase)
      }
    }
    return scan
  }

  static func monitor(_ captures: [String], _ profile: String = "coreLocation14") -> CommandRun {
    CommandRun(
      ["monitor"] + captures.flatMap { ["-f", $0] }
        + ["-r", "a=\(museum)", "--profile", profile, "--format", "jsonl"]
    )
  }

  // MARK: Radios that come and go

  @Test(arguments: ["default", "coreLocation14"])
  func `no exit is false while another radio was off`(profile: String) throws {
    let folder = try ScratchFolder()
    // One radio's recording ends at 20 s; the other is off from 30 to 120 s.
    let first = try Self.recording(
      Self.radio(receiving: 0...20, at: 0.25, states: [(0, .listening)]),
      end: 20,
      to: "pi1.jsonl",
      in: folder
    )
    let second = try Self.recording(
      Self.radio(
        receiving: 0...30,
        120...150,
        at: 0.5,
        states: [(0, .listening), (30, .off), (120, .listening)]
      ),
      end: 150,
      to: "pi2.jsonl",
      in: folder
    )
    let run = Self.monitor([first, second], profile)
    #expect(run.code == .done)
    #expect(!run.output.contains("region.exit"), "\(run.output)")
    #expect(!run.output.contains("region.enter"), "\(run.output)")
    #expect(run.output.contains(#""code":"radioOff""#))
    #expect(Self.monitor([second, first], profile).output == run.output)
  }

  @Test func `while one radio receives, nothing is silent because another is off`() throws {
    let folder = try ScratchFolder()
    // This capture has no radio lines.
    let first = try Self.recording(
      Self.radio(receiving: 0...60, at: 0.5),
      to: "a.jsonl",
      in: folder
    )
    let second = try Self.recording(
      Self.radio(receiving: 1...3, at: 0.2, states: [(0, .listening), (5, .off)]),
      end: 59,
      to: "b.jsonl",
      in: folder
    )
    for captures in [[first, second], [second, first]] {
      let run = CommandRun(
        ["range"] + captures.flatMap { ["-f", $0] }
          + ["-s", Self.museum, "-r", "a=\(Self.museum)", "--format", "jsonl"]
      )
      #expect(run.lines.count { $0.contains(#""type":"ranged""#) } >= 59)
      #expect(!run.output.contains(#""type":"failure""#))
      #expect(!run.output.contains(#""state":"unknown""#))
    }
  }

  @Test func `a receiver that states nothing listens when its reports come`() throws {
    let folder = try ScratchFolder()
    var scan = Self.radio(receiving: 0...40, at: 0.5)
    scan.add(.radio(receiver: 1, .listening, TestScan.at(0)))
    scan.add(.radio(receiver: 1, .off, TestScan.at(5)))
    let path = try Self.recording(scan, receivers: ["hci0", "hci1"], to: "x.jsonl", in: folder)
    let run = Self.monitor([path])
    #expect(!run.output.contains("radioOff"), "\(run.output)")
    #expect(run.output.contains(#""state":"inside""#))
  }

  // MARK: Pieces

  /// How a recording comes into pieces.
  enum Cutting: CaseIterable {
    /// As `split` and `head` cut a file: only the first piece has the header.
    case plain
    /// With the header in front of each piece.
    case repeated
    /// As `--rotate` writes them: the pieces have numbers.
    case numbered

    /// The header of a piece, given that of the whole.
    func header(_ whole: Substring, of piece: Int) -> [Substring] {
      switch self {
      case .plain: piece == 0 ? [whole] : []
      case .repeated: [whole]
      case .numbered:
        [whole.dropLast() + #","begun":"2020-01-01T00:00:00.000000Z","piece":\#(piece + 1)}"#]
      }
    }
  }

  /// Cuts a recording at lines.
  static func pieces(
    of path: String,
    cutAt cuts: [Int],
    _ cutting: Cutting = .repeated,
    in folder: ScratchFolder
  ) throws -> [String] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let header = lines[0]
    var pieces: [String] = []
    let bounds = [1] + cuts + [lines.count]
    for (number, (start, end)) in zip(bounds, bounds.dropFirst()).enumerated() {
      let head = cutting.header(header, of: number)
      let piece = (head + lines[start..<end]).map { $0 + "\n" }.joined()
      pieces.append(try folder.write(piece, to: "piece.\(number).jsonl"))
    }
    return pieces
  }

  static let runs = [
    ["scan"], ["range", "-s", museum], ["range", "-s", fixture, "-r", "a=\(fixture)"],
    ["monitor", "-r", "a=\(museum)", "-r", "b=\(fixture)"],
    ["monitor", "-r", "a=\(fixture)", "--profile", "coreLocation14"],
  ]

  static func outputs(_ captures: [String]) -> [String] {
    runs.map { arguments in
      CommandRun(arguments + captures.flatMap { ["-f", $0] } + ["--format", "jsonl"]).output
    }
  }

  /// The order of pieces without times cannot be known.
  static let recordings = CaptureGoldenTests.captures.filter { $0 != "hcidump.txt" }

  /// Lines at which a recording can be cut so that no two pieces start at one time.
  static func cuts(of path: String, most: Int, _ random: inout SplitMix64) throws -> [Int] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let times = lines.map { line in
      line.range(of: #""t":""#).map { String(line[$0.upperBound...].prefix(27)) } ?? ""
    }
    var seen: Set<String> = [times[1]]
    var places: [Int] = []
    for place in lines.indices.dropFirst(2).shuffled(using: &random).prefix(most) {
      if seen.insert(times[place]).inserted { places.append(place) }
    }
    return places.sorted()
  }

  /// The capture as a recording; `nil` if it is none.
  static func asRecording(_ name: String, in folder: ScratchFolder) -> String? {
    let path = folder.path("whole.jsonl")
    let run = CommandRun(["convert", CommandRun.capture(name), path])
    guard run.code == .done,
      let text = try? String(contentsOfFile: path, encoding: .utf8),
      text.split(separator: "\n").count > 3
    else { return nil }
    return path
  }

  @Test(arguments: recordings, Cutting.allCases)
  func `a recording cut anywhere gives the events of the whole`(
    _ name: String,
    _ cutting: Cutting
  ) throws {
    let folder = try ScratchFolder()
    guard let whole = Self.asRecording(name, in: folder) else { return }
    let expected = Self.outputs([whole])
    for seed in 0..<UInt64(Effort.rounds(3)) {
      var random = SplitMix64(seed: seed)
      let cuts = try Self.cuts(of: whole, most: 5, &random)
      let pieces = try Self.pieces(of: whole, cutAt: cuts, cutting, in: folder)
      let outputs = Self.outputs(pieces.shuffled(using: &random))
      #expect(outputs == expected, "cut at \(cuts)")
    }
  }

  static let clocks = [
    "right", "back-45", "boot-1970", "boot-saved-hour", "day-late", "spike-45", "wild-stamps",
    "wild-start",
  ]

  @Test(arguments: clocks)
  func `so does one whose clock was wrong, if its pieces have numbers`(_ name: String) throws {
    let folder = try ScratchFolder()
    let whole = CaptureClockTests.fixture(name)
    let expected = Self.outputs([whole])
    for seed in 0..<UInt64(Effort.rounds(10)) {
      var random = SplitMix64(seed: seed)
      let cuts = (2..<60).shuffled(using: &random).prefix(4).sorted()
      let pieces = try Self.pieces(of: whole, cutAt: cuts, .numbered, in: folder)
      #expect(Self.outputs(pieces.shuffled(using: &random)) == expected, "cut at \(cuts)")
    }
  }

  @Test func `a file that was cut is one recording, also where nothing was received`() throws {
    let folder = try ScratchFolder()
    let whole = try Self.recording(
      Self.radio(receiving: 0...20, 62...80, 4000...4020, at: 0.5, states: [(0, .listening)]),
      end: 4020,
      to: "whole.jsonl",
      in: folder
    )
    let expected = Self.outputs([whole])
    // Behind the last report of each stay, and within.
    for cuts in [[23], [42], [23, 42], [10, 30, 50]] {
      let pieces = try Self.pieces(of: whole, cutAt: cuts, .plain, in: folder)
      #expect(Self.outputs(pieces) == expected, "cut at \(cuts)")
      #expect(Self.outputs(pieces.reversed()) == expected, "cut at \(cuts)")
    }
  }

  @Test func `a client's recording cut anywhere gives the events of the whole`() throws {
    let folder = try ScratchFolder()
    let whole = ProjectFiles.fixtures.appending(path: "recordings/user-actions.jsonl").path
    let manifest = try folder.write(#"{ whenInUse: "w", alwaysAndWhenInUse: "a" }"#, to: "m.json5")
    func events(_ captures: [String]) -> String {
      CommandRun(
        ["monitor", "-r", "a=\(Self.fixture)", "--client", "guide", "--manifest", manifest]
          + captures.flatMap { ["-f", $0] } + ["--format", "jsonl"],
        environment: ["XDG_STATE_HOME": folder.path("state")]
      ).output
    }
    let expected = events([whole])
    #expect(!expected.isEmpty)
    for seed in 0..<UInt64(8) {
      var random = SplitMix64(seed: seed)
      let cuts = try Self.cuts(of: whole, most: 4, &random)
      let pieces = try Self.pieces(of: whole, cutAt: cuts, in: folder)
      #expect(events(pieces.shuffled(using: &random)) == expected, "cut at \(cuts)")
    }
  }

  @Test func `parts one after the other in one file are read as one recording`() throws {
    let folder = try ScratchFolder()
    let whole = try #require(Self.asRecording("walk.btsnoop", in: folder))
    let pieces = try Self.pieces(of: whole, cutAt: [40, 200], in: folder)
    let text = try pieces.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
    let joined = try folder.write(text, to: "joined.jsonl")
    #expect(Self.outputs([joined]) == Self.outputs([whole]))
    #expect(CommandRun(["scan", "-f", joined, "--format", "none"]).errors.isEmpty)
    // A conversion keeps each line.
    let copy = folder.path("copy.jsonl")
    #expect(CommandRun(["convert", joined, copy]).code == .done)
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == text)
  }

  @Test func `between two recordings in one file nobody listens`() throws {
    let folder = try ScratchFolder()
    var text = ""
    for (begun, range) in [(0.0, 0.0...20.0), (60.0, 60.0...80.0)] {
      var writer = CaptureLineWriter(
        CaptureHeader(tool: "test", receivers: ["hci0"], begun: TestScan.at(begun), piece: 1)
      )
      writer.append(Self.radio(receiving: range, at: 0.5).inOrder)
      text += String(decoding: writer.bytes, as: UTF8.self)
    }
    let run = Self.monitor([try folder.write(text, to: "x.jsonl")])
    #expect(!run.output.contains("region.exit"), "\(run.output)")
    #expect(run.output.contains("radioGone"))
    #expect(run.lines.count { $0.contains(#""state":"inside""#) } == 2)
  }

  // MARK: A recording that rotates

  /// Short runs where pieces are small: each rotation renames all of them.
  @Test(arguments: [(500, 60.0), (4_000, 200), (60_000, 500)])
  func `a recording that rotates gives the events of the run`(
    size: Int,
    seconds: Double
  ) async throws {
    let folder = try ScratchFolder()
    let path = folder.path("air.jsonl")
    var live = EventLineWriter(EventNames(receivers: ["hci0", "hci1"]))
    var options = RunOptions()
    options.recording = OutputPath(path)
    options.rotation = .size(size)
    options.keptFiles = 100_000
    let setup = EngineSetup(options, nil)
    let watcher = TestParticipant(prepare: { LiveEqualsReplayTests.prepare(&$0) }) { deliveries in
      deliveries.forEach { live.append($0) }
    }
    var run = Runner(
      LiveEqualsReplayTests.RandomRadio(seed: 11, seconds: seconds),
      setup,
      participants: [watcher, RunRecording(options, setup, nil, io: .silent)]
    )
    _ = try await run.run()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.count > (size == 500 ? 50 : 2), "\(names.count)")
    let pattern = CommandRun(["range", "-f", path + "*"] + LiveEqualsReplayTests.arguments)
    #expect(pattern.code == .done, "\(pattern.errors)")
    #expect(pattern.errors.isEmpty, "\(pattern.errors)")
    LiveEqualsReplayTests.compare(live.bytes, pattern.output)
    let named = names.shuffled().flatMap { ["-f", folder.path($0)] }
    #expect(
      CommandRun(["range"] + named + LiveEqualsReplayTests.arguments).output == pattern.output
    )
    // A piece by itself begins with the receivers' states.
    let last = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(last[0].contains(#""piece":"#))
    #expect(last[1].contains(#""type":"radio""#))
  }

  @Test func `a pattern that matches nothing lacks input`() {
    let run = CommandRun(["scan", "-f", "/nowhere/air*"])
    #expect(run.code == .noInput)
    #expect(run.errors.contains("no file matches '/nowhere/air*'"))
  }

  // MARK: Order

  @Test(arguments: 0..<6)
  func `the order of captures changes nothing`(_ seed: UInt64) throws {
    let folder = try ScratchFolder()
    var random = SplitMix64(seed: seed)
    var paths: [String] = []
    for number in 0..<3 {
      var scan = TestScan()
      var time = 0.0
      while time < 90 {
        // On a grid, so that captures have inputs of one time.
        time += Double(Int.random(in: 0...3, using: &random)) * 0.5
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          let state = RadioState.allCases.randomElement(using: &random) ?? .off
          scan.add(.radio(receiver: 0, state, TestScan.at(time)))
        case 1: time += 20
        default:
          let minor = UInt16.random(in: 1...3, using: &random)
          scan.report(
            TestScan.beacon(1, minor),
            Int8.random(in: -90 ... -50, using: &random),
            at: time
          )
        }
      }
      paths.append(try Self.recording(scan, to: "\(number).jsonl", in: folder))
    }
    let expected = Self.outputs(paths)
    for _ in 0..<3 { #expect(Self.outputs(paths.shuffled(using: &random)) == expected) }
  }
}
