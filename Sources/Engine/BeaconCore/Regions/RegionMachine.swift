// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The state machine of one region: it processes sightings and returns crossings and determined states.
///
/// It has no clock. The caller passes every matching sighting and every other input in order of time; between inputs it
/// checks ``nextDeadline`` and calls ``timePassed(to:into:)``. Inputs at a time come before the deadline at that time.
/// Times never go back.
///
/// **Cost.** A region may match thousands of beacons, but "exit when all are gone" needs only one time: the latest
/// *last report + exit time* of all of them, with its beacon. That time never moves back for one beacon (a fixed exit
/// time is constant, a learned one shrinks no faster than time passes), so a running maximum is the maximum; while
/// several beacons are present, a shorter time can follow from their common silences (`ExitClock`). A sighting takes
/// a few comparisons and at most a copy of about 70 bytes. The caller changes its queue of deadlines only when a
/// sighting makes the deadline earlier; a deadline that has moved to a later time fires early, has no effect, and is
/// set again from ``nextDeadline``. Only zones, which a beacon can also leave by distance, remember each beacon in
/// range, up to ``RegionConstants/zoneBeacons``.
///
/// **Law.** Unknown is never inside and never "left": while reception is lost, or the client may not know, the state is
/// unknown and nothing is concluded. The next determination is a first one, which crosses no boundary; but if the
/// policy asks for it, a state that differs from the one before reception was lost is a crossing.
package struct RegionMachine: Sendable {
  /// The region.
  package let region: Region
  /// Its state.
  package internal(set) var state = RegionState.unknown
  /// The origin of the state.
  package internal(set) var origin = RegionStateOrigin.observed
  /// The beacon whose exit time ends last; `nil` outside, or while the region is only assumed to be inside.
  package internal(set) var holder: RegionHolder?
  /// The matching reports since the region was entered, or towards entering it.
  package internal(set) var reports = 0

  private(set) var policy: RegionPolicy
  private(set) var exitTiming: ExitTiming
  /// The last known state, while the state is unknown because reception is lost; `nil` before the first determination,
  /// and after a time in which the client might not know the state.
  var lastKnown: RegionState?
  /// The exit time when the state was last known to be inside; `nil` if that was another run.
  var lastExitTime: TimeSpan?
  /// Why reception is lost.
  var deafness: RegionStateReason?
  /// Whether only the receivers that received its beacons are lost: a report of any other one ends that.
  private(set) var hasLostWitnesses = false
  var witnesses = RegionWitnesses()
  /// Why the client may not know.
  var withheld: RegionStateReason?
  /// The state that was delivered to the client last; `nil` before the first, and after a time in which it might not
  /// know the state.
  package var told: RegionState?
  /// While inside, when the exit time of the last beacon ends; while unknown, when silence means outside.
  var due = Timestamp.latest
  /// The earliest time at which the engine's queue has the region; `nil` if it does not have it.
  var queued: Timestamp?
  /// Since when the clock up to `due` has been running, later by the gaps since then.
  var runningSince = Timestamp.earliest
  /// How long a determination ran before reception was lost in it (row G27).
  var interrupted = TimeSpan.zero
  /// The start of the enter policy's window.
  var windowStart = Timestamp.earliest
  /// Why the last matching report did not enter the region; `nil` without one.
  var notEntered: RegionStateReason?
  /// For a learned exit time without a zone: when the region is left.
  var clock = ExitClock()
  /// Whether it was delivered that a longer cap is needed.
  var warnedOfCap = false
  /// Without a zone: the silences of all its beacons together, of which those beyond the cap count.
  var silences = RegionSilences()
  /// For a zone: the beacons in range.
  var inRange: [RegionHolder] = []
  /// For a region with a place: the knowledge of its beacons' places.
  var whereabouts = PlaceWhereabouts()

  /// Creates a state machine that has not started.
  package init(_ region: Region, policy: RegionPolicy) {
    self.region = region
    self.policy = policy
    exitTiming = region.exitTiming ?? policy.exitTiming
  }

  /// Continues with other rules, from the next report on.
  ///
  /// A region whose exit time is learned stays one until it is registered again, and so does one whose exit time is
  /// fixed: the knowledge of the beacons that hold it is of one kind.
  package mutating func reconfigure(_ policy: RegionPolicy) {
    self.policy = policy
    guard region.exitTiming == nil else { return }
    switch (exitTiming, policy.exitTiming) {
    case (.fixed, .fixed):
      exitTiming = policy.exitTiming
      // The next report holds the region, also where its time ends before that of the last one.
      if region.zone == nil { holder = nil }
    default: break
    }
  }

  /// The next time at which ``timePassed(to:into:)`` has an effect; `nil` when only an input can change the state.
  package var nextDeadline: Timestamp? { isClockRunning ? due : nil }

  /// Silence does not determine a place, so a region with one has no clock.
  var isClockRunning: Bool { state != .outside && mayKnow && region.place == nil }

  /// Whether reception is possible and the client may know the state.
  var mayKnow: Bool { deafness == nil && withheld == nil }
}

