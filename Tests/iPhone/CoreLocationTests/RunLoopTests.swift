// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Beacons
@testable import CoreLocation
import Testing

/// The guarantees for callbacks hold on a run loop, as older programs use it: callbacks come on the thread that created
/// the manager, while its loop runs.
@Suite struct RunLoopTests {
  /// Runs a program on a separate thread and returns its result.
  private static func onThread<Found: Sendable>(
    _ program: @escaping @Sendable () -> Found
  ) async -> Found {
    await withCheckedContinuation { continuation in
      Thread {
        continuation.resume(returning: program())
        // A job that is still on its way to the loop must not wait for ever.
        let end = Date(timeIntervalSinceNow: 60)
        while Date() < end { _ = RunLoop.current.run(mode: .default, before: end) }
      }.start()
    }
  }

  /// Runs the thread's run loop until a condition holds, or too much time has passed.
  private static func turn(until hasCome: () -> Bool) {
    let patience = Date(timeIntervalSinceNow: 60)
    while !hasCome(), Date() < patience {
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
    }
  }

  /// Runs the loop longer, to check that nothing else is received.
  private static func turnOn() {
    let end = Date(timeIntervalSinceNow: 0.3)
    while Date() < end { _ = RunLoop.current.run(mode: .default, before: end) }
  }

  private static let constraint = CLBeaconIdentityConstraint(uuid: UUID(App.uuid))

  private static func region() -> CLBeaconRegion {
    CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "museum")
  }

  /// Row U19.
  @Test func `a delegate set immediately receives the current state once`() async throws {
    let app = try App(receiving: "---")
    let (before, after) = await Self.onThread {
      let manager = CLLocationManager(app.service)
      let delegate = LoopDelegate()
      manager.delegate = delegate
      Thread.sleep(forTimeInterval: 0.1)
      let before = delegate.callbacks
      Self.turn { delegate.callbacks.count >= 2 }
      Self.turnOn()
      return withExtendedLifetime(manager) { (before, delegate.callbacks) }
    }
    #expect(before.isEmpty, "nothing is told before the loop turns")
    #expect(after == ["authorization 4", "status 4"])
    await app.toEnd()
  }

  @Test func `a late delegate receives what it missed, once and in order`() async throws {
    let app = try App(receiving: "***")
    let (before, after) = await Self.onThread {
      let (early, late) = (CLLocationManager(app.service), CLLocationManager(app.service))
      let (first, second) = (LoopDelegate(), LoopDelegate())
      early.delegate = first
      early.startMonitoring(for: Self.region())
      // The loop has been running for a while for a manager without a delegate.
      Self.turn { first.callbacks.contains("state museum 1") }
      Self.turnOn()
      late.delegate = second
      let before = second.callbacks
      Self.turn { second.callbacks.count >= 3 }
      late.delegate = second
      Self.turnOn()
      return withExtendedLifetime((early, late)) { (before, second.callbacks) }
    }
    #expect(before.isEmpty)
    #expect(after == ["authorization 4", "status 4", "state museum 1"])
    await app.toEnd()
  }

  @Test func `a missing text is reported once, without a callback`() async throws {
    let app = try App(receiving: "-----", Manifest(), granted: .notDetermined)
    let callbacks = await Self.onThread {
      let managers = [CLLocationManager(app.service), CLLocationManager(app.service)]
      let delegate = LoopDelegate()
      // The program makes another request in each callback.
      delegate.onAuthorization = { $0.requestWhenInUseAuthorization() }
      for manager in managers {
        manager.delegate = delegate
        manager.requestWhenInUseAuthorization()
      }
      Self.turn { delegate.callbacks.count >= 4 }
      for manager in managers { manager.requestWhenInUseAuthorization() }
      Self.turnOn()
      return withExtendedLifetime(managers) { delegate.callbacks }
    }
    await app.toEnd()
    #expect(callbacks == ["authorization 0", "status 0", "authorization 0", "status 0"])
    // The other note reports that the program ranged and monitored nothing.
    #expect(app.notes.count == 2 && app.notes.last?.hasSuffix(LocationService.endNote) == true)
    #expect(app.notes.first?.contains("NSLocationWhenInUseUsageDescription") == true)
    #expect(app.prompts.isEmpty)
  }

  @Test func `a manager dropped while it ranges ends its session`() async throws {
    let app = try App(receiving: "******************************")
    let (callbacks, isGone) = await Self.onThread {
      let keeper = CLLocationManager(app.service)
      var manager: CLLocationManager? = CLLocationManager(app.service)
      weak let gone = manager
      let delegate = LoopDelegate()
      manager?.delegate = delegate
      manager?.allowsBackgroundLocationUpdates = true
      manager?.startUpdatingLocation()
      manager?.startRangingBeacons(satisfying: Self.constraint)
      delegate.onRange = { _ in manager = nil }
      Self.turn { manager == nil }
      Self.turnOn()
      return withExtendedLifetime(keeper) { (delegate.callbacks, gone == nil) }
    }
    await app.toEnd()
    #expect(isGone)
    #expect(callbacks.count { $0.hasPrefix("range") } == 1, "\(callbacks)")
    #expect(await app.ranged == 0)
  }
}

/// Records its callbacks, and whether they came on the thread that created it.
private final class LoopDelegate: NSObject, CLLocationManagerDelegate {
  private let thread = Thread.current
  private(set) var callbacks: [String] = []
  var onAuthorization: (CLLocationManager) -> Void = { _ in }
  var onRange: (CLLocationManager) -> Void = { _ in }

  private func note(_ text: String) {
    callbacks.append(Thread.current === thread ? text : "\(text), elsewhere")
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    note("authorization \(manager.authorizationStatus.rawValue)")
    onAuthorization(manager)
  }

  func locationManager(
    _ manager: CLLocationManager,
    didChangeAuthorization status: CLAuthorizationStatus
  ) {
    note("status \(status.rawValue)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  ) {
    note("state \(region.identifier) \(state.rawValue)")
  }

  func locationManager(
    _ manager: CLLocationManager,
    didRange beacons: [CLBeacon],
    satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    note("range \(beacons.count)")
    onRange(manager)
  }
}
