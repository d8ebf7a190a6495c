// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
@testable import Beacons
import Synchronization
import Testing

/// A session that is stopped reports its end, and no task waits forever.
@Suite(.timeLimit(.minutes(1)))
struct EndingTests {
  /// A source that gives its batches, then waits until its task is cancelled or fails.
  actor Endless: ScanSource {
    nonisolated let isLive: Bool
    let receiverNames = ["test"]
    let now = Timeline.start
    private var batches: [ScanBatch]
    private let failure: (any Error)?

    init(_ timeline: Timeline, isLive: Bool, failure: (any Error)? = nil) {
      self.isLive = isLive
      batches = timeline.batches()
      self.failure = failure
    }

    func next(until deadline: Timestamp?) async throws -> ScanBatch? {
      if !batches.isEmpty { return batches.removeFirst() }
      if let failure { throw failure }
      await ManualClockWait.untilCancelled()
      throw CancellationError()
    }
  }

  enum ManualClockWait {
    /// Sleeps on a clock that never advances.
    static func untilCancelled() async {
      let clock = ManualClock()
      try? await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
    }
  }

  struct Broken: Error {}

  @Test("cancelling ends every sequence; regions are unknown, no exit", arguments: [true, false])
  func cancelling(isLive: Bool) async throws {
    let source = Endless(try Timeline("--*--", of: Museum.hall), isLive: isLive)
    let session = BeaconSession(source)
    let client = try await session.connect()
    await client.startMonitoring(Museum.hallRegion, assuming: .outside)
    let (events, ticks) = (client.regionEvents, client.ranging(satisfying: .uuid(1)))
    let (inside, waiting) = AsyncStream<Void>.makeStream()
    async let log = events.reduce(into: [String]()) { log, event in
      log.append(event.change.name)
      if case .state(.inside, _, _) = event.change { waiting.finish() }
    }
    async let tickCount = ticks.reduce(0) { count, _ in count + 1 }
    let running = Task { try await session.run() }
    for await _ in inside {}
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(await log.suffix(3) == ["entered", "state inside", "state unknown"])
    _ = await tickCount
    // A listener that starts now receives the end at once.
    for await _ in client.regionEvents { Issue.record("an ended session told something") }
  }

  @Test(
    "stopping delivers the last states of the regions, and throws nothing",
    arguments: [true, false]
  )
  func stopping(isLive: Bool) async throws {
    let source = Endless(try Timeline("--*--", of: Museum.hall), isLive: isLive)
    let log = Mutex<[String]>([])
    let session = BeaconSession(
      source,
      log: { level, text in log.withLock { $0.append("\(level) \(text)") } }
    )
    let client = try await session.connect()
    await client.startMonitoring(Museum.hallRegion, assuming: .outside)
    let events = client.regionEvents
    let changes = try await session.run {
      var changes: [String] = []
      for await event in events {
        changes.append(event.change.name)
        if case .state(.inside, _, _) = event.change { await session.stop() }
      }
      return changes
    }
    #expect(changes.suffix(3) == ["entered", "state inside", "state unknown"])
    #expect(await client.saved.regions.map(\.state) == [.inside])
    #expect(log.withLock { $0 } == ["info the run ended"])
  }

