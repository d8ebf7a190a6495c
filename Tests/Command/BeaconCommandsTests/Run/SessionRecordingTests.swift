// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import BeaconTesting
import Foundation
import Testing

@testable import BeaconCommands
@testable import Beacons

/// What a session of the library recorded tells, replayed, what the session told: by a session and by the command.
@Suite(.timeLimit(.minutes(1)))
struct SessionRecordingTests {
  /// A radio whose listeners are waited for, so that nothing they are told is dropped.
  struct PatientRadio: ScanSource {
    let radio: LiveEqualsReplayTests.RandomRadio
    var isLive: Bool { false }
    var now: Timestamp { get async throws { await radio.now } }
    var receiverNames: [String] { get async { await radio.receiverNames } }
    func next(until deadline: Timestamp?) async throws -> ScanBatch? {
      await radio.next(until: deadline)
    }
  }

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let manifest = Manifest(whenInUse: "To guide you.")

  /// Connects the operator or a client, asks what a `range` with two regions asks, and returns all that was told.
  private static func output(
    _ source: any ScanSource,
    asClient: Bool,
    isBusy: Bool = false,
    recording path: String? = nil
  ) async throws -> [UInt8] {
    let session = BeaconSession(
      source,
      prompter: ScriptedPrompter(.whileUsing),
      recording: path.map { Recording(path: $0) }
    )
    let client =
      try await asClient
      ? session.connect(manifest, named: "guide") : session.connect()
    let deliveries = client.deliveries
    var lines = EventLineWriter(
      EventNames(clients: [asClient ? "guide" : "operator"], receivers: ["hci0", "hci1"])
    )
    // The command asks at the start of the timeline, before anything is heard.
    if asClient { await client.requestAuthorization(.whenInUse) }
    await client.startMonitoring(Region("one", .minor(TestScan.beacon(1, 1))))
    await client.startMonitoring(Region("all", .uuid(TestScan.museum)))
    await client.session.startRanging(.uuid(TestScan.museum), whileInside: nil, for: client.id)
    try await session.run {
      var ticks = 0
      for await delivery in deliveries {
        lines.append(delivery)
        guard isBusy, case .ranged = delivery.event else { continue }
        ticks += 1
        switch ticks % 40 {
        case 10: await client.enterBackground()
        case 15: await client.enterForeground()
        case 30: await client.perform(.settings(precise: false))
        default: continue
        }
        // Nothing ticks for whoever may not know, so what was refused is granted at once.
        if ticks % 40 == 30 { await client.perform(.settings(precise: true)) }
      }
    }
    return lines.bytes
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `a session over the recording delivers the same`(_ seed: UInt64) async throws {
    let path = folder.path("air.jsonl")
    let radio = PatientRadio(radio: LiveEqualsReplayTests.RandomRadio(seed: seed))
    let delivered = try await Self.output(radio, asClient: false, recording: path)
    #expect(delivered.count > 10_000)
    let replayed = try await Self.output(CaptureSource(path: path), asClient: false)
    LiveEqualsReplayTests.compare(delivered, String(decoding: replayed, as: UTF8.self))
    let run = CommandRun(["range", "--from", path] + LiveEqualsReplayTests.arguments)
    #expect(run.code == .done, "\(run.errors)")
    LiveEqualsReplayTests.compare(delivered, run.output)
  }

  @Test func `what a user did is in it, and the command replays it`() async throws {
    let path = folder.path("visit.jsonl")
    let radio = PatientRadio(radio: LiveEqualsReplayTests.RandomRadio(seed: 4))
    let delivered = try await Self.output(radio, asClient: true, recording: path)
    #expect(delivered.count > 10_000)
    let manifest = try folder.write("{ whenInUse: 'To guide you.' }", to: "m.json5")
    let run = CommandRun(
      ["range", "--from", path, "--client", "guide", "--manifest", manifest]
        + LiveEqualsReplayTests.arguments,
      environment: ["XDG_STATE_HOME": folder.url.path]
    )
    #expect(run.code == .done, "\(run.errors)")
    LiveEqualsReplayTests.compare(delivered, run.output)
    // The grants of today had no part in it.
    #expect(!FileManager.default.fileExists(atPath: folder.path("beacons")))
  }

  @Test(arguments: 6...8 as ClosedRange<UInt64>)
  func `what a user does in answer to ticks is in it, and the command replays it`(
    _ seed: UInt64
  ) async throws {
    let path = folder.path("busy.jsonl")
    let radio = PatientRadio(radio: LiveEqualsReplayTests.RandomRadio(seed: seed))
    let delivered = try await Self.output(radio, asClient: true, isBusy: true, recording: path)
    let plain = PatientRadio(radio: LiveEqualsReplayTests.RandomRadio(seed: seed))
    #expect(try await Self.output(plain, asClient: true, isBusy: true) == delivered)
    let text = String(decoding: delivered, as: UTF8.self)
    #expect(text.contains("\"accuracy\":\"reduced\"") && delivered.count > 10_000)
    let manifest = try folder.write("{ whenInUse: 'To guide you.' }", to: "m.json5")
    let run = CommandRun(
      ["range", "--from", path, "--client", "guide", "--manifest", manifest]
        + LiveEqualsReplayTests.arguments,
      environment: ["XDG_STATE_HOME": folder.url.path]
    )
    #expect(run.code == .done, "\(run.errors)")
    LiveEqualsReplayTests.compare(delivered, run.output)
  }

  @Test(arguments: [true, false])
  func `what a user does comes a microsecond later, recorded or not`(isRecorded: Bool) async throws
  {
    let recording = isRecorded ? Recording(path: folder.path("run.jsonl")) : nil
    let session = BeaconSession(TimelineSource(try Timeline("*-*-*-")), recording: recording)
    let client = try await session.connect(Self.manifest, granted: .authorizedWhenInUse)
    let delay = try await session.run {
      for await tick in client.ranging(satisfying: .minor(Timeline.beacon)) {
        await client.perform(.settings(precise: false))
        return try await session.now - tick.time
      }
      return .zero
    }
    #expect(delay == TimeSpan(microseconds: 1))
  }

  @Test func `the recording of an interrupted replay has its end`() async throws {
    let path = folder.path("part.jsonl")
    var options = RunOptions()
    options.recording = OutputPath(path)
    let setup = EngineSetup(options, nil)
    let batches = (0..<10).map { second in
      ScanBatch(inputs: [.mark(TestScan.at(Double(second) + 0.5))])
    }
    var looks = 0
    var run = Runner(
      ReaderSource(Batches(batches), receiverNames: ["hci0"]),
      setup,
      participants: [
        TestParticipant(prepare: { LiveEqualsReplayTests.prepare(&$0) }),
        RunRecording(options, setup, nil, io: .silent),
      ]
    ) {
      looks += 1
      return looks > 3
    }
    #expect(try await run.run().wasInterrupted)
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.last?.contains("\"type\":\"end\"") == true, "\(lines.last ?? "")")
  }

  /// Batches as a reader.
  private final class Batches: ScanReader {
    private var rest: ArraySlice<ScanBatch>
    init(_ batches: [ScanBatch]) { rest = batches[...] }
    func next() -> ScanBatch? { rest.popFirst() }
  }

  @Test func `an unwritable recording ends the run before anything is received`()
    async throws
  {
    let session = BeaconSession(
      TimelineSource(try Timeline("-*-*-")),
      recording: Recording(path: folder.path("no/such/folder.jsonl"))
    )
    await #expect(throws: (any Error).self) { try await session.run() }
    #expect(await session.statistics.reports == 0)
  }

  @Test func `addresses are pseudonyms unless they are wanted`() async throws {
    let path = folder.path("air.jsonl")
    let radio = PatientRadio(radio: LiveEqualsReplayTests.RandomRadio(seed: 5))
    _ = try await Self.output(radio, asClient: false, recording: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("\"redacted\":true"))
    #expect(!text.contains("00:00:00:00:00:01"))
  }
}
