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
    return emit(.off)
  }

  mutating func listen(at time: Timestamp) -> [AdapterAction] {
    state = .scanning(mustDiscoverBy: nil)
    lastReceived = time
    // What it received before it was switched off says nothing about what it should receive now.
    if emitted != .listening { judge.forget() }
    return emit(remedy == nil ? .listening : .deaf)
  }

  /// Whether the request for a monitor has an outcome: it is active, or there is none.
  var isMonitorSettled: Bool {
    switch monitor {
    case .asked, .registered: false
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
    return emit(.off) + [.warn(.discoveryStopped), request(.setFilter(filter))]
  }

  mutating func restart() -> [AdapterAction] {
    state = .restarting
    return [request(.stop)]
  }

  mutating func fail(_ outcome: RequestOutcome, at time: Timestamp) -> [AdapterAction] {
    let trouble: AdapterTrouble? =
      switch outcome {
      case .blocked: .blocked
      case .notPermitted: .notPermitted
      case .failed(let name): .failed(name)
      case .notReady, .done, .filterKeys, .inProgress, .alreadyExists: nil
      }
    state = .waiting(until: time + retry)
    retry = min(retry + retry, Self.longestRetry)
    return emit(.off) + (trouble.map { [.warn($0)] } ?? [])
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
