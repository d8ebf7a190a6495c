// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

// Remedies for a deaf adapter: one that receives nothing although it should.

extension AdapterMachine {
  /// The host started or ended the adapter's scan.
  ///
  /// - Returns: Actions, if the adapter was deaf because it did not scan.
  package mutating func scans(_ isScanning: Bool, at time: Timestamp) -> [AdapterAction] {
    guard isScanning else {
      if restsSince == nil { restsSince = time }
      return []
    }
    restsSince = nil
    guard isDeafByRest, remedy != nil else { return [] }
    (remedy, isDeafByRest) = (nil, false)
    return emit(.listening) + [.warn(.receivesAgain)]
  }

  /// Whether the adapter scans is not known, since packets were lost.
  package mutating func forgetScan() { restsSince = nil }

  /// Whether discovery has run without a scan for too long at a time.
  func rests(at time: Timestamp) -> Bool {
    restsSince.map { time - max($0, discoversSince ?? $0) >= Self.restTimeout } ?? false
  }

  /// The adapter is deaf: the first remedy is to start discovery again.
  mutating func deafened(at time: Timestamp) -> [AdapterAction] {
    isDeafByRest = rests(at: time)
    remedy = .restart(until: time + deafness.restartPatience)
    return emit(.deaf) + [.warn(.deaf)] + restart()
  }

  /// Tries the next remedy, because the last one did not help in time.
  mutating func tryNext(after last: Remedy, at time: Timestamp) -> [AdapterAction] {
    switch last {
    case .restart where deafness.powerCycles && isPowered:
      remedy = .powerCycle(until: time + deafness.powerCyclePatience)
      attempt += 1
      state = .cycling(onAgainAt: nil)
      return [.warn(.powerCycled), request(.power(false))]
    case .restart, .powerCycle:
      remedy = AdapterMachine.Remedy.none(until: time + deafness.again)
      guard isCycling else { return [.warn(.stillDeaf)] }
      // The adapter was switched off and did not come on again, or did not go off at all.
      guard !isPowered else { return [.warn(.stillDeaf)] + begin(at: time) }
      state = .cycling(onAgainAt: nil)
      return [.warn(.stillDeaf), request(.power(true))]
    case .none:
      remedy = .restart(until: time + deafness.restartPatience)
      // If discovery does not run, its own deadlines apply.
      guard case .scanning = state else { return [] }
      return [.warn(.deaf)] + restart()
    }
  }

  /// The program was stalled until a time.
  ///
  /// So the adapter did not cause the silence, and the machine's knowledge of the transmitters is out of date.
  package mutating func stalled(until time: Timestamp) {
    lastReceived = max(lastReceived, time)
    judge.forget()
  }

  /// Forgets the machine's knowledge of the transmitters, because it is out of date.
  mutating func forgetDeafness() {
    (remedy, restsSince, isDeafByRest) = (nil, nil, false)
    judge.forget()
  }
}
