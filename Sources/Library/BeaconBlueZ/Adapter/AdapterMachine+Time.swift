// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Beacons

// How the machine reacts when time passes.

extension AdapterMachine {
  /// The earliest time at which ``timePassed(to:)`` has something to do, if any.
  package var nextDeadline: Timestamp? {
    let ofState: Timestamp? =
      switch state {
      case .scanning(let deadline?): deadline
      case .scanning(nil): remedy == nil ? silenceDeadline : nil
      case .arming(let deadline), .reviving(let deadline), .waiting(let deadline): deadline
      case .cycling(let deadline): deadline
      case .absent, .off, .asking, .filtering, .starting, .restarting, .stopped: nil
      }
    var deadlines = [ofState]
    if state != .stopped { deadlines += [remedy?.deadline, interruptedUntil] }
    if case .registered(let deadline) = monitor { deadlines.append(deadline) }
    return deadlines.compactMap(\.self).min()
  }

  /// The time at which a continued silence has an effect.
  ///
  /// Either it shows that the adapter is deaf, or, if too little is known of the transmitters, the machine starts
  /// discovery again as a precaution.
  private var silenceDeadline: Timestamp {
    let rest = restsSince.map { max($0, discoversSince ?? $0) + Self.restTimeout }
    return [judge.nextDeadline, rest].compactMap(\.self).reduce(
      lastReceived + Self.silenceTimeout,
      min
    )
  }

  /// Time has passed.
  package mutating func timePassed(to time: Timestamp) -> [AdapterAction] {
    var actions: [AdapterAction] = []
    if case .registered(let deadline) = monitor, deadline <= time { actions += monitorReleased() }
    switch state {
    case .arming(let deadline) where deadline <= time: actions += startIfArmed()
    case .scanning(let deadline?) where deadline <= time: actions += revive(at: time)
    case .scanning(nil) where remedy == nil:
      if rests(at: time) || judge.timePassed(to: time) {
        actions += deafened(at: time)
      } else if lastReceived + Self.silenceTimeout <= time {
        actions += [.warn(.silent)] + restart()
      }
    case .reviving(let deadline) where deadline <= time:
      actions += failWithSession(.notDiscovering, at: time)
    case .waiting(let deadline) where deadline <= time: actions += begin(at: time)
    case .cycling(let deadline?) where deadline <= time:
      state = .cycling(onAgainAt: nil)
      actions.append(request(.power(true)))
    case .absent, .off, .asking, .filtering, .arming, .starting, .scanning, .reviving,
      .restarting, .cycling, .waiting, .stopped:
      break
    }
    if let remedy, remedy.deadline <= time, state != .stopped {
      actions += tryNext(after: remedy, at: time)
    }
    if let interruptedUntil, interruptedUntil <= time, state != .stopped {
      self.interruptedUntil = nil
      actions += emit(state == .absent ? .gone : .off)
    }
    return actions
  }
}
