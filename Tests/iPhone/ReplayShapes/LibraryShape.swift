// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
import Dispatch
import Observation
import Synchronization

/// Shapes of programs that use sessions.
enum LibraryShape: String, CaseIterable {
  case oneLoop, rangeInside, group, lateGuest, diagnosticsBeside, unstructured, unread, model,
    taskPerEvent
  case bridge, observable, subject, continuation, monitors, ownQueue, yields, timer, detached,
    mainActor
  case childOfLoop, outsideRun, askedInChild

  func run(_ replay: Replay) async throws {
    let session = BeaconSession(try replay.source(), prompter: Consent())
    switch self {
    case .oneLoop, .rangeInside, .yields, .timer, .mainActor, .askedInChild:
      try await Self.single(self, session, replay)
    case .group, .lateGuest, .ownQueue: try await Self.two(self, session, replay)
    case .diagnosticsBeside, .unstructured, .unread, .childOfLoop, .outsideRun:
      try await Self.beside(self, session, replay)
    case .model, .observable, .subject, .bridge: try await Self.models(self, session, replay)
    case .taskPerEvent, .detached, .continuation: try await Self.tasks(self, session, replay)
    case .monitors: try await Self.monitors(session, replay)
    }
  }

  // MARK: One client, one loop

  private static func single(_ shape: Self, _ session: BeaconSession, _ replay: Replay) async throws
  {
    let client = try await session.connect()
    let log = replay.log
    if shape == .mainActor {
      return try await Screen(client, log).show(replay.hall)
    }
    let timer =
      shape == .timer
      ? Task {
        while await (try? Task.sleep(for: .milliseconds(3))) != nil {
          _ = await client.monitoredRegions
        }
      } : nil
    defer { timer?.cancel() }
    try await session.run {
      if shape == .yields { for _ in 0..<50 { await Task.yield() } }
      await client.startMonitoring(replay.hall, assuming: .outside)
      for await event in client.regionEvents {
        log.note("events", event)
        if shape == .yields { for _ in 0..<50 { await Task.yield() } }
        guard shape != .oneLoop, case .entered = event.change else { continue }
        if shape == .askedInChild {
          async let tick = client.ranging(satisfying: replay.beacons).first { _ in true }
          log.note("events", "\(await tick?.time.description ?? "no tick")")
          continue
        }
        for await tick in client.ranging(satisfying: replay.beacons) {
          log.note("ticks", tick)
          if tick.time >= event.time + .seconds(3) { break }
        }
      }
    }
  }

  @MainActor private final class Screen {
    private let client: BeaconClient
    private let log: Log
    init(_ client: BeaconClient, _ log: Log) { (self.client, self.log) = (client, log) }

    func show(_ region: Region) async throws {
      try await client.session.run {
        async let events: Void = follow(region)
        async let ticks: Void = range(region.constraint)
        _ = await (events, ticks)
      }
    }

    private func follow(_ region: Region) async {
      await client.startMonitoring(region, assuming: .outside)
      for await event in client.regionEvents { log.note("events", event) }
    }

    private func range(_ constraint: IdentityConstraint) async {
      for await tick in client.ranging(satisfying: constraint) { log.note("ticks", tick) }
    }
  }

  // MARK: Two clients

  private static func two(_ shape: Self, _ session: BeaconSession, _ replay: Replay) async throws {
    let (owner, log) = (try await session.connect(), replay.log)
    let guest = try await session.connect(
      Manifest(whenInUse: "To show beacons."),
      named: "guest"
    )
    try await session.run {
      await withTaskGroup { group in
        group.addTask {
          for await tick in owner.ranging(satisfying: replay.beacons) { log.note("owner", tick) }
        }
        group.addTask {
          switch shape {
          case .lateGuest: try? await Task.sleep(for: .milliseconds(50))
          case .ownQueue:
            await withCheckedContinuation { continuation in
              DispatchQueue(label: "state").asyncAfter(deadline: .now() + 0.05) {
                continuation.resume()
              }
            }
          default: break
          }
          await guest.requestAuthorization(.whenInUse)
          await guest.startMonitoring(replay.hall)
          for await tick in guest.ranging(satisfying: replay.beacons) { log.note("guest", tick) }
        }
      }
    }
  }

