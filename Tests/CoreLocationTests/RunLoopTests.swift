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
      Thread { continuation.resume(returning: program()) }.start()
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

  @Test func `a delegate set when the manager is made is told once how things stand`() async throws
  {
    let app = try App(receiving: "---")
    let (before, after) = await Self.onThread {
      let manager = CLLocationManager(app.service)
      let delegate = LoopDelegate()
      manager.delegate = delegate
      Thread.sleep(forTimeInterval: 0.1)
      let before = delegate.told
      Self.turn { delegate.told.count >= 2 }
      Self.turnOn()
      return withExtendedLifetime(manager) { (before, delegate.told) }
    }
    #expect(before.isEmpty, "nothing is told before the loop turns")
    #expect(after == ["authorization 4", "status 4"])
    await app.toEnd()
  }

  @Test func `a delegate set late is told what it missed, once and in order`() async throws {
    let app = try App(receiving: "***")
    let (before, after) = await Self.onThread {
      let (early, late) = (CLLocationManager(app.service), CLLocationManager(app.service))
      let (first, second) = (LoopDelegate(), LoopDelegate())
      early.delegate = first
      early.startMonitoring(for: Self.region())
      // The loop has been running for a while for a manager without a delegate.
      Self.turn { first.told.contains("state museum 1") }
      Self.turnOn()
      late.delegate = second
      let before = second.told
      Self.turn { second.told.count >= 3 }
      late.delegate = second
      Self.turnOn()
      return withExtendedLifetime((early, late)) { (before, second.told) }
    }
    #expect(before.isEmpty)
    #expect(after == ["authorization 4", "status 4", "state museum 1"])
    await app.toEnd()
  }

  @Test func `a missing text is said once, and no callback comes of it`() async throws {
    let app = try App(receiving: "-----", Manifest(), granted: .notDetermined)
    let told = await Self.onThread {
      let managers = [CLLocationManager(app.service), CLLocationManager(app.service)]
      let delegate = LoopDelegate()
      // The program makes another request in each callback.
      delegate.onAuthorization = { $0.requestWhenInUseAuthorization() }
      for manager in managers {
        manager.delegate = delegate
        manager.requestWhenInUseAuthorization()
      }
      Self.turn { delegate.told.count >= 4 }
      for manager in managers { manager.requestWhenInUseAuthorization() }
      Self.turnOn()
      return withExtendedLifetime(managers) { delegate.told }
    }
    await app.toEnd()
    #expect(told == ["authorization 0", "status 0", "authorization 0", "status 0"])
    #expect(app.notes.count == 1, "\(app.notes)")
    #expect(app.notes.first?.contains("NSLocationWhenInUseUsageDescription") == true)
    #expect(app.prompts.isEmpty)
  }

  @Test func `a manager dropped while it ranges ends its session`() async throws {
    let app = try App(receiving: "******************************")
    let (told, isGone) = await Self.onThread {
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
      return withExtendedLifetime(keeper) { (delegate.told, gone == nil) }
    }
    await app.toEnd()
    #expect(isGone)
    #expect(told.count { $0.hasPrefix("range") } == 1, "\(told)")
    #expect(await app.ranged == 0)
  }
}

/// Records its callbacks, and whether they came on the thread that created it.
private final class LoopDelegate: NSObject, CLLocationManagerDelegate {
  private let thread = Thread.current
  private(set) var told: [String] = []
  var onAuthorization: (CLLocationManager) -> Void = { _ in }
  var onRange: (CLLocationManager) -> Void = { _ in }

  private func note(_ text: String) {
    told.append(Thread.current === thread ? text : "\(text), elsewhere")
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
