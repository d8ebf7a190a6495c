// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
import CoreLocation
import Dispatch
import Synchronization

/// Shapes of programs under Core Location's names.
enum CoreLocationShape: String, CaseIterable {
  case wrapper, fromCallback, fromTask, fromQueue, fromMainTwice, after50, fromSleep, ownThread
  case goal, twoManagers, monitorAndManager, burst

  @MainActor func run(_ replay: Replay) async {
    do {
      var setup = LocationSetup(.source(try replay.source()))
      setup.manifest = Manifest(whenInUse: "To show beacons.", alwaysAndWhenInUse: "To greet.")
      setup.prompter = Consent()
      setup.atEnd = .exit
      setup.state = nil
      CoreLocationProcess.use(setup)
    } catch {
      return print("\(error)")
    }
    let log = replay.log
    shown.withLock { $0 = log }
    atexit { shown.withLock { $0?.show() } }
    let constraint = CLBeaconIdentityConstraint(uuid: replay.uuid)
    switch self {
    case .wrapper: await Self.wrap(constraint, log)
    case .goal: await Self.declareGoal(constraint, log)
    case .monitorAndManager:
      let ranger = Ranger(.fromTask, constraint, log, "ranger")
      await Self.watch(constraint, log)
      withExtendedLifetime(ranger) {}
    case .burst: await Burst(constraint, log).run()
    case .twoManagers:
      let rangers = [
        Ranger(.fromQueue, constraint, log, "one"), Ranger(.fromTask, constraint, log, "two"),
      ]
      await Self.forever()
      withExtendedLifetime(rangers) {}
    default:
      let ranger = Ranger(self, constraint, log, "ranger")
      await Self.forever()
      withExtendedLifetime(ranger) {}
    }
    await Self.forever()
  }

  private static func forever() async {
    while true { try? await Task.sleep(for: .seconds(3600)) }
  }

  /// Awaits the permission in a task off the main actor, then ranges into a stream.
  private nonisolated static func wrap(_ constraint: CLBeaconIdentityConstraint, _ log: Log) async {
    let wrapper = await MainActor.run { Wrapper() }
    log.note("status", "\(await wrapper.ask().rawValue)")
    for await beacons in wrapper.range(constraint) { log.note("ticks", "\(beacons.count)") }
  }

  /// Declares a goal, and monitors when its diagnostics show that it can.
  private nonisolated static func declareGoal(_ constraint: CLBeaconIdentityConstraint, _ log: Log)
    async
  {
    let session = CLServiceSession(authorization: .whenInUse)
    do {
      for try await diagnostic in session.diagnostics {
        log.note("diagnostics", "\(diagnostic.authorizationRequestInProgress)")
        if !diagnostic.authorizationRequestInProgress { break }
      }
    } catch {
      log.note("diagnostics", "\(error)")
    }
    await watch(constraint, log)
    withExtendedLifetime(session) {}
  }

  private nonisolated static func watch(_ constraint: CLBeaconIdentityConstraint, _ log: Log) async
  {
    let monitor = await CLMonitor("shape")
    await monitor.add(CLMonitor.BeaconIdentityCondition(uuid: constraint.uuid), identifier: "hall")
    do {
      for try await event in await monitor.events {
        log.note("events", "\(event.date) \(event.state.rawValue)")
      }
      // The process ends only after what follows the end of the capture.
      let end = ContinuousClock.now + .milliseconds(20)
      while ContinuousClock.now < end {}
      log.note("events", "ended")
    } catch {
      log.note("events", "\(error)")
    }
  }
}

/// The log that is shown at the end of the process.
private let shown = Mutex<Log?>(nil)

