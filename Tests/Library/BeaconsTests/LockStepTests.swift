// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import BeaconTesting
@testable import Beacons
import Testing

/// A client's answers take effect at the time of the delivery, however fast the source is read.
@Suite(.timeLimit(.minutes(1)))
struct LockStepTests {
  /// Ranges only while inside, and counts the ticks of each stay.
  static func tour(_ source: any ScanSource) async throws -> [String] {
    let session = BeaconSession(source)
    let client = try await session.connect()
    return try await session.run {
      var log: [String] = []
      await client.startMonitoring(Museum.hallRegion, assuming: .outside)
      for await event in client.regionEvents {
        log.append("\(event.change.name) \(Museum.seconds(event.time))")
        guard case .entered = event.change else { continue }
        for await tick in client.ranging(satisfying: Museum.hallRegion.constraint) {
          log.append("tick \(Museum.seconds(tick.time)) \(tick.beacons.count)")
          if tick.time >= event.time + .seconds(3) { break }
        }
        log.append("done")
      }
      return log
    }
  }

  static let walk = "--*--*-------*-*-*-*-------"

  @Test(
    "a program that answers gets the same events at any batch size",
    arguments: [1, 2, 5, 1000]
  )
  func batchSizes(size: Int) async throws {
    let log = try await Self.tour(Museum.source(Self.walk, batchSize: size))
    #expect(log == Self.expected)
  }

  static let expected = [
    // The tick contains nothing that was received before ranging started.
    "entered 2.0", "tick 3.0 0", "tick 4.0 0", "tick 5.0 1", "done", "state inside 2.0",
    "exited 10.0", "state outside 10.0",
    "entered 13.0", "tick 14.0 1", "tick 15.0 1", "tick 16.0 1", "done", "state inside 13.0",
    "exited 24.0", "state outside 24.0",
  ]

  @Test("a program that answers gets the same events at any speed", arguments: [1e6, 5e3, 300])
  func speeds(speed: Double) async throws {
    let paced = PacedSource(
      try Museum.source(Self.walk),
      speed: speed,
      clock: ContinuousClock()
    )
    #expect(try await Self.tour(paced) == Self.expected)
  }

  /// Rule T7.
  @Test func `a slow listener holds up the timeline`() async throws {
    let session = BeaconSession(try Museum.source("*-*-*-"))
    let client = try await session.connect()
    let ticks = client.ranging(satisfying: Museum.hallRegion.constraint)
    try await session.run {
      var seconds: [Double] = []
      for await tick in ticks {
        seconds.append(Museum.seconds(tick.time))
        // Whatever the program does here, the engine stays at the time of the tick.
        let now = try await session.now
        #expect(now == tick.time)
      }
      #expect(seconds == [1, 2, 3, 4, 5])
    }
  }

  @Test func `no tick follows the end of ranging`() async throws {
    let session = BeaconSession(try Museum.source("***********"))
    let client = try await session.connect()
    let all = client.deliveries
    let ticks = try await session.run {
      for await tick in client.ranging(satisfying: Museum.hallRegion.constraint)
      where Museum.seconds(tick.time) >= 3 { break }
      return await all.reduce(0) { count, delivery in
        if case .ranged = delivery.event { count + 1 } else { count }
      }
    }
    #expect(ticks == 3)
    #expect(await client.session.rangedConstraints(of: client.id).isEmpty)
  }

  @Test func `a client without authorization receives nothing and the other everything`()
    async throws
  {
    let session = BeaconSession(try Museum.source("--*--*-------"))
    let granted = try await session.connect(Museum.manifest, granted: .authorizedAlways)
    let reduced = try await session.connect(Museum.manifest, granted: .authorizedAlways, .reduced)
    await granted.startMonitoring(Museum.hallRegion, assuming: .outside)
    await reduced.startMonitoring(Museum.hallRegion, assuming: .outside)
    let (mine, its) = (granted.regionEvents, reduced.regionEvents)
    let itsTicks = reduced.ranging(satisfying: Museum.hallRegion.constraint)
    async let ended: Void = session.run()
    async let crossings = mine.reduce(into: [String]()) { log, event in
      if event.isCrossing { log.append("\(event.change.name) \(Museum.seconds(event.time))") }
    }
    async let hidden = its.reduce(0) { count, _ in count + 1 }
    async let ticks = itsTicks.reduce(0) { count, _ in count + 1 }
    #expect(await crossings == ["entered 2.0", "exited 10.0"])
    #expect(await hidden == 0)
    #expect(await ticks == 0)
    try await ended
  }

