// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconCommands
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Beacons
import Foundation
import Synchronization
import Testing

/// What a client's live run recorded tells, replayed, what the run told, whatever persons did and the client was granted
/// since.
@Suite struct UserActionsEqualReplayTests {
  /// A clock that is a second further whenever it is looked at, so that nothing waits for a wall.
  final class StepClock: PlaybackClock {
    private let looks = Mutex(Int64(0))
    var elapsed: TimeSpan {
      looks.withLock { looks in
        looks += 1
        return .seconds(looks)
      }
    }
    func sleep(for span: TimeSpan) {}
  }

  static let manifest = "{ whenInUse: \"To tell you what you stand before.\" }"

  /// Persons who answer, change their minds, walk away and come back.
  static func answers(_ seed: UInt64) -> [AnswersReader.Entry] {
    var random = SplitMix64(seed: seed &+ 77)
    var entries = [
      AnswersReader.Entry(
        time: .seconds(Int64.random(in: 0...5, using: &random)),
        client: "guide",
        input: .answer(.whileUsing)
      )
    ]
    for _ in 0..<60 {
      let time = TimeSpan(microseconds: Int64.random(in: 0...900_000_000, using: &random))
      let input: UserAction
      switch Int.random(in: 0...9, using: &random) {
      case 0: input = .settings(authorization: .never)
      case 1, 2: input = .settings(authorization: .whileUsing, precise: true)
      case 3: input = .settings(authorization: .always)
      case 4: input = .settings(precise: false)
      case 5: input = .background
      case 6, 7: input = .foreground
      case 8: input = .services(on: Bool.random(using: &random))
      default: input = .answer(PromptChoice.allCases.randomElement(using: &random) ?? .once)
      }
      entries.append(.init(time: time, client: input.concernsAll ? nil : "guide", input: input))
    }
    return entries
  }

  /// Runs a client over a random radio, and returns what it was told and what was said.
  private static func live(
    seed: UInt64,
    answers: [AnswersReader.Entry]?,
    in folder: ScratchFolder,
    from start: Double = 0.25,
    user: ClientRunTests.Keys? = nil,
    meanwhile: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> (delivered: [UInt8], shown: String) {
    let errors = MemorySink()
    let io = CommandIO(
      output: MemorySink(),
      errors: errors,
      environment: ["XDG_STATE_HOME": folder.path("live")],
      clock: StepClock(),
      user: user
    )
    var options = RunOptions()
    options.constraints = [.uuid(TestScan.museum)]
    options.regions = [
      Region("one", .minor(TestScan.beacon(1, 1))), Region("all", .uuid(TestScan.museum)),
    ]
    options.recording = OutputPath(folder.path("run.jsonl"))
    let manifest = try Manifest.read(Array(Self.manifest.utf8), named: "a manifest")
    let client = RunClient(name: "guide", manifest: manifest, answers: answers)
    options.client = client
    let setup = EngineSetup(options, .ranging)
    let keeper = StoreKeeper(options, of: client, isLive: true, io: io) { line, _ in io.show(line) }
    let grants = ClientGrants(client, keeper, io: io, isLive: true, showsLimits: true) {}
    try grants.fetchGrants()
    let names = ["hci0", "hci1"]
    var live = EventLineWriter(EventNames(clients: ["guide"], receivers: names))
    let radio = LiveEqualsReplayTests.RandomRadio(seed: seed, from: start, meanwhile: meanwhile)
    let watcher = TestParticipant(deliver: { $0.forEach { live.append($0) } })
    var run = Runner(
      radio,
      setup,
      participants: [
        RunRequests(setup, grants, keeper), watcher, grants, try #require(keeper),
        RunRecording(options, setup, grants, io: .silent),
      ]
    )
    _ = try await run.run()
    return (live.bytes, errors.text)
  }

  private static func replay(_ folder: ScratchFolder) throws -> CommandRun {
    let manifest = try folder.write(Self.manifest, to: "manifest.json5")
    return CommandRun(
      ["range", "--from", folder.path("run.jsonl"), "--client", "guide", "--manifest", manifest]
        + LiveEqualsReplayTests.arguments,
      // Nothing is known of the client here: the recording says what it began with.
      environment: ["XDG_STATE_HOME": folder.path("replay")]
    )
  }

  @Test(.timeLimit(.minutes(1)), arguments: 1...8)
  func `a replayed client recording delivers what the client received, with user actions`(
    _ seed: UInt64
  ) async throws {
    let folder = try ScratchFolder()
    let live = try await Self.live(seed: seed, answers: Self.answers(seed), in: folder)
    let delivered = String(decoding: live.delivered, as: UTF8.self)
    #expect(
      delivered.contains("\"type\":\"ranged\"") && delivered.contains("\"type\":\"authorization\"")
    )
    let run = try Self.replay(folder)
    #expect(run.code == .done, "\(run.errors)")
    LiveEqualsReplayTests.compare(live.delivered, run.output)
    #expect(!FileManager.default.fileExists(atPath: folder.path("replay")))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a run continues while a user decides, and its replay is the same`() async throws {
    let folder = try ScratchFolder()
    // Keys that mean nothing are time that passes.
    let user = ClientRunTests.Keys(String(repeating: "x", count: 300) + "w")
    let live = try await Self.live(seed: 10, answers: nil, in: folder, user: user)
    let delivered = String(decoding: live.delivered, as: UTF8.self).split(separator: "\n")
    let asked = try #require(delivered.firstIndex { $0.contains("\"prompt\"") })
    let answered = try #require(delivered.firstIndex { $0.contains("\"authorizedWhenInUse\"") })
    #expect(asked < answered && delivered[answered...].contains { $0.contains("\"ranged\"") })
    #expect(!delivered[..<answered].contains { $0.contains("\"ranged\"") })
    #expect(user.taken == [true, false])
    LiveEqualsReplayTests.compare(live.delivered, try Self.replay(folder).output)
  }