private final class Wrapper: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
  private let manager = CLLocationManager()
  private var asked: CheckedContinuation<CLAuthorizationStatus, Never>?
  private var stream: AsyncStream<[CLBeacon]>.Continuation?

  override init() {
    super.init()
    manager.delegate = self
  }

  nonisolated func ask() async -> CLAuthorizationStatus {
    await withCheckedContinuation {
      asked = $0
      manager.requestWhenInUseAuthorization()
    }
  }

  nonisolated func range(_ constraint: CLBeaconIdentityConstraint) -> AsyncStream<[CLBeacon]> {
    AsyncStream {
      stream = $0
      manager.startRangingBeacons(satisfying: constraint)
    }
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    guard manager.authorizationStatus != .notDetermined else { return }
    asked?.resume(returning: manager.authorizationStatus)
    asked = nil
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying constraint: CLBeaconIdentityConstraint
  ) { stream?.yield(beacons) }
}

/// Ranges once at the first event of a monitor, and handles the next event after that.
@MainActor private final class Burst: NSObject, CLLocationManagerDelegate {
  private let manager = CLLocationManager()
  private let constraint: CLBeaconIdentityConstraint
  private let log: Log
  private var waiting: CheckedContinuation<Int, Never>?

  init(_ constraint: CLBeaconIdentityConstraint, _ log: Log) {
    (self.constraint, self.log) = (constraint, log)
    super.init()
    manager.delegate = self
    manager.requestWhenInUseAuthorization()
  }

  func run() async {
    let monitor = await CLMonitor("shape")
    await monitor.add(
      CLMonitor.BeaconIdentityCondition(uuid: constraint.uuid),
      identifier: "hall",
      assuming: .unsatisfied
    )
    var isFirst = true
    do {
      for try await event in await monitor.events {
        log.note("events", "\(event.date) \(event.state.rawValue)")
        guard isFirst, event.state == .satisfied else { continue }
        isFirst = false
        let count = await withCheckedContinuation {
          waiting = $0
          manager.startRangingBeacons(satisfying: constraint)
        }
        log.note("events", "\(count) beacons")
      }
    } catch {
      log.note("events", "\(error)")
    }
  }

  nonisolated func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying constraint: CLBeaconIdentityConstraint
  ) {
    let count = beacons.count
    MainActor.assumeIsolated {
      waiting?.resume(returning: count)
      waiting = nil
    }
  }
}

/// Makes its first requests in the way of a shape, after it was authorized.
private final class Ranger: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
  private let manager = CLLocationManager()
  private let queue = DispatchQueue(label: "state")
  private let shape: CoreLocationShape
  private let constraint: CLBeaconIdentityConstraint
  private let log: Log
  private let name: String

  init(
    _ shape: CoreLocationShape,
    _ constraint: CLBeaconIdentityConstraint,
    _ log: Log,
    _ name: String
  ) {
    (self.shape, self.constraint, self.log, self.name) = (shape, constraint, log, name)
    super.init()
    manager.delegate = self
    manager.requestWhenInUseAuthorization()
  }

  private func begin() {
    manager.startRangingBeacons(satisfying: constraint)
    manager.startMonitoring(for: CLBeaconRegion(uuid: constraint.uuid, identifier: name))
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    guard manager.authorizationStatus == .authorizedWhenInUse else { return }
    switch shape {
    case .fromQueue:
      queue.async {
        usleep(20_000)
        self.begin()
      }
    case .after50: DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) { self.begin() }
    case .fromMainTwice: DispatchQueue.main.async { DispatchQueue.main.async { self.begin() } }
    case .fromTask: Task { begin() }
    case .fromSleep:
      Task { @MainActor in
        try? await Task.sleep(for: .milliseconds(30))
        begin()
      }
    case .ownThread: Thread { self.begin() }.start()
    default: begin()
    }
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying constraint: CLBeaconIdentityConstraint
  ) {
    log.note("\(name) ticks", "\(beacons.count) \(beacons.first?.rssi ?? 0)")
    guard let nearest = beacons.first, nearest.rssi != 0 else { return }
    // The answer of an interface: a region for the nearest beacon, from a task.
    let region = CLBeaconRegion(uuid: nearest.uuid, identifier: "\(name) nearest")
    Task { self.manager.requestState(for: region) }
  }

  func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  ) {
    log.note("\(name) states", "\(region.identifier) \(state.rawValue)")
  }
}
