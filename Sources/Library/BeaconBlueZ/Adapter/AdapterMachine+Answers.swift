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
    guard state != .stopped else { return answeredAfterStop(request, outcome) }
    // The call was made before the adapter was switched off, unplugged or started again, so its outcome no longer
    // matters. A monitor is independent of the sequence: what became of it is known from its own state.
    guard attempt == self.attempt || request == .registerMonitor else { return [] }
    switch request {
    case .askFilterKeys: return askedFilterKeys(outcome, at: time)
    case .registerMonitor: return registeredMonitor(outcome, at: time)
    // The registration after it shows whether it failed.
    case .unregisterMonitor: return []
    case .setFilter: return setFilter(outcome, at: time)
    case .start: return started(outcome, at: time)
    case .stop: return stopped()
    case .power: return switched(outcome, at: time)
    }
  }

  /// A call ended after the source did.
  ///
  /// BlueZ undoes the rest when the connection ends; only an adapter that was switched off stays so.
  private func answeredAfterStop(
    _ request: AdapterRequest,
    _ outcome: RequestOutcome
  ) -> [AdapterAction] {
    guard request == .power(true), !isPowered, case .failed(let failure) = outcome else {
      return []
    }
    return [.warn(.leftOff(failure))]
  }

  /// The call to switch the adapter off or on ended.
  private mutating func switched(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    guard case .failed(let failure) = outcome, isCycling else { return [] }
    // It may still be switched off later, and must then be switched on again: the remedy's deadline ends the wait.
    if failure == .noAnswer, isPowered { return [.warn(.failed(failure))] }
    guard isPowered else {
      // This machine switched it off, so it must come on again.
      state = .cycling(onAgainAt: time + backOff.wait())
      return [.warn(AdapterTrouble(failure))]
    }
    // It does not go off: no remedy is left.
    remedy = AdapterMachine.Remedy.none(until: time + deafness.again)
    return [.warn(AdapterTrouble(failure)), .warn(.stillDeaf)] + begin(at: time)
  }

  private mutating func askedFilterKeys(
    _ outcome: RequestOutcome,
    at time: Timestamp
  ) -> [AdapterAction] {
    guard state == .asking else { return [] }
    switch outcome {
    case .filterKeys(let keys): filter = DiscoveryFilter(known: keys)
    case .failed(let failure) where failure == .noAnswer || failure.kind != .transient:
      return fail(failure, at: time)
    // Old daemons do not know the call; any other problem will show in the answer to the next call.
    case .failed, .done: filter = .ofOldDaemons
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
      if case .failed(let failure) = outcome { return fail(failure, at: time) }
      state = .arming(until: time + Self.activationTimeout)
      return isMonitorSettled ? startIfArmed() : []
    case .reviving:
      // The property `Discovering` will show whether discovery runs again; a failure ends the wait for it.
      guard case .failed(let failure) = outcome else { return [] }
      return failWithSession(failure, at: time)
    case .absent, .off, .asking, .arming, .starting, .scanning, .restarting, .cycling, .waiting,
      .stopped:
      return []
    }
  }

  private mutating func started(_ outcome: RequestOutcome, at time: Timestamp) -> [AdapterAction] {
    guard state == .starting else { return [] }
    guard case .failed(let failure) = outcome else {
      state = .scanning(mustDiscoverBy: time + Self.discoveringTimeout)
      return isDiscovering ? listen(at: time) : []
    }
    guard failure.kind == .inProgress else { return fail(failure, at: time) }
    // Where discovery runs, this connection's session does. Otherwise the session is dead or missing, and another
    // program scans past BlueZ.
    return isDiscovering ? listen(at: time) : failWithSession(failure, at: time)
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
    guard monitor == .asked || monitor == .askedAgain else { return [] }
    guard case .failed(let failure) = outcome else {
      monitor = .registered(activateBy: time + Self.activationTimeout)
      return []
    }
    guard failure.kind == .alreadyExists, monitor == .asked else {
      return [.warn(.monitorRefused(failure))] + askKernel()
    }
    monitor = .askedAgain
    return [request(.unregisterMonitor), request(.registerMonitor)]
  }
}