// MARK: - Inputs

extension RegionMachine {
  /// Starts monitoring.
  ///
  /// A saved state that is too old, or in the future, is ignored; so is any saved state while something makes the state
  /// unknown.
  ///
  /// - Parameters:
  ///   - time: The time of the start.
  ///   - beginning: The knowledge of the state.
  ///   - deafness: Why reception is lost now; `nil` while a receiver listens.
  ///   - receivers: The receivers: those that received the beacons of a saved state may not be among them.
  ///   - withheld: Why the client may not know now (`authorization`, `accuracy`); `nil` while it may.
  ///   - actions: Receives the actions.
  package mutating func began(
    at time: Timestamp,
    from beginning: RegionBeginning = .fresh,
    deafness: RegionStateReason? = nil,
    among receivers: ReceiverStates = ReceiverStates(),
    withheld: RegionStateReason? = nil,
    into actions: inout [RegionAction]
  ) {
    if withheld == nil { restoreWitnesses(beginning, at: time) }
    let own = witnesses.loss(receivers, within: witnessWindow)
    hasLostWitnesses = deafness == nil && own != nil
    self.deafness = deafness ?? own
    self.withheld = withheld
    beginDetermination(at: time)
    // Whether nothing is received may follow from reports, of which a client from which the state is withheld may not know.
    if let cause = withheld ?? self.deafness {
      if policy.deliversUnknown {
        actions.append(.determined(.unknown, .observed, cause, at: time))
      }
      if withheld == nil { remember(beginning, at: time) }
      return
    }
    switch beginning {
    case .fresh: return
    case .assumed(let assumed): assume(assumed, at: time, into: &actions)
    case .restored(let saved): restore(saved, at: time, into: &actions)
    }
  }

  /// Processes the sighting of a matching beacon.
  ///
  /// - Parameters:
  ///   - sighting: The sighting; the caller has checked that it satisfies the region's constraint.
  ///   - intervals: The statistics of the beacon's gaps, this sighting included.
  ///   - actions: Receives the actions.
  /// - Returns: Whether ``nextDeadline`` is now earlier than it was, or is the first.
  @discardableResult
  package mutating func sighted(
    _ sighting: RegionSighting,
    intervals: borrowing ArrivalIntervals,
    into actions: inout [RegionAction]
  ) -> Bool {
    let wasLost = hasLostWitnesses
    if wasLost { receivingRegained(at: sighting.time) }
    guard mayKnow else { return false }
    witnesses.received(by: sighting.receiver, at: sighting.time)
    return processSighting(sighting, intervals: intervals, into: &actions) || wasLost
  }

  @inline(__always)
  private mutating func processSighting(
    _ sighting: RegionSighting,
    intervals: borrowing ArrivalIntervals,
    into actions: inout [RegionAction]
  ) -> Bool {
    if let zone = region.zone {
      let before = nextDeadline ?? .latest
      sighted(sighting, in: zone, intervals: intervals, into: &actions)
      return nextDeadline ?? .latest < before
    }
    silences.received(at: sighting.time, policy.learning)
    let newDue = newDue(sighting, intervals: intervals)
    if state == .inside { return keepInside(sighting, intervals: intervals, until: newDue) }
    guard isEnough(sighting) else { return false }
    let before = nextDeadline ?? .latest
    enter(sighting, intervals: intervals, until: newDue, reason: .received, into: &actions)
    return due < before
  }

  /// Processes another state of a receiver.
  ///
  /// While the region is inside, or was when reception was lost, a receiver that did not receive its beacons before cannot
  /// show by its silence that they are gone.
  mutating func receptionChanged(
    _ receivers: ReceiverStates,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    let isInside = state == .inside || state == .unknown && lastKnown == .inside
    let own = isInside ? witnesses.loss(receivers, within: witnessWindow) : nil
    let loss = receivers.deafness ?? own
    if let loss, loss != deafness {
      receivingLost(loss, at: time, into: &actions)
    } else if loss == nil {
      receivingRegained(at: time)
    }
    hasLostWitnesses = receivers.deafness == nil && own != nil
  }

  /// How long before the last report a receiver may have received a beacon, to show by its silence that it is gone.
  private var witnessWindow: TimeSpan { holder?.exitTime ?? lastExitTime ?? assumedExit.time }

  /// Processes the loss of reception, or another reason for it.
  package mutating func receivingLost(
    _ reason: RegionStateReason,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    if state != .unknown {
      (lastKnown, interrupted) = (state, .zero)
    } else {
      interrupted = determined(at: time)
    }
    if deafness == nil { silences.lost(at: time) }
    deafness = reason
    if state == .inside { lastExitTime = holder?.exitTime }
    becomeUnknown(reason, at: time, into: &actions)
  }

  /// Processes that a receiver listens again.
  package mutating func receivingRegained(at time: Timestamp) {
    guard deafness != nil else { return }
    (deafness, hasLostWitnesses) = (nil, false)
    silences.regained(at: time)
    beginDetermination(at: time)
  }

