// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

extension CLLocationManager {
  /// Passes the program's deliveries to a manager, until the manager is released or the session ends.
  static func listen(
    for manager: Weakly<CLLocationManager>,
    to sequences: AsyncStream<ClientSequence<Delivery>>,
    of service: LocationService,
    on loop: isolated any Actor
  ) async {
    guard await service.opening.value != nil,
      let sequence = await sequences.first(where: { _ in true })
    else {
      manager.value?.announce()
      manager.value?.deliverFailure()
      return service.begin()
    }
    var deliveries = sequence.makeAsyncIterator()
    await service.adoptRemoteState()
    _ = manager.value?.updateAuthorization(service.snapshot)
    manager.value?.announce()
    await service.requestQueue.settled()
    service.begin()
    var mark = CallbackMark()
    let isMain = loop === MainActor.shared
    while let delivery = await deliveries.next() {
      if case .authorization(let status, let accuracy) = delivery.event {
        await service.updateAuthorization(
          LocationService.Authorization(status: status, accuracy: accuracy)
        )
      }
      service.reaches(delivery.time)
      let isThere = CallbackMark.$ofTask.withValue(mark) { manager.value?.receive(delivery) != nil }
      guard isThere else { return }
      // A delegate often leaves its answer to a task of the main actor or a block of the main queue. Both run before
      // this loop continues, since a turn of the main queue comes after them. On another thread's run loop a turn costs
      // more, and a block that was left to the main queue does not show: there the loop waits only for tasks.
      let hasLeftTasks = !isKnownUniquelyReferenced(&mark)
      if hasLeftTasks { mark = CallbackMark() }
      if isMain || hasLeftTasks || !delivery.isTick { await Task.yield() }
      await service.requestQueue.settled()
    }
    if !Task.isCancelled { manager.value?.deliverFailure() }
  }

  /// Makes the first callback, and then those that waited for it.
  private func announce() {
    deliver(MissedCallbacks())
    for callback in lock.withLock({ early.take() }) ?? [] { callback.value(self) }
  }

  /// Makes the callbacks that the delegate missed.
  ///
  /// Without a delegate they are kept for a later one.
  private func deliver(_ missed: MissedCallbacks) {
    let (delegate, snapshot) = lock.withLock {
      if listener == nil { self.missed = missed }
      return (listener, self.snapshot)
    }
    guard let delegate else { return }
    delegate.locationManagerDidChangeAuthorization(self)
    delegate.locationManager(self, didChangeAuthorization: snapshot.status.cl)
    for (identifier, state) in missed.states.sorted(by: { $0.key < $1.key }) {
      guard let region = service.region(identifier) else { continue }
      delegate.locationManager(self, didDetermineState: state, for: region)
    }
  }

  /// Sets another delegate.
  func listen(_ delegate: (any CLLocationManagerDelegate)?) {
    let missed = lock.withLock { () -> MissedCallbacks? in
      listener = delegate
      return delegate == nil ? nil : self.missed.take()
    }
    guard let missed else { return }
    report { $0.deliver(missed) }
  }

  /// Makes a callback on the manager's run loop, after the caller has returned.
  ///
  /// It follows the first one, that of the authorization. On the main actor it is made before the next delivery.
  func report(_ callback: @escaping (CLLocationManager) -> Void) {
    let manager = Weakly(self)
    let callback = Unshared(callback)
    let waits = lock.withLock {
      early?.append(callback)
      return early != nil
    }
    guard !waits else { return }
    guard loop !== MainActor.shared else {
      Task { @MainActor in if let manager = manager.value { callback.value(manager) } }
      return
    }
    let loop = loop
    Task { await CLLocationManager.make(callback, of: manager, on: loop) }
  }

  private static func make(
    _ callback: Unshared<(CLLocationManager) -> Void>,
    of manager: Weakly<CLLocationManager>,
    on loop: isolated any Actor
  ) { if let manager = manager.value { callback.value(manager) } }

  /// Notes the program's current authorization.
  ///
  /// - Returns: Whether the status changed.
  func updateAuthorization(_ snapshot: LocationService.Authorization) -> Bool {
    lock.withLock {
      defer { self.snapshot = snapshot }
      return self.snapshot.status != snapshot.status
    }
  }

  /// Keeps a state for a delegate that is set late.
  func miss(_ state: CLRegionState, of region: RegionIdentifier) {
    lock.withLock { missed?.states[region] = state }
  }
}

/// The callbacks about the current state that a late delegate has missed.
struct MissedCallbacks: Sendable {
  var states: [RegionIdentifier: CLRegionState] = [:]
}

/// A weak reference that can be sent.
///
/// Every use of the object is guarded by its lock or takes place on its run loop.
struct Weakly<Value: AnyObject>: @unchecked Sendable {
  weak let value: Value?

  init(_ value: Value) {
    self.value = value
  }
}

/// A mark that the tasks started by a callback retain while they run.
private final class CallbackMark: Sendable {
  @TaskLocal static var ofTask: CallbackMark?
}

extension Delivery {
  fileprivate var isTick: Bool {
    if case .ranged = event { true } else { false }
  }
}

extension AuthorizationStatus {
  /// The status as Apple's type.
  var cl: CLAuthorizationStatus {
    CLAuthorizationStatus(rawValue: Int32(rawValue)) ?? .notDetermined
  }
}
