// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTestSupport
import BeaconTesting
import Beacons
import DBus
import DBusTestSupport
import Foundation
import Testing

/// What a service recorded, repeated for one of its clients, is what the client got, byte for byte.
@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(5)))
struct ServiceReplayTests {
  // MARK: Programs

  /// A program with a session and a stream, whose lines are kept.
  private final class Client: Sendable {
    let program: ServiceProgram
    let session: String
    let stream: LineStream

    init(
      _ bus: PrivateBus,
      _ label: String,
      in service: ServiceFixture,
      grant: String? = nil,
      accuracy: String = "full",
      since: UInt64? = nil
    ) async throws {
      program = try await ServiceProgram(bus)
      session = try await program.session(label)
      if let grant { try await program.grant("user:anna/\(label)", grant, accuracy: accuracy) }
      stream = try await program.stream(session, since: since)
    }

    func range(_ constraint: DBusValue = ServiceProgram.constraint) async throws {
      try await program.own(session, "StartRanging", [constraint])
    }

    func monitor(_ region: String = "hall") async throws {
      let arguments = [.string(region), ServiceProgram.constraint, DBusValue.properties([:])]
      try await program.own(session, "StartMonitoring", arguments)
    }
  }

  /// A recording in a folder of its own.
  private struct Setting {
    let bus: PrivateBus
    let folder: URL
    var place: RecordingFile.Place

    init() throws {
      bus = try PrivateBus()
      folder = try ServiceFixture.makeFolder()
      let path = folder.appending(path: "service.jsonl").path
      place = RecordingFile.Place(path: path, format: .lines, continues: true)
    }

    func start(at second: Double = 0) async throws -> ServiceFixture {
      try await ServiceFixture(
        on: bus,
        in: folder,
        from: Timeline.start + TimeSpan(seconds: second),
        recording: place
      )
    }

    /// The files of the recording.
    var files: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
          .filter { $0.hasPrefix("service.jsonl") }
          .map { folder.appending(path: $0).path }
      }
    }

    /// What a client got, according to the recording.
    func replay(_ client: String, stream: Int? = nil, _ files: [String]? = nil) throws -> String {
      var bytes: [UInt8] = []
      let replay = ServiceReplay(of: client, stream: stream) { bytes += $0 }
      try replay.run(files ?? self.files)
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private static func text(_ lines: [String]) -> String {
    lines.map { $0 + "\n" }.joined()
  }

  /// Reports of the beacon in the middle of each second.
  private static func stay(from first: Int, through last: Int) -> Timeline {
    var timeline = Timeline()
    for second in first...last { timeline.received(Timeline.beacon, at: Double(second) + 0.5) }
    return timeline
  }

  /// Waits for a tick of a second, and returns the lines up to it.
  private static func read(_ client: Client, through second: Int) async -> [String] {
    let time = "2023-11-14T22:\(13 + (20 + second) / 60):"
    let seconds = String(format: "%02d", (20 + second) % 60)
    return await client.stream.read { $0.contains("ranged") && $0.contains("\(time)\(seconds).") }
  }

  private static func rest(_ client: Client) async -> [String] {
    await client.stream.read { _ in false }
  }

  // MARK: Tests

  @Test(.slow) func `each client's stream is repeated, also of one that was limited, late or killed`()
    async throws
  {
    let setting = try Setting()
    let service = try await setting.start()
    let full = try await Client(setting.bus, "full", in: service, grant: "always")
    let limited = try await Client(
      setting.bus,
      "limited",
      in: service,
      grant: "whenInUse",
      accuracy: "reduced"
    )
    let killed = try await Client(setting.bus, "killed", in: service, grant: "always")
    for client in [full, limited, killed] {
      try await client.range()
      try await client.monitor()
    }
    service.source.push(Self.stay(from: 1, through: 6))
    var seen = await Self.read(full, through: 6)
    var gone = await Self.read(killed, through: 6)
    await killed.program.program.thread.stop()
    let late = try await Client(setting.bus, "late", in: service, grant: "whenInUse")
    try await late.range()
    service.source.push(Self.stay(from: 7, through: 9))
    seen += await Self.read(full, through: 9)
    // A grant changes between requests, and a user's choice is taken back.
    try await full.program.grant("user:anna/full", "always", accuracy: "reduced")
    try await full.program.own(full.session, "RequestState", [.string("hall")])
    try await full.program.grant("user:anna/full", "always")
    try await full.program.own(full.session, "RequestState", [.string("hall")])
    let back = try await Client(setting.bus, "killed", in: service, since: 0)
    try await back.range()
    service.source.push(Self.stay(from: 10, through: 14))
    seen += await Self.read(full, through: 14)
    var missed = await Self.read(back, through: 14)
    // The region is left.
    var silence = Timeline()
    silence.listening(from: 15, through: 120)
    service.source.push(silence)
    seen += await full.stream.read { $0.contains("region.exit") }
    try await service.stop()
    seen += await Self.rest(full)
    gone += await Self.rest(killed)
    missed += await Self.rest(back)
    #expect(seen.contains { $0.contains("region.enter") })
    #expect(seen.last?.contains("shutdown") == true)
    #expect(missed.first?.contains("region.enter") == true)
    #expect(try setting.replay("user:anna/full") == Self.text(seen))
    #expect(try setting.replay("user:anna/limited") == Self.text(await Self.rest(limited)))
    #expect(try setting.replay("user:anna/late") == Self.text(await Self.rest(late)))
    #expect(try setting.replay("user:anna/killed") == Self.text(gone + missed))
    #expect(try setting.replay("user:anna/killed", stream: 2) == Self.text(missed))
  }
}
