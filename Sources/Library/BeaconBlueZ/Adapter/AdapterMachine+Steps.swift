// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons

// Steps that several events share.

extension AdapterMachine {
  func request(_ request: AdapterRequest) -> AdapterAction {
    .request(request, attempt: attempt)
  }

  mutating func emit(_ state: RadioState) -> [AdapterAction] {
    if interruptedUntil != nil {
      guard state == .listening else { return [] }
      interruptedUntil = nil
    }
    guard emitted != state else { return [] }
    emitted = state
    return [.emit(state)]
  }

  mutating func begin(at time: Timestamp) -> [AdapterAction] {
    attempt += 1
    state = .asking
    // A deaf adapter stays deaf during a remedy. A new adapter has no state until it is known whether it can scan.
    let mustEmit = remedy == nil && emitted != nil
    return (mustEmit ? emit(.off) : []) + [request(.askFilterKeys)]
  }

  mutating func off() -> [AdapterAction] {
    attempt += 1
    state = .off
    return emit(.off) + [.warn(.switchedOff)]
  }

  mutating func listen(at time: Timestamp) -> [AdapterAction] {
    if state != .scanning(mustDiscoverBy: nil) { discoversSince = time }
    state = .scanning(mustDiscoverBy: nil)
    failure = nil
    lastReceived = time
    // Its reports before it was switched off are no evidence of present reception.
    if emitted != .listening { judge.forget() }
    return emit(remedy == nil ? .listening : .deaf)
  }

  /// Whether the request for a monitor has an outcome: it is active, or refused.
  var isMonitorSettled: Bool {
    switch monitor {
    case .asked, .askedAgain, .registered: false
    case .none, .active, .kernel, .unavailable: true
    }
  }

  /// Starts discovery if it waited only for the monitor.
  mutating func startIfArmed() -> [AdapterAction] {
    guard case .arming = state else { return [] }
    state = .starting
    return [request(.start)]
  }

  mutating func revive(at time: Timestamp) -> [AdapterAction] {
    state = .reviving(until: time + Self.discoveringTimeout)
    failure = .notDiscovering
    return emit(.off) + [.warn(.discoveryStopped), request(.setFilter(filter))]
  }

  mutating func restart() -> [AdapterAction] {
    state = .restarting
    return [request(.stop)]
  }

  /// The sequence of calls failed: the whole of it is tried again after a wait that grows.
  mutating func fail(_ failure: BlueZFailure, at time: Timestamp) -> [AdapterAction] {
    if isSteady(at: time) { backOff.reset() }
    discoversSince = nil
    self.failure = failure
    state = .waiting(until: time + backOff.wait())
    return emit(.off) + [.warn(AdapterTrouble(failure))]
  }

  /// The sequence failed, and there may be a dead session, which the next start would not revive: it is ended first.
  mutating func failWithSession(_ failure: BlueZFailure, at time: Timestamp) -> [AdapterAction] {
    fail(failure, at: time) + [request(.stop)]
  }

  /// Whether discovery has run for a while, so that a failure now is not one of a series.
  func isSteady(at time: Timestamp) -> Bool {
    discoversSince.map { time - $0 >= Self.steadyTime } ?? false
  }

  mutating func askForMonitor() -> [AdapterAction] {
    guard monitor == .none || monitor == .unavailable else { return [] }
    guard acceptsMonitors else { return askKernel() }
    monitor = .asked
    return [request(.registerMonitor)]
  }

  mutating func askKernel() -> [AdapterAction] {
    monitor = .asked
    return [.addKernelMonitor]
  }
}