  @Test(.timeLimit(.minutes(1)))
  func `another command changes grants during a run, and its replay is the same`() async throws {
    let folder = try ScratchFolder()
    let state = folder.path("live")
    let set: @Sendable ([String]) -> Void = { words in
      _ = CommandRun(["auth"] + words, environment: ["XDG_STATE_HOME": state])
    }
    set(["set", "whenInUse", "--client", "guide"])
    let live = try await Self.live(seed: 9, answers: nil, in: folder) { batch in
      switch batch {
      case 100: set(["set", "denied", "--client", "guide"])
      case 200: set(["set", "always", "--client", "guide"])
      case 300: set(["precise", "off", "--client", "guide"])
      case 400: set(["precise", "on", "--client", "guide"])
      case 500: set(["services", "off"])
      case 600: set(["services", "on"])
      default: break
      }
    }
    let changes = String(decoding: live.delivered, as: UTF8.self).matches(
      of: /"type":"authorization".*"status":"(\w+)","accuracy":"(\w+)"/
    ).map { "\($0.1) \($0.2)" }
    #expect(
      changes == [
        "denied full", "authorizedAlways full", "authorizedAlways reduced", "authorizedAlways full",
        "denied full", "authorizedAlways full",
      ]
    )
    let limits = live.shown.split(separator: "\n").compactMap {
      $0.split(separator: ":").dropFirst().first
    }
    #expect(limits == [" denied", " approximate", " services off"])
    LiveEqualsReplayTests.compare(live.delivered, try Self.replay(folder).output)
    let status = CommandRun(
      ["auth", "status", "--client", "guide", "--format", "jsonl"],
      environment: ["XDG_STATE_HOME": state]
    )
    #expect(status.output.contains("\"status\":\"authorizedAlways\",\"accuracy\":\"full\""))
  }

  /// What the user decides between two runs that record to one file.
  static let decisions: [[String]] = [
    ["set", "denied", "--client", "guide"], ["set", "always", "--client", "guide"],
    ["precise", "off", "--client", "guide"], ["services", "off"],
  ]

  /// The times of the ticks among lines. What they contain may differ where a later run begins: for the replay that is a
  /// gap, over which it knows the beacons.
  private static func ticks(_ lines: String) -> [Substring] {
    lines.split(separator: "\n").filter { $0.contains("\"ranged\"") }
      .compactMap { $0.split(separator: ",", maxSplits: 3).dropFirst(2).first }
  }

  /// Law L2.
  @Test(.timeLimit(.minutes(1)), arguments: decisions)
  func `a recording that a second run continued is replayed with the grants of each`(
    _ words: [String]
  ) async throws {
    let folder = try ScratchFolder()
    func set(_ words: [String]) {
      _ = CommandRun(["auth"] + words, environment: ["XDG_STATE_HOME": folder.path("live")])
    }
    set(["set", "whenInUse", "--client", "guide"])
    let first = try await Self.live(seed: 3, answers: nil, in: folder)
    set(words)
    let second = try await Self.live(seed: 4, answers: nil, in: folder, from: 1500.25)
    let run = try Self.replay(folder)
    #expect(run.code == .done, "\(run.errors)")
    let live = Self.ticks(String(decoding: first.delivered + second.delivered, as: UTF8.self))
    #expect(live.count > 400)
    #expect(Self.ticks(run.output) == live)
    // What a replay records is replayed alike.
    let copy = folder.path("copy.jsonl")
    let manifest = try folder.write(Self.manifest, to: "manifest.json5")
    let again = CommandRun(
      ["range", "--from", folder.path("run.jsonl"), "--record", copy, "--client", "guide"]
        + ["--manifest", manifest] + LiveEqualsReplayTests.arguments,
      environment: ["XDG_STATE_HOME": folder.path("replay")]
    )
    #expect(again.code == .done && again.output == run.output)
    try FileManager.default.removeItem(atPath: folder.path("run.jsonl"))
    try FileManager.default.moveItem(atPath: copy, toPath: folder.path("run.jsonl"))
    LiveEqualsReplayTests.compare(Array(run.output.utf8), try Self.replay(folder).output)
  }

  /// Law L2.
  @Test(.timeLimit(.minutes(1)))
  func `a second run that asks again is replayed with the answer to it`() async throws {
    let folder = try ScratchFolder()
    func answer(_ choice: PromptChoice) -> [AnswersReader.Entry] {
      [.init(time: .seconds(5), client: "guide", input: .answer(choice))]
    }
    var live: [UInt8] = []
    for (index, choice) in [PromptChoice.once, .dontAllow].enumerated() {
      // Nothing outlasts a run that is only rehearsed.
      try? FileManager.default.removeItem(atPath: folder.path("live"))
      let start = 0.25 + Double(index) * 1500
      live += try await Self.live(
        seed: UInt64(index) + 5,
        answers: answer(choice),
        in: folder,
        from: start
      ).delivered
    }
    let told = String(decoding: live, as: UTF8.self)
    let replayed = try Self.replay(folder).output
    #expect(Self.ticks(replayed) == Self.ticks(told))
    for text in [told, replayed] {
      #expect(text.split(separator: "\n").count { $0.contains("\"prompt\"") } == 2)
      #expect(text.contains("\"denied\""))
    }
  }
}
