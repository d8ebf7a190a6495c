// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Decides what to do next about one adapter, so that it hears all it can, whatever happens to it.
///
/// It makes no call and reads no clock: what happened comes in, what to do goes out. Adapters are told apart by their
/// addresses, since the number in the path changes when one is plugged in again.
package struct AdapterMachine: Sendable, Equatable {
  /// How long BlueZ may take from a started discovery, or a filter set again, to saying that it discovers: a healthy
  /// one takes milliseconds, and each second is one without ranging.
  static let discoveringTimeout = TimeSpan.seconds(2)
  /// How long a registered monitor may take to be activated (bluez.md 1.5): the kernel's refusal is told to nobody.
  static let activationTimeout = TimeSpan.seconds(2)
  /// How long an adapter may hear no device at all before its discovery is started anew, as Home Assistant does.
  static let silenceTimeout = TimeSpan.seconds(90)
  /// The first wait after a call that failed.
  static let shortestRetry = TimeSpan.seconds(1)
  /// The longest wait after calls that keep failing.
  static let longestRetry = TimeSpan.seconds(30)

  private enum State: Sendable, Equatable {
    /// The adapter or its daemon is not there.
    case absent
    /// The adapter is there and not powered.
    case off
    /// The daemon was asked which filter keys it knows.
    case asking
    /// The filter is being set; discovery is to be started next.
    case filtering
    /// The filter is set; discovery waits until it is known, by a time, whether there is a monitor.
    ///
    /// A scan that begins before its monitor filters duplicates until the kernel begins it anew, some ten seconds.
    case arming(until: Timestamp)
    /// Discovery is being started.
    case starting
    /// Our session is there; the daemon must say by a time that it discovers, unless it has.
    case scanning(mustDiscoverBy: Timestamp?)
    /// Discovery stopped without us; the filter was set again, which revives it (bluez.md 1.6).
    case reviving(until: Timestamp)
    /// Discovery is being stopped, to be started anew.
    case restarting
    /// The adapter is being switched off, to be switched on again.
    case cycling
    /// A call failed; all is tried again at a time.
    case waiting(until: Timestamp)
    /// We want nothing more.
    case stopped
  }

  private enum Monitor: Sendable, Equatable {
    /// There is none.
    case none
    /// It was asked for, of the daemon or of the kernel.
    case asked
    /// The daemon has it, and must activate it by a time.
    case registered(activateBy: Timestamp)
    /// The daemon activated it.
    case active
    /// The kernel has it.
    case kernel
    /// Nobody takes it.
    case unavailable
  }

  /// How far the remedies of deafness have come, and until when the last one may take to help.
  enum Remedy: Sendable, Equatable {
    /// Discovery is begun anew.
    case restart(until: Timestamp)
    /// The adapter is switched off and on.
    case powerCycle(until: Timestamp)
    /// All was tried; it is tried again at a time.
    case none(until: Timestamp)

    var deadline: Timestamp {
      switch self {
      case .restart(let time), .powerCycle(let time), .none(let time): time
      }
    }
  }

  private let deafness: DeafnessConfiguration
  private var judge: DeafnessJudge
  /// `nil` while the adapter is not deaf.
  private var remedy: Remedy?
  private var state = State.absent
  private var monitor = Monitor.none
  private var isDiscovering = false
  private var takesMonitors = false
  private var filter = DiscoveryFilter.ofOldDaemons
  private var told: RadioState?
  private var lastHeard = Timestamp.earliest
  private var retry = AdapterMachine.shortestRetry
  /// Counts the times all was begun, so that an answer to a call of an earlier time is known as such.
  private(set) var attempt = 0
  /// The object's path, while the adapter is there.
  package private(set) var path: String?
  /// Whether the adapter is powered.
  package private(set) var isPowered = false

  /// Creates the machine of an adapter that is not there yet.
  ///
  /// - Parameters:
  ///   - deafness: When the adapter is deaf, and what is done about it.
  ///   - families: The UUIDs that somebody waits for; `nil` where nobody knows.
  package init(
    _ deafness: DeafnessConfiguration = DeafnessConfiguration(),
    families: Set<UInt128>? = nil
  ) {
    self.deafness = deafness
    judge = DeafnessJudge(deafness, families: families)
  }

  /// Whether discovery runs and reports can come; from a deaf adapter, too.
  package var isListening: Bool { told == .listening || told == .deaf }
}

