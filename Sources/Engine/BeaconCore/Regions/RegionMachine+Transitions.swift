// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// The transitions that several inputs share, and their explanations.

extension RegionMachine {
  /// Sets the state and resets the data of the earlier one.
  mutating func become(_ new: RegionState, _ newOrigin: RegionStateOrigin) {
    state = new
    origin = newOrigin
    if new != .inside {
      holder = nil
      reports = 0
      notEntered = nil
      inRange.removeAll(keepingCapacity: true)
    }
  }

  mutating func beginDetermination(at time: Timestamp) {
    become(.unknown, .observed)
    clock.becameUnknown()
    runningSince = time
    due = time + max(determination - interrupted, .zero)
  }

  /// How long the present determination has lasted at a time, in sum (row G27).
  func determined(at time: Timestamp) -> TimeSpan {
    isClockRunning ? interrupted + max(time - runningSince, .zero) : interrupted
  }

  /// How long nothing may be received until an unknown state is outside.
  ///
  /// If the state was inside, an exit would be delivered: it requires as long a silence as any learned exit. While
  /// receivers listen in turns, only gaps within a turn are learned, so the longest exit time is required.
  private var determination: TimeSpan {
    let shortest = policy.initialDetermination
    guard lastKnown == .inside else { return shortest }
    if interrupted > .zero { return max(shortest, lastExitTime ?? .zero, assumedExit.time) }
    guard case .learned = exitTiming, policy.deliversMissedCrossings else { return shortest }
    return max(shortest, lastExitTime ?? policy.learning.cap)
  }

  mutating func becomeUnknown(
    _ reason: RegionStateReason,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    let wasKnown = state != .unknown
    become(.unknown, .observed)
    clock.becameUnknown()
    if wasKnown, policy.deliversUnknown {
      actions.append(.determined(.unknown, .observed, reason, at: time))
    }
  }

  /// Returns whether the state was this one before it became unknown, and a change from it is to be delivered.
  func isMissed(since known: RegionState) -> Bool {
    policy.deliversMissedCrossings && state == .unknown && lastKnown == known
  }

  /// The reports that are required to enter.
  private var enterPolicy: EnterPolicy { region.enterPolicy ?? policy.enter }

  /// Counts a report towards entering, and returns whether the region is entered.
  mutating func isEnough(_ sighting: RegionSighting) -> Bool {
    let policy = enterPolicy
    guard policy.counts(rssi: sighting.rssi) else {
      notEntered = .tooWeak
      return false
    }
    notEntered = .tooFewReports
    if reports == 0 || sighting.time - windowStart > policy.window {
      windowStart = sighting.time
      reports = 0
    }
    reports &+= 1
    return reports >= policy.sightings
  }

  mutating func enter(
    _ sighting: RegionSighting,
    intervals: borrowing ArrivalIntervals,
    until newDue: Timestamp,
    reason: RegionStateReason,
    into actions: inout [RegionAction]
  ) {
    let isMissed = isMissed(since: .outside)
    let crosses = state == .outside || isMissed
    lastKnown = nil
    state = .inside
    origin = .observed
    notEntered = nil
    let entering = held(by: sighting, intervals: intervals, until: newDue)
    hold(entering, lastReceived: sighting.time)
    if region.zone != nil { inRange.append(entering) }
    if crosses, region.notifyOnEntry {
      actions.append(
        .entered(
          isMissed ? .whileUnknown : reason,
          enterExplanation(sighting, entering.interval),
          at: sighting.time
        )
      )
    }
    actions.append(.determined(.inside, .observed, reason, at: sighting.time))
    reports = 1
  }

  /// Returns when the region is left if no other sighting follows.
  @inline(__always)
  mutating func newDue(
    _ sighting: RegionSighting,
    intervals: borrowing ArrivalIntervals
  ) -> Timestamp {
    switch exitTiming {
    case .fixed(let time): sighting.time + time
    case .learned:
      clock.received(
        sighting.identity,
        intervals: intervals,
        at: sighting.time,
        policy.learning
      )
    }
  }

  @inline(__always)
  mutating func keepInside(
    _ sighting: RegionSighting,
    intervals: borrowing ArrivalIntervals,
    until newDue: Timestamp
  ) -> Bool {
    reports &+= 1
    origin = .observed
    // An assumed state has no holder, so the first beacon received becomes the holder. Otherwise the holder stays while
    // another beacon's exit time ends last.
    let isOwn = newDue == sighting.time + exitTime(intervals)
    guard newDue > due || holder == nil || clock.isCommon || newDue == due && isOwn else {
      return false
    }
    let before = due
    hold(held(by: sighting, intervals: intervals, until: newDue), lastReceived: sighting.time)
    return due < before
  }

  /// Returns the exit time if it must now be delivered that it is too short for beacons with these statistics: once only,
  /// when the region is entered again.
  mutating func exitTooShort(for intervals: borrowing ArrivalIntervals) -> ExitTiming? {
    guard !warnedOfCap, reports == 1 else { return nil }
    let own = intervals.rests.longestSilence
    let longest = silences.longest ?? own
    let isTooShort =
      switch exitTiming {
      case .fixed(let time): intervals.rests.areEvident && longest > time
      case .learned:
        region.zone != nil ? intervals.needsLongerCap : clock.needsLongerCap(intervals)
      }
    guard isTooShort else { return nil }
    warnedOfCap = true
    return exitTiming
  }

  mutating func hold(_ new: RegionHolder, lastReceived time: Timestamp) {
    holder = new
    due = new.due
    runningSince = time
  }

  mutating func leave(
    _ reason: RegionStateReason,
    _ why: Explanation,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    become(.outside, .observed)
    witnesses.forget()
    if region.notifyOnExit { actions.append(.exited(reason, why, at: time)) }
    actions.append(.determined(.outside, .observed, reason, at: time))
  }

