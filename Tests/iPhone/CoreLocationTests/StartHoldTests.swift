// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
@testable import Beacons
@testable import CoreLocation
import Dispatch
import Testing

/// A capture stays at its start until its program ranges or monitors something (row T10).
@MainActor
@Suite(.timeLimit(.minutes(1))) struct StartHoldTests {
  private let constraint = CLBeaconIdentityConstraint(uuid: UUID(App.uuid))

  private func region() -> CLBeaconRegion {
    CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "museum")
  }

  /// The thread of a program's request, long after its callbacks have returned.
  enum Place: CaseIterable {
    case mainQueue, ownQueue, detachedTask, ownThread

    /// Makes a request there, and returns when it is made.
    @MainActor func make(
      _ manager: CLLocationManager,
      _ request: @escaping @Sendable (CLLocationManager) -> Void
    ) async {
      let manager = Weakly(manager)
      await withCheckedContinuation { continuation in
        let work: @Sendable () -> Void = {
          if let manager = manager.value { request(manager) }
          continuation.resume()
        }
        switch self {
        case .mainQueue: DispatchQueue.main.async(execute: work)
        case .ownQueue: DispatchQueue(label: "state").async(execute: work)
        case .detachedTask: Task.detached { work() }
        case .ownThread: Thread(block: work).start()
        }
      }
    }
  }

  @Test(arguments: Place.allCases)
  func `a late first request, and the next, are made at the start`(_ place: Place) async throws {
    let waits = Waits()
    let app = try App(receiving: "*****", waits: waits)
    let (manager, delegate) = (CLLocationManager(app.service), Delegate())
    manager.delegate = delegate
    await waits.begins(StartHold.bound)
    #expect(delegate.callbacks == ["authorization 4", "status 4"])
    let (constraint, region) = (constraint, region())
    await place.make(manager) { $0.startRangingBeacons(satisfying: constraint) }
    await waits.begins(StartHold.pause)
    await place.make(manager) { $0.startMonitoring(for: region) }
    await app.service.requestQueue.settled()
    #expect(delegate.callbacks.count { $0.hasPrefix("range") } == 0)
    waits.clock.advance(by: StartHold.pause)
    await app.toEnd()
    #expect(delegate.callbacks.count { $0.hasPrefix("range") } == 4)
    let state = try #require(delegate.callbacks.firstIndex(of: "state museum 1"))
    let tick = try #require(delegate.callbacks.firstIndex { $0.hasPrefix("range") })
    #expect(state < tick)
    #expect(app.notes.isEmpty, "\(app.notes)")
  }

  @Test func `a program that asks for nothing is named when the capture begins, and at its end`()
    async throws
  {
    let waits = Waits()
    let app = try App(receiving: "*****", waits: waits)
    let (manager, delegate) = (CLLocationManager(app.service), Delegate())
    manager.delegate = delegate
    await waits.begins(StartHold.bound)
    #expect(app.notes.isEmpty)
    waits.clock.advance(by: .seconds(10))
    await app.toEnd()
    #expect(
      app.notes == [
        "nothing was ranged or monitored for 10 s; the capture begins",
        "CoreLocation: the capture ended before the program ranged or monitored anything",
      ]
    )
    withExtendedLifetime(manager) {}
  }

  /// A user who thinks until the test answers.
  private final class SlowUser: Prompter {
    let prompts: AsyncStream<Void>
    private let prompt: AsyncStream<Void>.Continuation
    private let answers: AsyncStream<PromptAnswer>
    let answer: AsyncStream<PromptAnswer>.Continuation

    init() {
      (prompts, prompt) = AsyncStream.makeStream()
      (answers, answer) = AsyncStream.makeStream()
    }

    func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
      self.prompt.yield()
      return await answers.first { _ in true }
    }
  }

  @Test func `the time in which a user thinks does not count`() async throws {
    let (waits, user) = (Waits(), SlowUser())
    let app = try App(receiving: "*****", granted: .notDetermined, prompter: user, waits: waits)
    let (manager, delegate) = (CLLocationManager(app.service), Delegate())
    manager.delegate = delegate
    await waits.begins(StartHold.bound)
    manager.requestWhenInUseAuthorization()
    for await _ in user.prompts { break }
    waits.clock.advance(by: StartHold.bound)
    user.answer.yield(PromptAnswer(.whileUsing))
    await waits.begins(StartHold.bound)
    #expect(manager.authorizationStatus == .authorizedWhenInUse)
    manager.startRangingBeacons(satisfying: constraint)
    await waits.begins(StartHold.pause)
    waits.clock.advance(by: StartHold.pause)
    await app.toEnd()
    #expect(delegate.callbacks.count { $0.hasPrefix("range") } == 4, "\(delegate.callbacks)")
    #expect(app.notes.isEmpty, "\(app.notes)")
  }

  @Test func `a monitor's condition begins the capture`() async throws {
    let waits = Waits()
    let app = try App(receiving: "-*--", waits: waits)
    let monitor = await CLMonitor("tour", of: app.service)
    let events = Task {
      var states: [CLMonitor.Event.State] = []
      for try await event in await monitor.events { states.append(event.state) }
      return states
    }
    await waits.begins(StartHold.bound)
    await monitor.add(
      CLMonitor.BeaconIdentityCondition(uuid: UUID(App.uuid)),
      identifier: "hall",
      assuming: .unsatisfied
    )
    await waits.begins(StartHold.pause)
    waits.clock.advance(by: StartHold.pause)
    #expect(try await events.value == [.satisfied])
    await app.toEnd()
  }
}
