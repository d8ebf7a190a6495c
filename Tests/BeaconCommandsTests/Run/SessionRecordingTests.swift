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
  private static func tell(
    _ source: any ScanSource,
    asClient: Bool,
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
    if asClient { await client.authorize(.whenInUse) }
    await client.monitor(Region("one", .minor(TestScan.beacon(1, 1))))
    await client.monitor(Region("all", .uuid(TestScan.museum)))
    await client.session.startRanging(.uuid(TestScan.museum), whileInside: nil, for: client.id)
    try await session.run {
      for await delivery in deliveries { lines.append(delivery) }
    }
    return lines.bytes
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `a session over the recording tells the same`(_ seed: UInt64) async throws {
    let path = folder.path("air.jsonl")
    let radio = PatientRadio(radio: LiveEqualsReplayTests.RandomRadio(seed: seed))
    let told = try await Self.tell(radio, asClient: false, recording: path)
    #expect(told.count > 10_000)
    let replayed = try await Self.tell(CaptureSource(path: path), asClient: false)
    LiveEqualsReplayTests.compare(told, String(decoding: replayed, as: UTF8.self))
    let run = CommandRun(["range", "--from", path] + LiveEqualsReplayTests.arguments)
    #expect(run.code == .done, "\(run.errors)")
    LiveEqualsReplayTests.compare(told, run.output)
  }

  @Test func `what a user did is in it, and the command replays it`() async throws {
    let path = folder.path("visit.jsonl")
    let radio = PatientRadio(radio: LiveEqualsReplayTests.RandomRadio(seed: 4))
    let told = try await Self.tell(radio, asClient: true, recording: path)
    #expect(told.count > 10_000)
    let manifest = try folder.write("{ whenInUse: 'To guide you.' }", to: "m.json5")
    let run = CommandRun(
      ["range", "--from", path, "--client", "guide", "--manifest", manifest]
        + LiveEqualsReplayTests.arguments,
      environment: ["XDG_STATE_HOME": folder.url.path]
    )
    #expect(run.code == .done, "\(run.errors)")
    LiveEqualsReplayTests.compare(told, run.output)
    // The grants of today had no part in it.
    #expect(!FileManager.default.fileExists(atPath: folder.path("beacons")))
  }

  @Test func `a recording that cannot be written ends the run before anything is heard`()
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
    _ = try await Self.tell(radio, asClient: false, recording: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("\"redacted\":true"))
    #expect(!text.contains("00:00:00:00:00:01"))
  }
}