  @Test func `both forms of a run throw when their task is cancelled`() async throws {
    let session = BeaconSession(Endless(try Timeline("--*--", of: Museum.hall), isLive: true))
    let client = try await session.connect()
    let (begins, begin) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await session.run {
        begin.finish()
        for await _ in client.regionEvents {}
      }
    }
    for await _ in begins {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a drain delivers the last exit`() async throws {
    for drains in [false, true] {
      let session = BeaconSession(try Museum.source("--*"))
      let client = try await session.connect()
      let crossings = try await session.run(draining: drains) {
        await client.startMonitoring(Museum.hallRegion, assuming: .outside)
        return await client.regionEvents.reduce(into: [String]()) { log, event in
          if event.isCrossing { log.append("\(event.change.name) \(Museum.seconds(event.time))") }
        }
      }
      #expect(crossings == (drains ? ["entered 2.0", "exited 7.0"] : ["entered 2.0"]))
    }
  }

  @Test func `a source that fails ends the session with its error`() async throws {
    let timeline = try Timeline("--*--", of: Museum.hall)
    let session = BeaconSession(Endless(timeline, isLive: false, failure: Broken()))
    let client = try await session.connect()
    await client.startMonitoring(Museum.hallRegion, assuming: .outside)
    let events = client.regionEvents
    async let log = events.reduce(into: [RegionEvent.Change]()) { $0.append($1.change) }
    await #expect(throws: Broken.self) { try await session.run() }
    #expect(await log.last == .state(.unknown, .observed, .shutdown))
  }

  @Test func `what was saved before the end is not what the end made of it`() async throws {
    let timeline = try Timeline("--*--", of: Museum.hall)
    let session = BeaconSession(Endless(timeline, isLive: false, failure: Broken()))
    let client = try await session.connect()
    await client.startMonitoring(Museum.hallRegion, assuming: .outside)
    try? await session.run()
    #expect(await client.saved.regions.map(\.state) == [.inside])
  }

  @Test func `a program that ends takes the session with it`() async throws {
    let source = Endless(try Timeline("--*--", of: Museum.hall), isLive: true)
    let session = BeaconSession(source)
    let client = try await session.connect()
    // A live source waits for nobody, so the program listens before the source is pulled.
    await client.startMonitoring(Museum.hallRegion, assuming: .outside)
    var events = client.regionEvents.makeAsyncIterator()
    let answer = try await session.run {
      while let event = await events.next() { if event.isCrossing { return 42 } }
      return 0
    }
    #expect(answer == 42)
  }

  @Test func `a live source drops the oldest inputs, counts them and reports it`() async throws {
    var timeline = Timeline()
    for second in 0...400 { timeline.received(Museum.hall, at: Double(second) + 0.5) }
    let session = BeaconSession(TimelineSource(timeline, batchSize: 1, isLive: true))
    let client = try await session.connect()
    let ticks = client.ranging(satisfying: Museum.hallRegion.constraint).makeAsyncIterator()
    let diagnostics = client.diagnostics
    // Ranging starts when the first tick is awaited; another sequence of the same constraint starts it here.
    await session.startRanging(Museum.hallRegion.constraint, whileInside: nil, for: client.id)
    try await session.run()
    var seconds: [Double] = []
    var iterator = ticks
    while let tick = await iterator.next() { seconds.append(Museum.seconds(tick.time)) }
    #expect(seconds.count == 256)
    #expect(seconds.last == 400)
    #expect(seconds.first == 145)
    #expect(client.droppedDeliveries == 144)
    var delivered: [ClientDiagnostic] = []
    for await diagnostic in diagnostics { delivered.append(diagnostic) }
    #expect(delivered == [.deliveriesDropped(total: 144)])
  }

  @Test func `a listener that is far behind loses ticks before it loses a crossing`() async throws {
    var timeline = Timeline()
    for second in 0...400 { timeline.received(Museum.hall, at: Double(second) + 0.5) }
    let session = BeaconSession(TimelineSource(timeline, batchSize: 1, isLive: true))
    let client = try await session.connect()
    var deliveries = client.deliveries.makeAsyncIterator()
    await client.startMonitoring(Museum.hallRegion, assuming: .outside)
    await session.startRanging(Museum.hallRegion.constraint, whileInside: nil, for: client.id)
    try await session.run()
    var events: [Event] = []
    while let delivery = await deliveries.next() { events.append(delivery.event) }
    let entries = events.filter { if case .regionEntered = $0 { true } else { false } }
    #expect(entries.count == 1)
    #expect(events.count == 256 && client.droppedDeliveries > 0)
  }

  @Test func `a replay that ended before a client asked for anything says so`() async throws {
    let session = BeaconSession(try Museum.source("-*-"))
    let (asking, restoring, silent) = (
      try await session.connect(),
      try await session.connect(
        Museum.manifest,
        restoring: SavedClient(regions: [
          SavedRegion(Museum.hallRegion, state: .unknown, savedAt: Timeline.start)
        ])
      ),
      try await session.connect(Museum.manifest)
    )
    await asking.startMonitoring(Museum.hallRegion)
    await silent.requestAuthorization(.endService(id: 1))
    try await session.run()
    // Too late.
    await silent.startMonitoring(Museum.hallRegion)
    for (client, notices) in [(asking, []), (restoring, []), (silent, [.nothingRequested])]
      as [(BeaconClient, [ClientDiagnostic])]
    {
      let delivered = await client.diagnostics.reduce(into: [ClientDiagnostic]()) { $0.append($1) }
      #expect(delivered == notices)
    }
  }

  @Test func `a replay without a client writes that to its log`() async throws {
    let log = Mutex<[String]>([])
    let session = BeaconSession(try Museum.source("-*-")) { level, message in
      log.withLock { $0.append("\(level): \(message)") }
    }
    try await session.run()
    #expect(
      log.withLock { $0 }.contains(
        "warning: the replay ended before anything was ranged or monitored"
      )
    )
  }

  @Test func `a run that is stopped says nothing of what was not asked`() async throws {
    let source = Endless(try Timeline("-*-", of: Museum.hall), isLive: false)
    let session = BeaconSession(source)
    let client = try await session.connect()
    try await session.run {}
    for await notice in client.diagnostics { Issue.record("\(notice)") }
  }
}