// MARK: - What happened

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
  ///   - family: The UUID of the beacon that it is of; `nil` for any other device.
  ///   - time: When.
  /// - Returns: What a deaf adapter's owner must do, now that it hears.
  @discardableResult
  package mutating func heard(
    from address: DeviceAddress? = nil,
    family: UInt128? = nil,
    at time: Timestamp
  ) -> [AdapterAction] {
    lastHeard = time
    judge.heard(from: address, family: family, at: time)
    guard remedy != nil else { return [] }
    remedy = nil
    return tell(.listening) + [.report(.hearsAgain)]
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

// MARK: - Answers

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

// MARK: - Time

extension AdapterMachine {
  /// The earliest time at which ``timePassed(to:)`` can do anything; `nil` when it cannot.
  package var nextDeadline: Timestamp? {
    let ofState: Timestamp? =
      switch state {
      case .scanning(let deadline?): deadline
      case .scanning(nil): remedy == nil ? silenceDeadline : nil
      case .arming(let deadline), .reviving(let deadline), .waiting(let deadline): deadline
      case .absent, .off, .asking, .filtering, .starting, .restarting, .cycling, .stopped: nil
      }
    var deadlines = [ofState, state == .stopped ? nil : remedy?.deadline]
    if case .registered(let deadline) = monitor { deadlines.append(deadline) }
    return deadlines.compactMap(\.self).min()
  }

  /// When silence means something: that the adapter is deaf, or, where too little is known of the air to say so, that
  /// discovery is better begun anew.
  private var silenceDeadline: Timestamp {
    let silent = lastHeard + Self.silenceTimeout
    return judge.nextDeadline.map { min($0, silent) } ?? silent
  }

  /// Time has passed.
  package mutating func timePassed(to time: Timestamp) -> [AdapterAction] {
    var actions: [AdapterAction] = []
    if case .registered(let deadline) = monitor, deadline <= time { actions += monitorReleased() }
    switch state {
    case .arming(let deadline) where deadline <= time: actions += startIfArmed()
    case .scanning(let deadline?) where deadline <= time: actions += revive(at: time)
    case .scanning(nil) where remedy == nil:
      if judge.timePassed(to: time) {
        actions += deafened(at: time)
      } else if lastHeard + Self.silenceTimeout <= time {
        actions += [.report(.silent)] + restart()
      }
    case .reviving(let deadline) where deadline <= time: actions += restart()
    case .waiting(let deadline) where deadline <= time: actions += begin(at: time)
    case .absent, .off, .asking, .filtering, .arming, .starting, .scanning, .reviving,
      .restarting, .cycling, .waiting, .stopped:
      break
    }
    if let remedy, remedy.deadline <= time, state != .stopped {
      actions += tryNext(after: remedy, at: time)
    }
    return actions
  }
}

// MARK: - Deafness

extension AdapterMachine {
  /// The adapter is deaf: the first remedy is to begin discovery anew.
  private mutating func deafened(at time: Timestamp) -> [AdapterAction] {
    remedy = .restart(until: time + deafness.restartPatience)
    return tell(.deaf) + [.report(.deaf)] + restart()
  }

  /// A remedy has not helped in its time.
  private mutating func tryNext(after last: Remedy, at time: Timestamp) -> [AdapterAction] {
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

  /// What was known of the air is of another time.
  private mutating func forgetDeafness() {
    remedy = nil
    judge.forget()
  }
}

// MARK: - Steps

extension AdapterMachine {
  private func request(_ request: AdapterRequest) -> AdapterAction {
    .request(request, attempt: attempt)
  }

  private mutating func tell(_ radio: RadioState) -> [AdapterAction] {
    guard told != radio else { return [] }
    told = radio
    return [.tell(radio)]
  }

  private mutating func begin(at time: Timestamp) -> [AdapterAction] {
    attempt += 1
    state = .asking
    // A deaf adapter stays deaf while it is being mended.
    return (remedy == nil ? tell(.off) : []) + [request(.askFilterKeys)]
  }

  private mutating func off() -> [AdapterAction] {
    attempt += 1
    state = .off
    return tell(.off)
  }

  private mutating func listen(at time: Timestamp) -> [AdapterAction] {
    state = .scanning(mustDiscoverBy: nil)
    lastHeard = time
    // What it heard before it was off says nothing of what it should hear now.
    if told != .listening { judge.forget() }
    return tell(remedy == nil ? .listening : .deaf)
  }

  /// Whether it is known if there is a monitor.
  private var isMonitorSettled: Bool {
    switch monitor {
    case .asked, .registered: false
    case .none, .active, .kernel, .unavailable: true
    }
  }

  /// Starts discovery, if all that it waited for was the monitor.
  private mutating func startIfArmed() -> [AdapterAction] {
    guard case .arming = state else { return [] }
    state = .starting
    return [request(.start)]
  }

  private mutating func revive(at time: Timestamp) -> [AdapterAction] {
    state = .reviving(until: time + Self.discoveringTimeout)
    return tell(.off) + [.report(.discoveryStopped), request(.setFilter(filter))]
  }

  private mutating func restart() -> [AdapterAction] {
    state = .restarting
    return [request(.stop)]
  }

  private mutating func fail(_ outcome: RequestOutcome, at time: Timestamp) -> [AdapterAction] {
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

  private mutating func askForMonitor() -> [AdapterAction] {
    guard monitor == .none || monitor == .unavailable else { return [] }
    guard takesMonitors else { return askKernel() }
    monitor = .asked
    return [request(.registerMonitor)]
  }

  private mutating func askKernel() -> [AdapterAction] {
    monitor = .asked
    return [.addKernelMonitor]
  }
}