  // MARK: One client, several loops

  private static func beside(_ shape: Self, _ session: BeaconSession, _ replay: Replay) async throws
  {
    let (client, log) = (try await session.connect(), replay.log)
    // Without an assumed state, which would be delivered immediately: two tasks that ask at one point of the timeline come in
    // any order.
    let monitoring: @Sendable () async -> Void = {
      await client.startMonitoring(replay.hall)
      for number in 0..<12 {
        await client.startMonitoring(
          Region(RegionIdentifier("r\(number)"), replay.beacons, exitTiming: .fixed(.seconds(4)))
        )
      }
      for await event in client.regionEvents { log.note("events", event) }
    }
    switch shape {
    case .unread:
      let unread = client.diagnostics
      try await session.run {
        async let events: Void = monitoring()
        await events
      }
      withExtendedLifetime(unread) {}
    case .childOfLoop:
      try await session.run {
        await withTaskGroup { group in
          group.addTask { await monitoring() }
          for number in 0..<3 {
            group.addTask {
              let other = Region(
                RegionIdentifier("c\(number)"),
                replay.beacons,
                exitTiming: .fixed(.seconds(2))
              )
              await client.startMonitoring(other)
              for await tick in client.ranging(satisfying: replay.beacons) {
                log.note("ticks\(number)", tick)
              }
            }
          }
        }
      }
    case .outsideRun:
      let loops = Task {
        await withTaskGroup { group in
          group.addTask { await monitoring() }
          group.addTask {
            for await tick in client.ranging(satisfying: replay.beacons) { log.note("ticks", tick) }
          }
        }
      }
      try await session.run()
      await loops.value
    case .unstructured:
      let one = Task { await monitoring() }
      let other = Task {
        await client.startMonitoring(replay.room)
        for await event in client.regionEvents { log.note("other", event) }
      }
      try await session.run()
      _ = await (one.value, other.value)
    default:
      try await session.run {
        await withTaskGroup { group in
          group.addTask {
            for await note in client.diagnostics { log.note("diagnostics", "\(note)") }
          }
          group.addTask { await monitoring() }
        }
      }
    }
  }

  // MARK: Models and bridges

  /// Ranges while it is inside.
  private actor Model {
    private var ranging: Task<Void, Never>?

    func follow(_ client: BeaconClient, _ replay: Replay) async {
      await client.startMonitoring(replay.hall, assuming: .outside)
      for await event in client.regionEvents {
        replay.log.note("events", event)
        guard event.isCrossing else { continue }
        ranging?.cancel()
        guard event.stateAfter == .inside else { continue }
        ranging = Task {
          for await tick in client.ranging(satisfying: replay.beacons) {
            replay.log.note("ticks", tick)
          }
        }
      }
      ranging?.cancel()
    }
  }

  @Observable @MainActor final class View {
    private(set) var isInside = false
    private var loop: Task<Void, Never>?

    func start(_ client: BeaconClient, _ replay: Replay) -> Task<Void, Never> {
      let loop = Task {
        await client.startMonitoring(replay.hall, assuming: .outside)
        for await event in client.regionEvents {
          replay.log.note("events", event)
          isInside = event.stateAfter == .inside
        }
      }
      self.loop = loop
      observe(client, replay)
      return loop
    }

    private func observe(_ client: BeaconClient, _ replay: Replay) {
      withObservationTracking {
        _ = isInside
      } onChange: {
        Task { @MainActor in
          if self.isInside {
            await client.startMonitoring(replay.room)
          } else {
            await client.stopMonitoring("room")
          }
          self.observe(client, replay)
        }
      }
    }
  }

