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
import Synchronization
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
    /// Lines that were read and not yet returned.
    private let unreturned: Mutex<[String]> = Mutex([])

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

    func stopRanging(_ constraint: DBusValue = ServiceProgram.constraint) async throws {
      try await program.own(session, "StopRanging", [constraint])
    }

    /// Monitors a region; as it is assumed to be outside, the first report is a crossing.
    func monitor(_ region: String = "hall") async throws {
      let options = DBusValue.properties(["assuming": .string("outside")])
      let arguments = [.string(region), ServiceProgram.constraint, options]
      try await program.own(session, "StartMonitoring", arguments)
    }

    /// Reads lines until one is wanted; without a wanted one, up to the end.
    func read(until isWanted: @escaping @Sendable (String) -> Bool) async -> [String] {
      let (earlier, isFound) = unreturned.withLock { lines in
        let end = lines.firstIndex(where: isWanted).map { $0 + 1 }
        let taken = Array(lines.prefix(end ?? lines.count))
        lines.removeFirst(taken.count)
        return (taken, end != nil)
      }
      return isFound ? earlier : earlier + (await stream.read(until: isWanted))
    }

    /// Waits until the service has done what was requested before, since a call returns earlier: the region "hall" must be
    /// monitored.
    func settle() async throws {
      try await program.own(session, "RequestState", [.string("hall")])
      let lines = await stream.read { $0.contains("\"requested\"") }
      unreturned.withLock { $0 += lines }
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
    return await client.read { $0.contains("ranged") && $0.contains("\(time)\(seconds).") }
  }

  private static func rest(_ client: Client) async -> [String] {
    await client.read { _ in false }
  }

  // MARK: Tests

  @Test(.slow)
  func `each client's stream is repeated, also of one that was limited, late or killed`()
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
    for client in [full, killed] { try await client.settle() }
    try await service.push(Self.stay(from: 1, through: 6))
    var seen = await Self.read(full, through: 6)
    var gone = await Self.read(killed, through: 6)
    await killed.program.program.thread.stop()
    let late = try await Client(setting.bus, "late", in: service, grant: "whenInUse")
    try await late.range()
    try await service.push(Self.stay(from: 7, through: 9))
    seen += await Self.read(full, through: 9)
    // A grant changes between requests, and a user's choice is taken back.
    try await full.program.grant("user:anna/full", "always", accuracy: "reduced")
    try await full.program.own(full.session, "RequestState", [.string("hall")])
    try await full.program.grant("user:anna/full", "always")
    try await full.program.own(full.session, "RequestState", [.string("hall")])
    let back = try await Client(setting.bus, "killed", in: service, since: 0)
    try await back.range()
    for client in [full, back] { try await client.settle() }
    try await service.push(Self.stay(from: 10, through: 14))
    seen += await Self.read(full, through: 14)
    var missed = await Self.read(back, through: 14)
    // The region is left.
    var silence = Timeline()
    silence.listening(from: 15, through: 120)
    try await service.push(silence)
    seen += await full.read { $0.contains("region.exit") }
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

  @Test(.slow) func `a service that was started again goes on with the recording`() async throws {
    let setting = try Setting()
    var expected: [String] = []
    for run in 0..<3 {
      let start = run * 200
      let service = try await setting.start(at: Double(start))
      let grant = run == 0 ? "always" : nil
      let client = try await Client(setting.bus, "guide", in: service, grant: grant, since: 0)
      try await client.range()
      if run == 0 { try await client.monitor() }
      try await client.settle()
      var timeline = Timeline()
      timeline.radio(.listening, at: Double(start) + 0.5)
      try await service.push(timeline)
      try await service.push(Self.stay(from: start + 1, through: start + 5))
      var silence = Timeline()
      silence.listening(from: start + 6, through: start + 90)
      try await service.push(silence)
      // The crossings of the runs before come first.
      for _ in 0...run {
        expected += await client.read { $0.contains("region.exit") }
      }
      try await service.stop()
      expected += await Self.rest(client)
    }
    #expect(expected.count { $0.contains("region.exit") } > 3)
    #expect(try setting.replay("user:anna/guide") == Self.text(expected))
    #expect(try setting.files.count == 1)
  }

  @Test(.slow) func `the pieces of a recording that rotates are one recording`() async throws {
    var setting = try Setting()
    setting.place.rotation = .size(3000)
    setting.place.kept = 100
    let service = try await setting.start()
    let client = try await Client(setting.bus, "guide", in: service, grant: "always")
    try await client.monitor()
    var expected: [String] = []
    for round in 0..<8 {
      try await client.range()
      try await client.settle()
      try await service.push(Self.stay(from: round * 10 + 1, through: round * 10 + 8))
      expected += await Self.read(client, through: round * 10 + 8)
      try await client.stopRanging()
    }
    try await service.stop()
    expected += await Self.rest(client)
    let files = try setting.files
    #expect(files.count > 3)
    #expect(try setting.replay("user:anna/guide") == Self.text(expected))
    #expect(throws: ServiceReplay.Failure.self) {
      try setting.replay("user:anna/guide", [setting.place.path])
    }
  }

  @Test(.slow) func `a recording that was cut in a request is repeated up to there`() async throws {
    let setting = try Setting()
    let service = try await setting.start()
    let client = try await Client(setting.bus, "guide", in: service, grant: "always")
    try await client.monitor()
    try await client.range()
    try await client.settle()
    try await service.push(Self.stay(from: 1, through: 5))
    let before = await Self.read(client, through: 5)
    try await client.stopRanging()
    try await client.range()
    try await client.settle()
    try await service.push(Self.stay(from: 6, through: 9))
    _ = await Self.read(client, through: 9)
    try await service.stop()
    let whole = try Data(contentsOf: URL(fileURLWithPath: setting.place.path))
    let cut = try #require(whole.range(of: Data("unrange".utf8)))
    let path = setting.folder.appending(path: "cut.jsonl").path
    try whole[..<cut.lowerBound].write(to: URL(fileURLWithPath: path))
    var bytes: [UInt8] = []
    let replay = ServiceReplay(of: "user:anna/guide") { bytes += $0 }
    try replay.run([path])
    #expect(String(decoding: bytes, as: UTF8.self) == Self.text(before))
    #expect(replay.remarks.contains { $0.contains("the middle of a line") })
  }

  @Test func `a disk that is full from the start keeps no service from its programs`() async throws
  {
    var setting = try Setting()
    setting.place.path = "/dev/full"
    let service = try await setting.start()
    let client = try await Client(setting.bus, "guide", in: service, grant: "always")
    try await client.monitor()
    try await client.range()
    try await client.settle()
    try await service.push(Self.stay(from: 1, through: 3))
    #expect(await Self.read(client, through: 3).contains { $0.contains("\"minor\":1") })
    try await service.stop()
  }
}
