// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

// How calls of the adapter ended.

extension AdapterMachine {
  /// A call has ended.
  package mutating func answered(
    _ request: AdapterRequest,
    _ outcome: RequestOutcome,
    attempt: Int,
    at time: Timestamp
  ) -> [AdapterAction] {
    // Before the adapter went off or away, or was asked anew: nobody waits for this answer any more.
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

  /// The adapter did not let itself be switched: all there is left is to say so.
  private mutating func powerRefused(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    guard state == .cycling, isPowered else { return [] }
    remedy = AdapterMachine.Remedy.none(until: time + deafness.again)
    return [.report(.stillDeaf)] + begin(at: time)
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
      // Whether it revived is told by `Discovering`; a failure ends the wait for it.
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
      // We hold a session already; where it is a dead one, starting alone does not wake it.
      return isDiscovering ? listen(at: time) : restart()
    case .filterKeys, .notReady, .blocked, .alreadyExists, .notPermitted, .failed:
      return fail(outcome, at: time)
    }
  }

  /// However stopping ended, there is no session now, or the start will say so.
  private mutating func stopped() -> [AdapterAction] {
    guard state == .restarting else { return [] }
    state = .filtering
    return [request(.setFilter(filter))]
  }

  private mutating func registeredMonitor(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    // It may have been activated before the answer came.
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
