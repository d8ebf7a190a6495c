// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

// How the machine reacts when a call ends.

extension AdapterMachine {
  /// A call ended.
  package mutating func answered(
    _ request: AdapterRequest,
    _ outcome: RequestOutcome,
    attempt: Int,
    at time: Timestamp
  ) -> [AdapterAction] {
    // The call was made before the adapter was switched off, unplugged or started again, so its outcome no longer
    // matters.
    guard attempt == self.attempt, state != .stopped else { return [] }
    switch request {
    case .askFilterKeys: return askedFilterKeys(outcome, at: time)
    case .registerMonitor: return registeredMonitor(outcome, at: time)
    case .unregisterMonitor: return []
    case .setFilter: return setFilter(outcome, at: time)
    case .start: return started(outcome, at: time)
    case .stop: return stopped()
    case .power: return outcome == .done ? [] : powerRefused(outcome, at: time)
    }
  }

  /// Switching the adapter off or on failed: no remedy is left.
  private mutating func powerRefused(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    guard state == .cycling, isPowered else { return [] }
    remedy = AdapterMachine.Remedy.none(until: time + deafness.again)
    return [.warn(.stillDeaf)] + begin(at: time)
  }

  private mutating func askedFilterKeys(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    guard state == .asking else { return [] }
    switch outcome {
    case .filterKeys(let keys): filter = DiscoveryFilter(known: keys)
    case .failed: filter = .ofOldDaemons
    case .done, .inProgress, .alreadyExists: filter = .ofOldDaemons
    case .notReady, .blocked, .notPermitted: return fail(outcome, at: time)
    }
    state = .filtering
    return askForMonitor() + [request(.setFilter(filter))]
  }

  private mutating func setFilter(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    switch state {
    case .filtering:
      guard outcome == .done else { return fail(outcome, at: time) }
      state = .arming(until: time + Self.activationTimeout)
      return isMonitorSettled ? startIfArmed() : []
    case .reviving:
      // The property `Discovering` will show whether discovery runs again; a failure ends the wait for it.
      return outcome == .done ? [] : restart()
    case .absent, .off, .asking, .arming, .starting, .scanning, .restarting, .cycling, .waiting,
      .stopped:
      return []
    }
  }

  private mutating func started(_ outcome: RequestOutcome, at time: Timestamp) -> [AdapterAction] {
    guard state == .starting else { return [] }
    switch outcome {
    case .done:
      retry = Self.shortestRetry
      state = .scanning(mustDiscoverBy: time + Self.discoveringTimeout)
      return isDiscovering ? listen(at: time) : []
    case .inProgress:
      // The connection already has a session; if the session is dead, starting again does not revive it.
      return isDiscovering ? listen(at: time) : restart()
    case .filterKeys, .notReady, .blocked, .alreadyExists, .notPermitted, .failed:
      return fail(outcome, at: time)
    }
  }

  /// The call to stop discovery ended.
  ///
  /// If it failed and the session still exists, the answer to the next start shows it.
  private mutating func stopped() -> [AdapterAction] {
    guard state == .restarting else { return [] }
    state = .filtering
    return [request(.setFilter(filter))]
  }

  private mutating func registeredMonitor(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    // The monitor may have been activated before the answer was received.
    guard monitor == .asked else { return [] }
    switch outcome {
    case .done, .alreadyExists:
      monitor = .registered(activateBy: time + Self.activationTimeout)
      return outcome == .done ? [] : [request(.unregisterMonitor), request(.registerMonitor)]
    case .filterKeys, .inProgress, .notReady, .blocked, .notPermitted, .failed:
      return askKernel()
    }
  }
}
