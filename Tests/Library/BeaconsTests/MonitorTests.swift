// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Foundation
import Testing

@testable import Beacons

/// Conditions that persist after the program that set them has ended.
@Suite(.timeLimit(.minutes(1)))
struct MonitorTests {
  /// A store in a temporary folder that is removed with the test.
  final class Folder {
    let store: ClientStore
    var path: String { store.statePath(of: "museum") }
    var grantsPath: String { store.grantsPath(of: "museum") }

    init() {
      let name = "beacons-tests-\(UInt64.random(in: .min ... .max))"
      store = ClientStore(
        directory: FileManager.default.temporaryDirectory.appending(path: name).path
      )
    }

    deinit { try? FileManager.default.removeItem(atPath: store.directory) }
  }

  struct Delivered: Equatable, CustomStringConvertible {
    let description: String

    init(_ event: MonitorEvent) {
      let seconds = Museum.seconds(event.time)
      let minor = event.refinement.map { "\($0.minor)" } ?? "-"
      description =
        "\(event.identifier) \(event.state) \(seconds) \(event.reason.rawValue) \(minor)"
    }
  }

  /// Runs a program that opens the monitor, adds the hall if it is new, and listens to the end.
  static func visit(
    _ timeline: Timeline,
    from start: Double = 0,
    keepingStateIn store: ClientStore?
  ) async throws -> [MonitorEvent] {
    let session = BeaconSession(TimelineSource(timeline, from: start))
    let monitor = try await session.openMonitor(
      "museum",
      for: Museum.manifest,
      granted: .authorizedAlways,
      keepingStateIn: store
    )
    let events = try await session.run {
      if await monitor.identifiers.isEmpty {
        await monitor.add(Museum.hallRegion, assuming: .outside)
      }
      return await monitor.events.reduce(into: []) { $0.append($1) }
    }
    await monitor.close()
    return events
  }

  static let walk = "--*--*-------*-*-*-*-----------*---*--------"