  /// Processes that the client may no longer know the state: `authorization`, `accuracy` or `serviceSession`.
  ///
  /// It learns so only of a state that was delivered to it: a state determined while it was not in use would show received beacons.
  package mutating func withheld(
    _ reason: RegionStateReason,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    withheld = reason
    if hasLostWitnesses { (deafness, hasLostWitnesses) = (nil, false) }
    witnesses.forget()
    (lastKnown, interrupted) = (nil, .zero)
    silences.forgetLast()
    become(.unknown, .observed)
    clock.becameUnknown()
    let knew = isToldKnown
    told = nil
    if knew, policy.deliversUnknown {
      actions.append(.determined(.unknown, .observed, reason, at: time))
    }
  }

  /// Processes that the client may know the state again.
  package mutating func permitted(at time: Timestamp) {
    guard withheld != nil else { return }
    withheld = nil
    beginDetermination(at: time)
  }

  /// Processes the passing of time; all sightings up to this time must have been processed.
  package mutating func timePassed(to time: Timestamp, into actions: inout [RegionAction]) {
    guard isClockRunning, due <= time else { return }
    if state == .inside {
      leave(.allSilent, allSilentExplanation(), at: due, into: &actions)
    } else {
      let reason = notEntered ?? .nothingReceived
      if isMissed(since: .inside), region.notifyOnExit {
        actions.append(.exited(.whileUnknown, silentExplanation(), at: due))
      }
      lastKnown = nil
      witnesses.forget()
      // Reports counted towards entering continue to count, so this is not `become`.
      state = .outside
      notEntered = nil
      actions.append(.determined(.outside, .observed, reason, at: due))
    }
  }

  /// Processes a gap (a paused capture, sleep): its silence does not count.
  package mutating func clockStoodStill(from start: Timestamp, to end: Timestamp) {
    clock.stoodStill(for: max(end - start, .zero))
    silences.stoodStill(for: max(end - start, .zero))
    guard isClockRunning else { return }
    let begin = max(start, runningSince)
    guard begin < end else { return }
    let span = end - begin
    due = due + span
    runningSince = runningSince + span
    windowStart = windowStart + span
    holder?.due = due
    for index in inRange.indices { inRange[index].due = inRange[index].due + span }
  }

  /// Returns the answer to a client's request for the state: the known state; unknown when the client is not in use.
  package func stateRequested(at time: Timestamp, inUse: Bool = true) -> RegionAction {
    inUse
      ? .determined(state, origin, .requested, at: time)
      : .determined(.unknown, .observed, .notInUse, at: time)
  }

  /// Processes that the client registers the same region again: it learns the state as if monitoring started.
  func registeredAgain(at time: Timestamp, into actions: inout [RegionAction]) {
    if state != .unknown {
      actions.append(.determined(state, origin, .registeredAgain, at: time))
    } else if let cause = withheld ?? deafness, policy.deliversUnknown {
      actions.append(.determined(.unknown, .observed, cause, at: time))
    }
  }

  /// Processes that the client is in use again: it learns a state that differs from the last one delivered to
  /// it, as a state and never as a crossing (row D8).
  package func resumed(at time: Timestamp, into actions: inout [RegionAction]) {
    if state == .unknown {
      guard policy.deliversUnknown, isToldKnown else { return }
      actions.append(.determined(.unknown, .observed, deafness ?? .resumed, at: time))
    } else if state != told {
      actions.append(.determined(state, origin, .resumed, at: time))
    }
  }

  /// Whether the state that was delivered last is a known one.
  private var isToldKnown: Bool { told == .inside || told == .outside }

  /// Returns whether anything is known of the state.
  var isKnown: Bool { state != .unknown || lastKnown != nil }

  /// Processes that the screen turned on, for which a region can request its state.
  package func screenTurnedOn(at time: Timestamp, into actions: inout [RegionAction]) {
    guard region.notifyEntryStateOnDisplay, state == .inside else { return }
    actions.append(.determined(.inside, origin, .requested, at: time))
  }

  /// Processes the end of the engine; the state to restore must have been saved before.
  package mutating func shutDown(at time: Timestamp, into actions: inout [RegionAction]) {
    withheld = .shutdown
    lastKnown = nil
    becomeUnknown(.shutdown, at: time, into: &actions)
  }

  /// Returns the region for a later run to restore.
  package func saved(
    at time: Timestamp,
    receivers: ReceiverStates = ReceiverStates()
  ) -> SavedRegion {
    SavedRegion(
      region,
      state: state,
      lastKnown: lastKnown,
      savedAt: time,
      remaining: state == .inside && region.place == nil ? due - time : nil,
      holder: state == .inside ? holder : nil,
      reports: reports,
      clock: state == .unknown ? nil : clock.saved(at: time),
      determined: state == .unknown ? determined(at: time) : .zero,
      receivedBy: witnesses.names(receivers, within: witnessWindow),
      silences: silences.rests
    )
  }
}