  @Test func `ranging bound to a region ticks while inside, and reports when it is suspended`()
    async throws
  {
    let session = BeaconSession(try Museum.source("--*--*-------*--"))
    let client = try await session.connect()
    await client.startMonitoring(Museum.hallRegion, assuming: .outside)
    let diagnostics = client.diagnostics
    let ticks = client.ranging(
      satisfying: Museum.hallRegion.constraint,
      whileInside: Museum.hallRegion.identifier
    )
    let seconds = try await session.run {
      await ticks.reduce(into: []) { $0.append(Museum.seconds($1.time)) }
    }
    #expect(seconds == [2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 15])
    let delivered = await diagnostics.reduce(into: [ClientDiagnostic]()) { $0.append($1) }
    let suspended = Diagnostic.rangingSuspended(
      Museum.hallRegion.constraint,
      while: "hall",
      .outside
    )
    #expect(delivered.contains(.engine(suspended, at: Timeline.start + .seconds(10))))
  }

  @Test("random tours are the same at any batch size", arguments: 1...20 as ClosedRange<UInt64>)
  func random(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let walk = String(
      (0..<120).map { _ in Int.random(in: 0..<4, using: &generator) == 0 ? "*" : "-" }
    )
    let whole = try await Self.tour(Museum.source(walk))
    for size in [1, 3, 17] {
      #expect(try await Self.tour(Museum.source(walk, batchSize: size)) == whole, "seed \(seed)")
    }
    // Without a sighting nothing would be compared.
    #expect(whole.contains { $0.hasPrefix("entered") })
  }

  /// Row N12.
  @Test func `two sequences of one constraint range until both have ended`() async throws {
    let session = BeaconSession(try Museum.source("***********"))
    let client = try await session.connect()
    let constraint = Museum.hallRegion.constraint
    let rest = try await session.run {
      var seconds: [Double] = []
      for await tick in client.ranging(satisfying: constraint) {
        seconds.append(Museum.seconds(tick.time))
        if seconds.count == 2 {
          for await tick in client.ranging(satisfying: constraint)
          where Museum.seconds(tick.time) == 4 { break }
        }
      }
      return seconds
    }
    #expect(rest == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  }

  @Test func `a sequence that is kept and not iterated holds nothing`() async throws {
    let session = BeaconSession(try Museum.source(Self.walk))
    let client = try await session.connect()
    let unread = (client.diagnostics, client.regionEvents)
    let crossings = try await session.run {
      async let crossings = {
        await client.startMonitoring(Museum.hallRegion, assuming: .outside)
        return await client.regionEvents.reduce(0) { $1.isCrossing ? $0 + 1 : $0 }
      }()
      return await crossings
    }
    #expect(crossings == 4)
    #expect(await unread.1.reduce(0) { $1.isCrossing ? $0 + 1 : $0 } == 4)
  }

  @Test func `a session runs once`() async throws {
    let session = BeaconSession(try Museum.source("-"))
    try await session.run()
    await #expect(throws: SessionError.alreadyRun) { try await session.run() }
    await #expect(throws: SessionError.alreadyRun) {
      try await session.run { Issue.record("a second program must not run") }
    }
  }
}

extension RegionEvent.Change {
  /// Returns what happened to the region, in a word or two.
  var name: String {
    switch self {
    case .entered: "entered"
    case .exited: "exited"
    case .state(let state, _, _): "state \(state)"
    }
  }
}