  @Test(
    "stopping and starting again gives the events of an uninterrupted run",
    arguments: [4, 8, 11, 16, 19, 29, 33]
  )
  func restarting(at second: Int) async throws {
    let timeline = try Timeline(Self.walk, of: Museum.hall)
    let whole = try await Self.visit(timeline, keepingStateIn: nil).map(Delivered.init)
    #expect(
      whole.map(\.description) == [
        "hall satisfied 2.0 heard 1", "hall unsatisfied 10.0 allSilent 1",
        "hall satisfied 13.0 heard 1", "hall unsatisfied 24.0 allSilent 1",
        "hall satisfied 31.0 heard 1", "hall unsatisfied 40.0 allSilent 1",
      ]
    )
    let folder = Folder()
    let (before, after) = timeline.split(at: Double(second))
    var delivered = try await Self.visit(before, keepingStateIn: folder.store)
    delivered += try await Self.visit(after, from: Double(second - 1), keepingStateIn: folder.store)
    #expect(delivered.map(Delivered.init) == whole)
  }

  /// Row N4.
  @Test func `a record holds the prior event while the next is handled`() async throws {
    let session = BeaconSession(try Museum.source("--*--*-------"))
    let monitor = try await session.openMonitor("museum", for: nil, keepingStateIn: nil)
    let prior = try await session.run {
      await monitor.add(Museum.hallRegion, assuming: .outside)
      var prior: [ConditionState?] = []
      for await event in monitor.events {
        prior.append(await monitor.record(for: event.identifier)?.lastEvent?.state)
      }
      return prior
    }
    #expect(prior == [.unsatisfied, .satisfied])
    let last = await monitor.record(for: "hall")?.lastEvent
    #expect(last?.state == .unsatisfied)
    #expect(last?.refinement == Museum.hall)
    #expect(last?.why?.rule == .fixedExit)
    #expect(await monitor.record(for: "cellar") == nil)
  }

  @Test func `an unhandled event is delivered again when the monitor is opened next`()
    async throws
  {
    let folder = Folder()
    let timeline = try Timeline("--*--*-------", of: Museum.hall)
    let session = BeaconSession(TimelineSource(timeline))
    let monitor = try await session.openMonitor("museum", for: nil, keepingStateIn: folder.store)
    try await session.run {
      await monitor.add(Museum.hallRegion, assuming: .outside)
      for await _ in monitor.events { break }
    }
    await monitor.close()
    let again = BeaconSession(TimelineSource(Timeline(), from: 3))
    let reopened = try await again.openMonitor("museum", for: nil, keepingStateIn: folder.store)
    let events = reopened.events
    try await again.run()
    var delivered: [Delivered] = []
    for await event in events { delivered.append(Delivered(event)) }
    #expect(delivered.map(\.description) == ["hall satisfied 2.0 heard 1"])
  }

  @Test func `one monitor of a name is open at a time`() async throws {
    let folder = Folder()
    let session = BeaconSession(try Museum.source("-"))
    let other = BeaconSession(try Museum.source("-"))
    let monitor = try await session.openMonitor("museum", for: nil, keepingStateIn: folder.store)
    for session in [session, other] {
      await #expect(throws: SessionError.monitorAlreadyOpen("museum")) {
        _ = try await session.openMonitor("museum", for: nil, keepingStateIn: folder.store)
      }
    }
    await monitor.close()
    let reopened = try await other.openMonitor("museum", for: nil, keepingStateIn: folder.store)
    #expect(reopened.name == "museum")
  }

  static let damaged: [(String, String)] = [
    ("nonsense", "it is no JSON"), ("{}", "'version' is missing"),
    (#"{"version": 0}"#, "version 0; this program reads 1"),
    (#"{"version": 1, "handled": []}"#, "the state needs 'regions'"), ("", "it is no JSON"),
  ]

  @Test("a damaged file is renamed and reported, and a new one is started", arguments: damaged)
  func damage(text: String, reason: String) async throws {
    let folder = Folder()
    for round in 1...2 {
      try FileManager.default.createDirectory(
        atPath: folder.store.folder(of: "museum"),
        withIntermediateDirectories: true
      )
      try text.write(toFile: folder.path, atomically: false, encoding: .utf8)
      let session = BeaconSession(try Museum.source("--*-"))
      let monitor = try await session.openMonitor("museum", for: nil, keepingStateIn: folder.store)
      #expect(await monitor.identifiers.isEmpty)
      await monitor.add(Museum.hallRegion)
      let diagnostics = monitor.client.diagnostics
      try await session.run()
      var delivered: [ClientDiagnostic] = []
      for await diagnostic in diagnostics { delivered.append(diagnostic) }
      let aside = folder.path + ".damaged-\(round)"
      #expect(delivered == [.stateSetAside(path: aside, reason: reason)])
      #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
      await monitor.close()
      let kept = try ClientState(file: [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.path))))
      #expect(kept.regions.map(\.region) == [Museum.hallRegion])
    }
  }

  @Test func `a state that is too old is not restored, but its registrations are`() async throws {
    let folder = Folder()
    _ = try await Self.visit(Timeline("--*-", of: Museum.hall), keepingStateIn: folder.store)
    let session = BeaconSession(TimelineSource(Timeline(), from: 3 + 15 * 60 + 1))
    let monitor = try await session.openMonitor(
      "museum",
      for: Museum.manifest,
      keepingStateIn: folder.store
    )
    let saved = await monitor.client.saved
    #expect(saved.regions.map(\.region) == [Museum.hallRegion])
    #expect(saved.regions.map(\.state) == [.unknown])
    #expect(saved.authorization.grant == .always)
    #expect(await monitor.record(for: "hall")?.lastEvent?.state == .satisfied)
  }

  @Test func `what is kept comes back as it was`() throws {
    let why = Explanation(
      identity: Museum.hall,
      reports: 3,
      rssi: -60,
      power: -59,
      distance: 1.25,
      interval: .milliseconds(100),
      gap: .seconds(5),
      threshold: .silence(.seconds(5)),
      rule: .fixedExit
    )
    let zoned = Region(
      "a/b \u{1F3DB}",
      .uuid(7),
      notifyOnExit: false,
      zone: try Zone(enterWithin: 1, leaveBeyond: 2.5),
      enterPolicy: EnterPolicy(sightings: 3, rssiFloor: -80, window: .seconds(4)),
      exitTiming: .learned
    )
    var contents = ClientState()
    contents.held = HeldEvent(id: 9, time: Timeline.start)
    contents.regions = [
      SavedRegion(
        zoned,
        state: .inside,
        savedAt: Timeline.start,
        remaining: .seconds(3),
        holder: RegionHolder(
          identity: Museum.hall,
          exitTime: .seconds(4),
          rule: .learnedExit,
          due: .latest
        ),
        reports: 12,
        intervals: [Self.intervals],
        clock: SavedExitClock(
          present: [.init(Museum.hall, remaining: .seconds(3))],
          packetsDue: .milliseconds(120),
          common: Self.intervals
        ),
        receivedBy: ["attic/hci0", "hall/hci0"]
      ),
      SavedRegion(Museum.hallRegion, state: .outside, savedAt: Timeline.start),
    ]
    contents.heldEvents = [
      .regionEntered("hall", .received, why), .regionExited("hall", .allSilent, why),
      .regionState("hall", .inside, .observed, .received),
    ]
    contents.handled = [
      MonitorEvent(
        identifier: "hall",
        time: Timeline.start,
        state: .unsatisfied,
        origin: .observed,
        reason: .allSilent,
        refinement: Museum.hall,
        why: why
      )
    ]
    contents.unhandled = contents.handled
    contents.runRegions = contents.regions
    #expect(try ClientState(file: StoreFile.bytes(of: contents)) == contents)
  }

  /// The saved intervals of a beacon that is received ten times a second, after a while.
  static let intervals = {
    var gaps = ArrivalIntervals()
    for step in 0..<8000 {
      gaps.received(after: .milliseconds(step.isMultiple(of: 40) ? 900 : 105), .standard)
    }
    return gaps.saved(of: Museum.hall)
  }()

  /// A file with the intervals of one beacon, as text that a test changes.
  static func fileWithIntervals() -> String {
    var contents = ClientState()
    contents.regions = [
      SavedRegion(
        Museum.hallRegion,
        state: .outside,
        savedAt: Timeline.start,
        intervals: [intervals]
      )
    ]
    return String(decoding: StoreFile.bytes(of: contents), as: UTF8.self)
  }

  @Test func `intervals of another version are left out and the rest is read`() throws {
    let text = Self.fileWithIntervals()
    let start = try #require(text.range(of: #""intervals": {"#)).upperBound
    let version = try #require(text.range(of: #""version": 1"#, range: start..<text.endIndex))
    let newer = text.replacingCharacters(in: version, with: #""version": 2"#)
    let regions = try ClientState(file: Array(newer.utf8)).regions
    #expect(regions.map(\.state) == [.outside])
    #expect(regions.map(\.intervals) == [[]])
  }

  @Test(arguments: [
    (#""withLosses": \d+"#, #""withLosses": 4000000000"#, "inconsistent"),
    (#""doubtUntil": \d+"#, #""doubtUntil": "x""#, "doubtUntil"),
    (#""target": \d+"#, #""target": 65535"#, "inconsistent"),
    (#""beat": \d+"#, #""beat": "x""#, "beat"),
    (#""presence": \d+,"#, "", "presence"),
  ])
  func `damaged intervals are damage of the file`(
    _ pattern: String,
    _ replacement: String,
    _ reason: String
  ) throws {
    let text = Self.fileWithIntervals()
    let damaged = text.replacing(try Regex(pattern), with: replacement)
    #expect(damaged != text)
    #expect {
      try ClientState(file: Array(damaged.utf8))
    } throws: { error in
      "\(error)".contains(reason)
    }
  }

  @Test func `a name is never a path`() {
    let store = ClientStore(directory: "/state")
    #expect(store.statePath(of: "../a b") == "/state/clients/%2E%2E%2Fa%20b/state.json")
    #expect(store.grantsPath(of: "") == "/state/clients/%/grants.json")
  }
}