  func exitTime(_ intervals: borrowing ArrivalIntervals) -> TimeSpan {
    switch exitTiming {
    case .fixed(let time): time
    case .learned: intervals.exitTime(policy.learning)
    }
  }

  /// The beacon received, as the one that keeps the region inside until a time.
  func held(
    by sighting: RegionSighting,
    intervals: borrowing ArrivalIntervals,
    until newDue: Timestamp
  ) -> RegionHolder {
    let exitTime = newDue - sighting.time
    var isLearned = intervals.isLearned
    if clock.isCommon { isLearned = true }
    let rule: Explanation.Rule =
      switch exitTiming {
      case .fixed: .fixedExit
      case .learned: isLearned ? .learnedExit : .unlearnedExit
      }
    return RegionHolder(
      identity: sighting.identity,
      rssi: sighting.rssi,
      power: sighting.power,
      distance: sighting.distance,
      interval: intervals.interval,
      exitTime: exitTime,
      rule: rule,
      due: newDue
    )
  }
}

// MARK: - Explanations

extension RegionMachine {
  func enterExplanation(_ sighting: RegionSighting, _ interval: TimeSpan?) -> Explanation {
    let threshold: (Explanation.Threshold, Explanation.Rule) =
      if let zone = region.zone {
        (.distance(meters: zone.enterWithin), .enterWithin)
      } else if enterPolicy.sightings > 1 {
        (.reports(enterPolicy.sightings), .enoughReports)
      } else {
        (.reports(1), .firstReport)
      }
    return Explanation(
      identity: sighting.identity,
      reports: reports,
      rssi: sighting.rssi,
      power: sighting.power,
      distance: sighting.distance,
      interval: interval,
      threshold: threshold.0,
      rule: threshold.1
    )
  }

  /// The silence equals the exit time: both leave out the time in which no receiver listened.
  func allSilentExplanation() -> Explanation {
    let assumed = assumedExit
    return Explanation(
      identity: holder?.identity,
      reports: reports,
      rssi: holder?.rssi,
      power: holder?.power,
      distance: holder?.distance,
      interval: holder?.interval,
      gap: holder?.exitTime ?? assumed.time,
      threshold: .silence(holder?.exitTime ?? assumed.time),
      rule: holder?.rule ?? assumed.rule
    )
  }

  /// The explanation of an exit that happened while the state was unknown.
  func silentExplanation() -> Explanation {
    let silence = determination
    return Explanation(
      identity: nil,
      reports: 0,
      gap: silence,
      threshold: .silence(silence),
      rule: .silentAfterUnknown
    )
  }

  /// The exit time while no beacon is known to keep the region inside.
  var assumedExit: (time: TimeSpan, rule: Explanation.Rule) {
    switch exitTiming {
    case .fixed(let time): (time, .fixedExit)
    case .learned: (policy.learning.cap, .unlearnedExit)
    }
  }
}

// MARK: - Initial states

extension RegionMachine {
  mutating func assume(
    _ assumed: RegionState,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    guard assumed != .unknown else { return }
    become(assumed, .assumed)
    if assumed == .inside { due = time + assumedExit.time }
    actions.append(.determined(assumed, .assumed, .assumed, at: time))
  }

  /// Keeps the knowledge of the state for the first determination after reception is regained.
  mutating func remember(_ beginning: RegionBeginning, at time: Timestamp) {
    switch beginning {
    case .fresh: return
    case .assumed(let assumed): lastKnown = assumed == .unknown ? nil : assumed
    case .restored(let saved):
      guard isValid(saved, at: time) else { return }
      silences = RegionSilences(saved.silences)
      guard saved.state == .unknown else { return lastKnown = saved.state }
      continueDetermination(saved)
    }
  }

  /// Continues the determination of an earlier run: a process that does not run listens to nothing (row G27).
  ///
  /// A file may contain anything, so the time is clamped.
  private mutating func continueDetermination(_ saved: SavedRegion) {
    lastKnown = saved.lastKnown
    interrupted = min(max(saved.determined, .zero), max(determination, assumedExit.time))
  }

  /// Keeps the knowledge of which receivers received the beacons of a region that was inside.
  mutating func restoreWitnesses(_ beginning: RegionBeginning, at time: Timestamp) {
    guard case .restored(let saved) = beginning, isValid(saved, at: time),
      saved.state == .inside || saved.state == .unknown && saved.lastKnown == .inside
    else { return }
    witnesses.restore(saved.receivedBy, at: time)
  }

  private func isValid(_ saved: SavedRegion, at time: Timestamp) -> Bool {
    let age = time - saved.savedAt
    return age >= .zero && age <= policy.restoredStateAge && saved.region == region
  }

  mutating func restore(
    _ saved: SavedRegion,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    guard isValid(saved, at: time) else { return }
    silences = RegionSilences(saved.silences)
    guard saved.state != .unknown else {
      // A region that was inside waits as long as after a loss of reception, which is what its exit explains.
      continueDetermination(saved)
      return beginDetermination(at: time)
    }
    become(saved.state, .restored)
    if saved.state == .inside {
      // The program received nothing while it was not running, so the exit clock stood still. A file may contain
      // anything: clamp the value.
      let longest = max(saved.holder?.exitTime ?? assumedExit.time, assumedExit.time)
      due = time + min(max(saved.remaining ?? longest, .zero), longest)
      holder = saved.holder
      holder?.due = due
      reports = max(saved.reports, 0)
      if region.zone != nil, let holder { inRange = [holder] }
    }
    if let saved = saved.clock { clock.restore(saved, at: time, policy.learning) }
    actions.append(.determined(saved.state, .restored, .restored, at: time))
  }
}
