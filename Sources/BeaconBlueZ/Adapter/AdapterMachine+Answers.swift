// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

// What the machine does when a call has ended.

extension AdapterMachine {
  /// A call has ended.
  package mutating func answered(
    _ request: AdapterRequest,
    _ outcome: RequestOutcome,
    attempt: Int,
    at time: Timestamp
  ) -> [AdapterAction] {
    // Of a call before the adapter was switched off, was unplugged or started again: it no longer matters.
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

  /// The adapter cannot be switched off and on: no remedy is left.
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
      // `Discovering` shows whether discovery runs again; a failure ends the wait for it.
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
      // We have a session already; if it is dead, starting alone does not revive it.
      return isDiscovering ? listen(at: time) : restart()
    case .filterKeys, .notReady, .blocked, .alreadyExists, .notPermitted, .failed:
      return fail(outcome, at: time)
    }
  }

  /// Discovery was stopped; if that failed and there is still a session, the answer to the start shows it.
  private mutating func stopped() -> [AdapterAction] {
    guard state == .restarting else { return [] }
    state = .filtering
    return [request(.setFilter(filter))]
  }

  private mutating func registeredMonitor(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    // The monitor may have been activated before the answer came.
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
