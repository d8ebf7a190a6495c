// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import Beacons

// What the machine does next, from wherever it stands.

extension AdapterMachine {
  func request(_ request: AdapterRequest) -> AdapterAction {
    .request(request, attempt: attempt)
  }

  mutating func tell(_ radio: RadioState) -> [AdapterAction] {
    guard told != radio else { return [] }
    told = radio
    return [.tell(radio)]
  }

  mutating func begin(at time: Timestamp) -> [AdapterAction] {
    attempt += 1
    state = .asking
    // A deaf adapter stays deaf while it is being mended; of one never heard of it is not known yet whether it will listen.
    let mustTell = remedy == nil && told != nil
    return (mustTell ? tell(.off) : []) + [request(.askFilterKeys)]
  }

  mutating func off() -> [AdapterAction] {
    attempt += 1
    state = .off
    return tell(.off)
  }

  mutating func listen(at time: Timestamp) -> [AdapterAction] {
    state = .scanning(mustDiscoverBy: nil)
    lastReceived = time
    // What it heard before it was off says nothing of what it should hear now.
    if told != .listening { judge.forget() }
    return tell(remedy == nil ? .listening : .deaf)
  }

  /// Whether it is known if there is a monitor.
  var isMonitorSettled: Bool {
    switch monitor {
    case .asked, .registered: false
    case .none, .active, .kernel, .unavailable: true
    }
  }

  /// Starts discovery, if all that it waited for was the monitor.
  mutating func startIfArmed() -> [AdapterAction] {
    guard case .arming = state else { return [] }
    state = .starting
    return [request(.start)]
  }

  mutating func revive(at time: Timestamp) -> [AdapterAction] {
    state = .reviving(until: time + Self.discoveringTimeout)
    return tell(.off) + [.report(.discoveryStopped), request(.setFilter(filter))]
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
    return tell(.off) + (trouble.map { [.report($0)] } ?? [])
  }

  mutating func askForMonitor() -> [AdapterAction] {
    guard monitor == .none || monitor == .unavailable else { return [] }
    guard takesMonitors else { return askKernel() }
    monitor = .asked
    return [request(.registerMonitor)]
  }

  mutating func askKernel() -> [AdapterAction] {
    monitor = .asked
    return [.addKernelMonitor]
  }
}