  /// A subject as reactive libraries have it: each value is passed to every subscriber.
  private final class Subject: Sendable {
    private let subscribers = Mutex<[@Sendable (RegionEvent) -> Void]>([])
    func sink(_ subscriber: @escaping @Sendable (RegionEvent) -> Void) {
      subscribers.withLock { $0.append(subscriber) }
    }
    func send(_ event: RegionEvent) {
      for subscriber in subscribers.withLock({ $0 }) { subscriber(event) }
    }
  }

  private static func models(_ shape: Self, _ session: BeaconSession, _ replay: Replay) async throws
  {
    let (client, log) = (try await session.connect(), replay.log)
    switch shape {
    case .model:
      let model = Model()
      try await session.run { await model.follow(client, replay) }
    case .observable:
      let loop = await View().start(client, replay)
      try await session.run()
      await loop.value
    case .subject:
      let (subject, queue) = (Subject(), DispatchQueue(label: "subject"))
      subject.sink { event in
        guard event.isCrossing, event.stateAfter == .inside else { return }
        queue.async { Task { await client.startMonitoring(replay.room, assuming: .outside) } }
      }
      try await session.run {
        await client.startMonitoring(replay.hall, assuming: .outside)
        for await event in client.regionEvents {
          log.note("events", event)
          subject.send(event)
        }
      }
    default:
      let (events, continuation) = AsyncStream.makeStream(of: RegionEvent.self)
      let reader = Task {
        await client.startMonitoring(replay.hall, assuming: .outside)
        for await event in client.regionEvents { continuation.yield(event) }
        continuation.finish()
      }
      let writer = Task {
        for await event in events {
          log.note("events", event)
          if event.isCrossing { await client.requestState(for: "hall") }
        }
      }
      try await session.run()
      _ = await (reader.value, writer.value)
    }
  }

  // MARK: Tasks that the session does not know

  private static func tasks(_ shape: Self, _ session: BeaconSession, _ replay: Replay) async throws
  {
    let (client, log) = (try await session.connect(), replay.log)
    try await session.run {
      await client.startMonitoring(replay.hall, assuming: .outside)
      switch shape {
      case .continuation:
        let entered = await withCheckedContinuation { continuation in
          Task {
            for await event in client.regionEvents where event.stateAfter == .inside {
              return continuation.resume(returning: event)
            }
          }
        }
        log.note("entered", entered)
        for await tick in client.ranging(satisfying: replay.beacons) { log.note("ticks", tick) }
      case .detached:
        var count = 0
        for await tick in client.ranging(satisfying: replay.beacons) {
          count += 1
          log.note("ticks", tick)
          let number = count
          guard number % 7 == 0 else { continue }
          Task.detached {
            await Task.yield()
            let region = Region(
              RegionIdentifier("d\(number)"),
              replay.beacons,
              exitTiming: .fixed(.seconds(2))
            )
            await client.startMonitoring(region, assuming: .outside)
          }
        }
        log.note("regions", "\(await client.monitoredRegions.map(\.identifier))")
        log.note("visits", "\(await client.visits)")
      default:
        for await event in client.regionEvents {
          log.note("events", event)
          guard event.isCrossing, event.stateAfter == .inside else { continue }
          Task {
            var count = 0
            for await tick in client.ranging(satisfying: replay.beacons) {
              log.note("ticks \(event.time)", tick)
              count += 1
              if count == 4 { break }
            }
          }
        }
      }
    }
  }

  private static func monitors(_ session: BeaconSession, _ replay: Replay) async throws {
    let log = replay.log
    let door = try await session.openMonitor("door", for: nil, keepingStateIn: nil)
    let manifest = Manifest(whenInUse: "To greet.", alwaysAndWhenInUse: "To greet.")
    let visitor = try await session.openMonitor(
      "visitor",
      for: manifest,
      granted: .authorizedAlways,
      keepingStateIn: nil
    )
    try await session.run {
      await withTaskGroup { group in
        for monitor in [door, visitor] {
          group.addTask {
            await monitor.add(replay.hall, assuming: .outside)
            for await event in monitor.events {
              log.note(monitor.name, "\(event.time) \(event.state)")
            }
          }
        }
      }
    }
  }
}
