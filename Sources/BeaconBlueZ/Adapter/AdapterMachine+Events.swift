// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

// What happened to the adapter.

extension AdapterMachine {
  /// The adapter was found.
  package mutating func found(_ facts: AdapterFacts, at time: Timestamp) -> [AdapterAction] {
    guard state != .stopped else { return [] }
    path = facts.path
    isPowered = facts.isPowered
    isDiscovering = facts.isDiscovering
    takesMonitors = facts.takesMonitors
    monitor = .none
    retry = Self.shortestRetry
    forgetDeafness()
    return facts.isPowered ? begin(at: time) : off()
  }

  /// The adapter was unplugged, or its daemon or bus has gone: nothing that was asked for is left.
  package mutating func vanished() -> [AdapterAction] {
    guard state != .stopped, state != .absent else { return [] }
    state = .absent
    path = nil
    isPowered = false
    isDiscovering = false
    monitor = .none
    forgetDeafness()
    return tell(.gone)
  }

  /// The adapter was switched on or off; neither session nor filter nor monitor outlives being off.
  package mutating func powered(_ isOn: Bool, at time: Timestamp) -> [AdapterAction] {
    guard isOn != isPowered, state != .stopped, state != .absent else { return [] }
    isPowered = isOn
    guard isOn else {
      isDiscovering = false
      monitor = .none
      if state == .cycling { return [request(.power(true))] }
      forgetDeafness()
      return off()
    }
    retry = Self.shortestRetry
    return begin(at: time)
  }

  /// The daemon says whether it discovers.
  package mutating func discovering(_ isOn: Bool, at time: Timestamp) -> [AdapterAction] {
    isDiscovering = isOn
    switch (state, isOn) {
    case (.scanning, true), (.reviving, true):
      return listen(at: time)
    case (.scanning, false):
      return revive(at: time)
    case (.absent, _), (.off, _), (.asking, _), (.filtering, _), (.arming, _), (.starting, _),
      (.reviving, false), (.restarting, _), (.cycling, _), (.waiting, _), (.stopped, _):
      return []
    }
  }

  /// A device was heard.
  ///
  /// - Parameters:
  ///   - address: Where the report came from, if that is known.
  ///   - uuid: The UUID of the beacon that it is of; `nil` for any other device.
  ///   - time: When.
  /// - Returns: What a deaf adapter's owner must do, now that it hears.
  @discardableResult
  package mutating func heard(
    from address: DeviceAddress? = nil,
    uuid: UInt128? = nil,
    at time: Timestamp
  ) -> [AdapterAction] {
    lastReceived = time
    judge.heard(from: address, uuid: uuid, at: time)
    guard remedy != nil else { return [] }
    remedy = nil
    return tell(.listening) + [.report(.receivesAgain)]
  }

  /// Our monitor was activated.
  package mutating func monitorActivated() -> [AdapterAction] {
    guard monitor != .none else { return [] }
    monitor = .active
    return startIfArmed()
  }

  /// Our monitor was refused, or taken away.
  package mutating func monitorReleased() -> [AdapterAction] {
    guard monitor != .none, monitor != .kernel, state != .stopped else { return [] }
    return [.report(.monitorRefused)] + askKernel()
  }

  /// The kernel has our monitor, or has it not.
  package mutating func kernelMonitor(isThere: Bool) -> [AdapterAction] {
    guard monitor == .asked || monitor == .kernel else { return [] }
    monitor = isThere ? .kernel : .unavailable
    return (isThere ? [] : [.report(.noMonitor)]) + startIfArmed()
  }

  /// The kernel's monitor was removed by somebody else, as every start of a daemon does.
  package mutating func kernelMonitorRemoved() -> [AdapterAction] {
    guard monitor == .kernel, state != .stopped else { return [] }
    return askKernel()
  }

  /// All is to end: what is to be undone comes back.
  package mutating func stop() -> [AdapterAction] {
    var actions: [AdapterAction] = []
    switch state {
    case .starting, .scanning, .reviving, .restarting: actions.append(request(.stop))
    // Whoever switched it off must switch it on again.
    case .cycling: if !isPowered { actions.append(request(.power(true))) }
    case .absent, .off, .asking, .filtering, .arming, .waiting, .stopped: break
    }
    switch monitor {
    case .registered, .active: actions.append(request(.unregisterMonitor))
    case .kernel: actions.append(.removeKernelMonitor)
    case .asked: actions += [request(.unregisterMonitor), .removeKernelMonitor]
    case .none, .unavailable: break
    }
    state = .stopped
    monitor = .none
    return actions
  }
}
