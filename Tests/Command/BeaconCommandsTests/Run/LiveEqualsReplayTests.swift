// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import CommandTestSupport
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import Foundation
import Synchronization
import SystemKit
import Testing

/// What a live run recorded tells, replayed, what the live run told: to the byte.
@Suite struct LiveEqualsReplayTests {
  /// A source that behaves as a radio does: late stamps, silence, sleep, receivers that go and come back.
  actor RandomRadio: ScanSource {
    private var random: SplitMix64
    private var clock: Timestamp
    private let end: Timestamp
    private var batches = 0
    /// Done before a batch of a number; what else happens on the machine.
    private let meanwhile: @Sendable (Int) -> Void

    init(
      seed: UInt64,
      from start: Double = 0.25,
      seconds: Double = 900,
      meanwhile: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
      clock = TestScan.at(start)
      end = TestScan.at(start + seconds)
      random = SplitMix64(seed: seed)
      self.meanwhile = meanwhile
    }

    var now: Timestamp { clock }
    var receiverNames: [String] { ["hci0", "hci1"] }

    func next(until deadline: Timestamp?) -> ScanBatch? {
      guard clock < end else { return nil }
      batches += 1
      meanwhile(batches)
      var batch = ScanBatch()
      let sleeps = Int.random(in: 0..<400, using: &random) == 0
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
      let late = TimeSpan(microseconds: Int64.random(in: 0...300_000, using: &random))
      let stamp = clock - late
      switch Int.random(in: 0..<60, using: &random) {
      case 0:
        let state = RadioState.allCases.randomElement(using: &random) ?? .listening
        batch.inputs.append(.radio(receiver: 0, state, stamp))
        batch.inputs.append(.radio(receiver: 0, .listening, clock))
      default:
        let beacon = TestScan.beacon(1, UInt16.random(in: 1...4, using: &random))
        batch.append(
          AdvertisingReport(
            time: stamp,
            rssi: Int8.random(in: -95 ... -40, using: &random),
            receiver: UInt8.random(in: 0...1, using: &random),
            address: DeviceAddress(UInt64.random(in: 1...9, using: &random), kind: .random),
            content: .rebuiltManufacturerData,
            payloadStart: 0,
            payloadCount: 0
          ),
          payload: BeaconEncoder.advertisingData(beacon, measuredPower: -59)
        )
      }
    }
  }

  static let arguments = [
    "-s", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "-r",
    "one=F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1", "-r",
    "all=F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--format", "jsonl",
  ]

  static func prepare(_ engine: inout RunEngine) {
    let client = engine.driver?.connect()
    for (name, constraint) in [
      ("one", IdentityConstraint.minor(TestScan.beacon(1, 1))), ("all", .uuid(TestScan.museum)),
    ] {
      let region = Region(RegionIdentifier(name), constraint)
      engine.request(.monitor(region), by: client)
    }
    engine.request(.range(.uuid(TestScan.museum)), by: client)
  }

  @Test(.timeLimit(.minutes(1)), arguments: 1...8)
  func `a replayed recording delivers what the run delivered`(_ seed: UInt64) async throws {
    try await Self.check(RandomRadio(seed: seed), receivers: ["hci0", "hci1"])
  }

  /// Radios of several sources, whose times are apart; the machine's clock is the latest of them.
  private final class Radio: ScanSource {
    let radio: RandomRadio
    let receiverNames = ["hci0", "hci1"]
    private let latest: Latest

    init(seed: UInt64, _ latest: Latest) {
      radio = RandomRadio(seed: seed, seconds: 300)
      self.latest = latest
    }

    var now: Timestamp { get async { await radio.now } }

    func next(until deadline: Timestamp?) async -> ScanBatch? {
      let batch = await radio.next(until: deadline)
      latest.reach(await radio.now)
      return batch
    }
  }

  /// The latest time of some radios.
  private final class Latest: Sendable {
    private let time = Mutex(TestScan.at(0.25))

    func reach(_ other: Timestamp) { time.withLock { $0 = max($0, other) } }

    /// A timeline at that time.
    var timeline: SourceTimeline {
      let start = TestScan.at(0.25)
      return SourceTimeline(wallClock: WallClock { start }) { [self] in
        Uptime(nanoseconds: (time.withLock(\.self) - start).microseconds * 1000)
      }
    }
  }

  /// Row M16.
  @Test(.timeLimit(.minutes(1)), arguments: [1, 2, 3] as [UInt64])
  func `a replay of merged sources delivers the same events`(_ seed: UInt64) async throws {
    let latest = Latest()
    let source = MergedSource(
      [
        .init(Radio(seed: seed, latest), .init("a")),
        .init(Radio(seed: seed + 100, latest), .init("b")),
      ],
      timeline: latest.timeline
    )
    defer { source.stop() }
    try await Self.check(source, receivers: ["hci0", "hci1", "b:hci0", "b:hci1"])
  }

  private static func check(_ source: any ScanSource, receivers: [String]) async throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "beacons-live-\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var live = EventLineWriter(EventNames(receivers: receivers))
    var options = RunOptions()
    options.recording = OutputPath(path)
    let setup = EngineSetup(options, nil)
    let watcher = TestParticipant(prepare: { Self.prepare(&$0) }) { deliveries in
      deliveries.forEach { live.append($0) }
    }
    var run = Runner(
      source,
      setup,
      participants: [watcher, RunRecording(options, setup, nil, io: .silent)]
    )
    _ = try await run.run()
    let replay = CommandRun(["range", "--from", path] + Self.arguments)
    #expect(replay.code == .done, "\(replay.errors)")
    #expect(live.bytes.count > 10_000)
    Self.compare(live.bytes, replay.output)
  }

  static func compare(_ live: [UInt8], _ replayed: String) {
    let liveText = String(decoding: live, as: UTF8.self)
    guard liveText != replayed else { return }
    let lines = zip(liveText.split(separator: "\n"), replayed.split(separator: "\n"))
    if let (expected, got) = lines.first(where: { $0 != $1 }) {
      Issue.record("told \(expected.prefix(300)), replayed \(got.prefix(300))")
    } else {
      Issue.record("one is longer: \(liveText.utf8.count) and \(replayed.utf8.count) bytes")
    }
  }
}
