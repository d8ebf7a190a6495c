// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

// Remedies for an adapter that hears nothing it should.

extension AdapterMachine {
  /// The adapter is deaf: the first remedy is to begin discovery anew.
  mutating func deafened(at time: Timestamp) -> [AdapterAction] {
    remedy = .restart(until: time + deafness.restartPatience)
    return tell(.deaf) + [.report(.deaf)] + restart()
  }

  /// A remedy has not helped in its time.
  mutating func tryNext(after last: Remedy, at time: Timestamp) -> [AdapterAction] {
    switch last {
    case .restart where deafness.powerCycles && isPowered:
      remedy = .powerCycle(until: time + deafness.powerCyclePatience)
      attempt += 1
      state = .cycling
      return [.report(.powerCycled), request(.power(false))]
    case .restart, .powerCycle:
      remedy = AdapterMachine.Remedy.none(until: time + deafness.again)
      guard state == .cycling else { return [.report(.stillDeaf)] }
      // Switched off and never on, or never off.
      return [.report(.stillDeaf)] + (isPowered ? begin(at: time) : [request(.power(true))])
    case .none:
      remedy = .restart(until: time + deafness.restartPatience)
      // Where discovery does not even run, others see to it.
      guard case .scanning = state else { return [] }
      return [.report(.deaf)] + restart()
    }
  }

  /// Nobody could hear what came: the silence was not the adapter's, and what was known of the air is of another time.
  package mutating func stoodStill(until time: Timestamp) {
    lastReceived = max(lastReceived, time)
    judge.forget()
  }

  /// What was known of the air is of another time.
  mutating func forgetDeafness() {
    remedy = nil
    judge.forget()
  }
}
