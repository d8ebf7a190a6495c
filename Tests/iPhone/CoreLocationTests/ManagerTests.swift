// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
@testable import CoreLocation
import Testing

/// The behavior of managers and delegates beyond what scenarios cover for one program.
@MainActor
@Suite struct ManagerTests {
  private let constraint = CLBeaconIdentityConstraint(uuid: UUID(App.uuid))

  private func region(_ identifier: String = "museum") -> CLBeaconRegion {
    CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: identifier)
  }

  /// Rows I7, R15, G20.
  @Test func `the guide's three steps`() async throws {
    let app = try App(receiving: "--**--*", granted: .notDetermined, answers: [.whileUsing])
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    delegate.onAuthorization = { manager in
      if manager.authorizationStatus == .authorizedWhenInUse {
        manager.startMonitoring(for: region())
      }
    }
    delegate.onState = { manager, state, region in
      guard state == .inside else { return }
      manager.startRangingBeacons(satisfying: constraint)
    }
    manager.delegate = delegate
    manager.requestWhenInUseAuthorization()
    #expect(manager.authorizationStatus == .notDetermined)
    await app.toEnd()
    let range = delegate.callbacks.filter { $0.hasPrefix("range") }
    #expect(
      delegate.callbacks.filter { !$0.hasPrefix("range") } == [
        "authorization 0", "status 0", "authorization 4", "status 4", "start museum",
        "state museum 1",
      ]
    )
    #expect(range.count == 4)
    #expect(range.contains(#"range ["0"]"#), "silence has its sentinel: \(range)")
    #expect(manager.monitoredRegions.map(\.identifier) == ["museum"])
    #expect(manager.rangedBeaconConstraints == [constraint])
  }

  @Test func `a late delegate receives the current state`() async throws {
    let app = try App(receiving: "********")
    let (early, late) = (CLLocationManager(app.service), CLLocationManager(app.service))
    let (first, second) = (Delegate(), Delegate())
    early.delegate = first
    early.startMonitoring(for: region())
    early.startRangingBeacons(satisfying: constraint)
    first.onRange = { _, _ in if late.delegate == nil { late.delegate = second } }
    await app.toEnd()
    #expect(second.callbacks.prefix(3) == ["authorization 4", "status 4", "state museum 1"])
  }

  /// How a delegate answers: within its callback, in a task, or in a block on the main queue.
  enum Answer: CaseIterable {
    case atOnce, inTask, inBlock

    @MainActor func give(_ work: @escaping @MainActor @Sendable () -> Void) {
      switch self {
      case .atOnce: work()
      case .inTask: Task { @MainActor in work() }
      case .inBlock: DispatchQueue.main.async { work() }
      }
    }
  }

  @Test(arguments: Answer.allCases)
  func `the timeline continues behind what a delegate leaves to the main thread`(
    _ answer: Answer
  ) async throws {
    let app = try App(receiving: "-----****-----")
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.startMonitoring(for: region())
    delegate.onState = { manager, state, _ in
      guard state == .inside else { return }
      answer.give { manager.startRangingBeacons(satisfying: constraint) }
    }
    delegate.onRange = { manager, beacons in
      guard beacons.isEmpty || beacons[0].rssi == 0 else { return }
      answer.give {
        manager.stopRangingBeacons(satisfying: constraint)
      }
    }
    await app.toEnd()
    #expect(delegate.callbacks.count { $0.hasPrefix("range") } == 4, "\(delegate.callbacks)")
    #expect(await app.ranged == 0)
  }

  @Test func `a manager that is dropped ranges no more`() async throws {
    let app = try App(receiving: "********")
    let keeper = CLLocationManager(app.service)
    let delegate = Delegate()
    keeper.delegate = delegate
    keeper.startMonitoring(for: region())
    var dropped: CLLocationManager? = CLLocationManager(app.service)
    let other = Delegate()
    dropped?.delegate = other
    dropped?.startRangingBeacons(satisfying: constraint)
    var counts: [Int] = []
    other.onRange = { _, _ in
      // The callback's own reference ends with the callback.
      dropped = nil
      counts.append(1)
    }
    await app.toEnd()
    #expect(counts == [1])
    #expect(await app.ranged == 0)
    #expect(dropped == nil)
  }

  /// Weak references to the objects of a program.
  private struct Remains {
    weak var service: LocationService?
    weak var manager: CLLocationManager?
    weak var delegate: Delegate?
    weak var monitor: CLMonitor?
    weak var session: CLServiceSession?

    var isNothing: Bool {
      service == nil && manager == nil && delegate == nil && monitor == nil && session == nil
    }
  }

  private func runProgram(keeping remains: inout Remains) async throws {
    let app = try App(receiving: "*****")
    let (manager, delegate) = (CLLocationManager(app.service), Delegate())
    manager.delegate = delegate
    manager.startMonitoring(for: region())
    manager.startRangingBeacons(satisfying: constraint)
    let monitor = await CLMonitor("tour", of: app.service)
    await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: UUID(App.uuid)), identifier: "hall")
    let session = CLServiceSession(.whenInUse, nil, of: app.service)
    await app.toEnd()
    #expect(delegate.callbacks.contains("state museum 1"))
    remains = Remains(
      service: app.service,
      manager: manager,
      delegate: delegate,
      monitor: monitor,
      session: session
    )
    #expect(!remains.isNothing)
  }

  @Test func `nothing remains of a program that is over`() async throws {
    var remains = Remains()
    try await runProgram(keeping: &remains)
    // Tasks that have received the end still have to run once more.
    for _ in 0..<500 where !remains.isNothing { try await Task.sleep(for: .milliseconds(10)) }
    #expect(remains.isNothing, "\(remains)")
  }

  /// Row R18.
  @Test func `stopping in a callback is the end of callbacks`() async throws {
    let app = try App(receiving: "******")
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    delegate.onRange = { manager, _ in manager.stopRangingBeacons(satisfying: constraint) }
    manager.delegate = delegate
    manager.startRangingBeacons(satisfying: constraint)
    await app.toEnd()
    #expect(delegate.callbacks.count { $0.hasPrefix("range") } == 1)
    #expect(await app.ranged == 0)
  }

  @Test func `a missing text has no effect and is reported once`() async throws {
    let app = try App(receiving: "***", Manifest(), granted: .notDetermined)
    let managers = [CLLocationManager(app.service), CLLocationManager(app.service)]
    for manager in managers {
      manager.requestWhenInUseAuthorization()
      manager.requestWhenInUseAuthorization()
    }
    await app.toEnd()
    #expect(managers.allSatisfy { $0.authorizationStatus == .notDetermined })
    #expect(app.prompts.isEmpty)
    #expect(
      app.notes == [
        "CoreLocation: a request does nothing, for the Info.plist has no "
          + "NSLocationWhenInUseUsageDescription",
        "CoreLocation: \(LocationService.endNote)",
      ]
    )
  }

  @Test func `beacons that a delegate keeps stay what they were`() async throws {
    let app = try App(receiving: "**--**")
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.startRangingBeacons(satisfying: constraint)
    var (kept, written): ([[CLBeacon]], [[String]]) = ([], [])
    delegate.onRange = { _, beacons in
      kept.append(beacons)
      written.append(beacons.map(\.description))
    }
    await app.toEnd()
    #expect(Set(written.joined()).count > 3, "there is something to mix up: \(written)")
    #expect(kept.map { $0.map(\.description) } == written)
  }

  @Test func `a delegate that keeps a tick until the next has no objects made for it`() async throws
  {
    let app = try App(receiving: "********")
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.startRangingBeacons(satisfying: constraint)
    var last: [CLBeacon] = []
    weak var first: CLBeacon?
    var ticks = 0
    delegate.onRange = { _, beacons in
      if ticks == 0 { first = beacons.first }
      last = beacons
      ticks += 1
    }
    await app.toEnd()
    #expect(last.count == 1 && ticks > 5)
    // It was not created again: it waits for its turn, or has it.
    #expect(withExtendedLifetime(manager) { first != nil })
  }

  @Test func `both forms of ranging are delivered, each in its own callback`() async throws {
    let app = try App(receiving: "***")
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.startRangingBeacons(satisfying: constraint)
    manager.startRangingBeacons(in: region("a"))
    manager.startRangingBeacons(in: region("b"))
    #expect(manager.rangedRegions.count == 2)
    manager.stopRangingBeacons(satisfying: constraint)
    await app.toEnd()
    #expect(delegate.callbacks.dropFirst(2).prefix(2) == ["range in a 1", "range in b 1"])
    #expect(!delegate.callbacks.contains { $0.hasPrefix("range [") })
  }

  /// Rows U23 to U25.
  @Test func `temporary full accuracy completes, and throws when it cannot be requested`()
    async throws
  {
    // A replay does not wait for a program between two requests, and no answer comes after its end, so it is an hour long.
    let app = try App(
      receiving: String(repeating: "*", count: 3600),
      granted: .authorizedWhenInUse,
      .reduced,
      answers: [.allow]
    )
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    #expect(manager.accuracyAuthorization == .reducedAccuracy)
    try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "ExhibitGuide")
    #expect(manager.accuracyAuthorization == .fullAccuracy)
    await #expect(throws: CLError(.promptDeclined)) {
      try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Nope")
    }
    await app.toEnd()
    // One reports the missing purpose, the other that nothing was ranged or monitored.
    #expect(app.notes.count == 2, "\(app.notes)")
  }

  /// Row N7.
  @Test func `the twenty-first region fails and is not monitored`() async throws {
    let app = try App(receiving: "---")
    let manager = CLLocationManager(app.service)
    let delegate = Delegate()
    manager.delegate = delegate
    for number in 1...21 { manager.startMonitoring(for: region("r\(number)")) }
    await app.toEnd()
    #expect(delegate.count("failure r21 5") == 1)
    #expect(manager.monitoredRegions.count == 20)
  }

  /// Rows R16 and R17.
  @Test func `a source that cannot be opened is reported as a failure of each request`()
    async throws
  {
    let setup = LocationSetup(.capture(path: "/nowhere.btsnoop"))
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    let service = LocationService(setup) { line.yield($0) }
    let manager = CLLocationManager(service)
    let delegate = Delegate()
    manager.delegate = delegate
    manager.startMonitoring(for: region())
    manager.startRangingBeacons(satisfying: constraint)
    for await text in lines {
      #expect(text.contains("/nowhere.btsnoop"))
      break
    }
    await Task.yield()
    #expect(
      delegate.callbacks == [
        "authorization 0", "status 0", "range failure 16", "failure museum 5", "failed 1",
      ]
    )
  }

  @Test func `callbacks come on the thread whose run loop made the manager`() async throws {
    let app = try App(receiving: "***")
    let (results, result) = AsyncStream.makeStream(of: Bool.self)
    let constraint = CLBeaconIdentityConstraint(uuid: UUID(App.uuid))
    let thread = Thread {
      let manager = CLLocationManager(app.service)
      let delegate = ThreadDelegate(Thread.current, result)
      manager.delegate = delegate
      manager.startRangingBeacons(satisfying: constraint)
      while !delegate.hasRanged { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
      withExtendedLifetime(manager) {}
    }
    thread.start()
    for await isSame in results { #expect(isSame) }
    await app.toEnd()
  }

  /// A delegate whose methods a `#if os(iOS)` leaves out.
  private final class EmptyDelegate: NSObject, CLLocationManagerDelegate {}

  /// A delegate that only wants to know when it leaves.
  private final class ExitDelegate: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
  }

  @Test func `a delegate that implements nothing is warned of`() async throws {
    let app = try App(receiving: "**")
    let manager = CLLocationManager(app.service)
    let delegate = EmptyDelegate()
    manager.delegate = delegate
    manager.startRangingBeacons(satisfying: constraint)
    await app.toEnd()
    let note = try #require(app.notes.first)
    #expect(note.contains("EmptyDelegate") && note.contains("didRange:satisfying:"))
    #expect(app.notes.count == 1)
  }

  @Test(arguments: [false, true])
  func `a delegate that implements nothing for regions is warned of at the end`(
    _ implementsExit: Bool
  ) async throws {
    let app = try App(receiving: "**" + String(repeating: "-", count: 60))
    let manager = CLLocationManager(app.service)
    let delegates: (any CLLocationManagerDelegate, any CLLocationManagerDelegate) =
      (EmptyDelegate(), ExitDelegate())
    manager.delegate = implementsExit ? delegates.1 : delegates.0
    manager.startMonitoring(for: region())
    await app.toEnd()
    #expect(app.notes.isEmpty == implementsExit, "\(app.notes)")
    withExtendedLifetime(delegates) {}
  }
}

/// Records the thread on which it is called.
private final class ThreadDelegate: NSObject, CLLocationManagerDelegate {
  private let thread: Thread
  private let result: AsyncStream<Bool>.Continuation
  private(set) var hasRanged = false

  init(_ thread: Thread, _ result: AsyncStream<Bool>.Continuation) {
    (self.thread, self.result) = (thread, result)
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    result.yield(Thread.current === thread)
    result.finish()
    hasRanged = true
  }
}
