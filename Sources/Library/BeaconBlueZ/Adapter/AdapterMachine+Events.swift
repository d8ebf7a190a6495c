// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

// How the machine reacts to changes of the adapter.

extension AdapterMachine {
  /// The adapter was found.
  package mutating func found(_ facts: AdapterFacts, at time: Timestamp) -> [AdapterAction] {
    guard state != .stopped else { return [] }
    path = facts.path
    isPowered = facts.isPowered
    isDiscovering = facts.isDiscovering
    acceptsMonitors = facts.acceptsMonitors
    monitor = .none
    forgetFailures()
    forgetDeafness()
    return facts.isPowered ? begin(at: time) : off()
  }

  /// The adapter was unplugged, or its daemon or the bus ended.
  ///
  /// The session, the filter and the monitor are gone.
  package mutating func vanished() -> [AdapterAction] {
    guard state != .stopped, state != .absent else { return [] }
    forgetAdapter()
    return emit(.gone)
  }

  /// The connection to the bus was lost; the session, the filter and the monitor are gone.
  ///
  /// An adapter that received keeps its state: it counts as gone only if it does not scan again within
  /// ``reconnectTimeout``. So a connection that is made again immediately changes no region.
  package mutating func interrupted(at time: Timestamp) -> [AdapterAction] {
    guard state != .stopped, state != .absent else { return [] }
    guard emitted == .listening else { return vanished() }
    interruptedUntil = interruptedUntil ?? time + Self.reconnectTimeout
    forgetAdapter()
    return []
  }

  private mutating func forgetAdapter() {
    state = .absent
    path = nil
    isPowered = false
    isDiscovering = false
    monitor = .none
    forgetFailures()
    forgetDeafness()
  }

  /// Forgets what failed, because the adapter changed.
  private mutating func forgetFailures() {
    backOff.reset()
    discoversSince = nil
    failure = nil
  }

  /// The adapter was switched on or off.
  ///
  /// Switching it off removes the session, the filter and the monitor.
  package mutating func powered(_ isOn: Bool, at time: Timestamp) -> [AdapterAction] {
    guard isOn != isPowered, state != .stopped, state != .absent else { return [] }
    isPowered = isOn
    forgetFailures()
    guard isOn else {
      isDiscovering = false
      monitor = .none
      if isCycling { return [request(.power(true))] }
      forgetDeafness()
      return off()
    }
    return begin(at: time)
  }

  /// The daemon reported whether discovery runs.
  package mutating func discovering(_ isOn: Bool, at time: Timestamp) -> [AdapterAction] {
    isDiscovering = isOn
    switch (state, isOn) {
    case (.scanning, true), (.reviving, true):
      return listen(at: time)
    case (.scanning(nil), false) where !isSteady(at: time):
      return failWithSession(.notDiscovering, at: time)
    case (.scanning, false):
      return revive(at: time)
    case (.absent, _), (.off, _), (.asking, _), (.filtering, _), (.arming, _), (.starting, _),
      (.reviving, false), (.restarting, _), (.cycling, _), (.waiting, _), (.stopped, _):
      return []
    }
  }

  /// A report was received.
  ///
  /// - Parameters:
  ///   - address: The sender's address, if it is known.
  ///   - uuid: The UUID of the beacon that sent it; `nil` if the sender is not a beacon.
  ///   - time: When it was received.
  /// - Returns: Actions, if the adapter was deaf.
  @discardableResult
  package mutating func received(
    from address: DeviceAddress? = nil,
    uuid: UInt128? = nil,
    at time: Timestamp
  ) -> [AdapterAction] {
    lastReceived = time
    // The command that started a scan may not have been read.
    if let since = restsSince, time - since > Self.stragglers { restsSince = nil }
    judge.received(from: address, uuid: uuid, at: time)
    guard remedy != nil else { return [] }
    remedy = nil
    return emit(.listening) + [.warn(.receivesAgain)]
  }

  /// Our monitor was activated.
  package mutating func monitorActivated() -> [AdapterAction] {
    guard monitor != .none else { return [] }
    monitor = .active
    return startIfArmed()
  }

  /// The daemon refused our monitor, or removed it.
  package mutating func monitorReleased() -> [AdapterAction] {
    guard monitor != .none, monitor != .kernel, state != .stopped else { return [] }
    return [.warn(.monitorRefused(nil))] + askKernel()
  }

  /// The kernel accepted or refused our monitor.
  package mutating func kernelMonitor(isThere: Bool) -> [AdapterAction] {
    guard monitor == .asked || monitor == .kernel else { return [] }
    monitor = isThere ? .kernel : .unavailable
    return (isThere ? [] : [.warn(.noMonitor)]) + startIfArmed()
  }

  /// Another program removed our monitor from the kernel, as the daemon does whenever it starts.
  package mutating func kernelMonitorRemoved() -> [AdapterAction] {
    guard monitor == .kernel, state != .stopped else { return [] }
    return askKernel()
  }

  /// The kernel's discovery ended: what BlueZ refused because of it is tried again soon.
  ///
  /// After `bluetoothd` was killed, the kernel's discovery runs on for up to 10.24 s, and BlueZ answers `InProgress`.
  package mutating func kernelDiscoveryEnded(at time: Timestamp) -> [AdapterAction] {
    guard case .waiting(let until) = state, failure?.kind == .inProgress else { return [] }
    state = .waiting(until: min(until, time + Self.settlingTime))
    return []
  }

  /// Scanning ends.
  ///
  /// - Returns: The actions that undo the machine's actions.
  package mutating func stop() -> [AdapterAction] {
    var actions: [AdapterAction] = []
    switch state {
    case .starting, .scanning, .reviving, .restarting: actions.append(request(.stop))
    // The machine switched the adapter off, so it must switch it on again.
    case .cycling: if !isPowered { actions.append(request(.power(true))) }
    case .absent, .off, .asking, .filtering, .arming, .waiting, .stopped: break
    }
    switch monitor {
    case .askedAgain, .registered, .active: actions.append(request(.unregisterMonitor))
    case .kernel: actions.append(.removeKernelMonitor)
    case .asked: actions += [request(.unregisterMonitor), .removeKernelMonitor]
    case .none, .unavailable: break
    }
    state = .stopped
    monitor = .none
    return actions
  }
}
