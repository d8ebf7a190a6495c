// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One region's state machine: what is heard goes in, crossings and determined states come out.
///
/// It has no clock. Its owner tells it every matching sighting and, in order of time, what else happened; between inputs it
/// looks at ``nextDeadline`` and tells ``timePassed(to:into:)``. Inputs at a time come before the deadline at that
/// time. Times never go back.
///
/// **Cost.** A region may match thousands of beacons, but "exit when all are gone" needs one moment only: the latest of *last heard +
/// exit time* over them all, with the beacon it belongs to. That moment never moves back for one beacon (a fixed exit time is
/// constant, a learned one shrinks no faster than time passes), so a running maximum is the maximum. A sighting is a
/// comparison and at most a copy of some 70 bytes. The owner touches its queue of deadlines only when a sighting says that the
/// deadline came forward; one that has been overtaken fires early, does nothing, and is set again from ``nextDeadline``. Only zones, where a beacon can also leave by
/// distance, remember each beacon in range, up to ``RegionConstants/zoneBeacons``.
///
/// **Law.** Unknown is never inside and never "left": while nothing can be heard, or the client may not know, the state is
/// unknown, nothing is concluded, and what comes after is a first determination that crosses nothing.
public struct RegionMachine: Sendable {
  /// The region.
  public let region: Region
  /// Its state.
  public internal(set) var state = RegionState.unknown
  /// What the state rests on.
  public internal(set) var origin = RegionStateOrigin.observed
  /// The beacon that will have kept the region inside last; `nil` outside, or while nothing but an assumption keeps it.
  public internal(set) var holder: RegionHolder?
  /// The matching reports since the region was entered, or towards entering it.
  public internal(set) var reports = 0

  let policy: RegionPolicy
  let exitTiming: ExitTiming
  /// Why nothing can be heard.
  var deafness: RegionStateReason?
  /// Why the client may not know.
  var withheld: RegionStateReason?
  /// While inside, when the last beacon will have been silent for its exit time; while unknown, when silence means outside.
  var due = Timestamp.latest
  /// Since when the clock that `due` ends has been running.
  var runningSince = Timestamp.earliest
  /// When the window of the enter policy began.
  var windowStart = Timestamp.earliest
  /// A matching beacon has been heard, but not in range.
  var receivedBeyond = false
  /// For a zone: the beacons in range.
  var inRange: [RegionHolder] = []

  /// Creates a machine that has not begun.
  public init(_ region: Region, policy: RegionPolicy) {
    self.region = region
    self.policy = policy
    exitTiming = region.exitTiming ?? policy.exitTiming
  }

  /// When the machine next wants to know that time has passed; `nil` when only an input can change anything.
  public var nextDeadline: Timestamp? { isClockRunning ? due : nil }

  var isClockRunning: Bool { state != .outside && mayKnow }

  /// Whether anything could be heard and the client may know it.
  var mayKnow: Bool { deafness == nil && withheld == nil }
}

// MARK: - Inputs

extension RegionMachine {
  /// Begins monitoring.
  ///
  /// A saved state that is too old, or of the future, is as good as none, and so is any while something keeps the state
  /// unknown.
  ///
  /// - Parameters:
  ///   - time: When.
  ///   - beginning: What is known of the state.
  ///   - deafness: Why nothing can be heard now; `nil` while a receiver listens.
  ///   - withheld: Why the client may not know now (`authorization`, `accuracy`); `nil` while it may.
  ///   - actions: Receives what is to be told.
  public mutating func began(
    at time: Timestamp,
    from beginning: RegionBeginning = .fresh,
    deafness: RegionStateReason? = nil,
    withheld: RegionStateReason? = nil,
    into actions: inout [RegionAction]
  ) {
    self.deafness = deafness
    self.withheld = withheld
    beginDetermination(at: time)
    if let cause = deafness ?? withheld {
      if policy.tellsUnknown { actions.append(.determined(.unknown, .observed, cause, at: time)) }
      return
    }
    switch beginning {
    case .fresh: return
    case .assumed(let assumed): assume(assumed, at: time, into: &actions)
    case .restored(let saved): restore(saved, at: time, into: &actions)
    }
  }

  /// A matching beacon was heard.
  ///
  /// - Parameters:
  ///   - sighting: What was heard; that it satisfies the region's constraint is the caller's business.
  ///   - intervals: What is known of the beacon's gaps, this sighting included.
  ///   - actions: Receives what is to be told.
  /// - Returns: Whether ``nextDeadline`` is now earlier than it was, or there was none.
  @discardableResult
  public mutating func sighted(
    _ sighting: RegionSighting,
    intervals: borrowing ArrivalIntervals,
    into actions: inout [RegionAction]
  ) -> Bool {
    guard mayKnow else { return false }
    if let zone = region.zone {
      let before = nextDeadline ?? .latest
      sighted(sighting, in: zone, intervals: intervals, into: &actions)
      return nextDeadline ?? .latest < before
    }
    if state == .inside { return keepInside(sighting, intervals: intervals) }
    guard isEnough(sighting) else { return false }
    let before = nextDeadline ?? .latest
    enter(sighting, intervals: intervals, reason: .heard, into: &actions)
    return due < before
  }

  /// No receiver listens any more, or for another reason than before.
  public mutating func receivingLost(
    _ reason: RegionStateReason,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    deafness = reason
    becomeUnknown(reason, at: time, into: &actions)
  }

  /// A receiver listens again.
  public mutating func receivingRegained(at time: Timestamp) {
    guard deafness != nil else { return }
    deafness = nil
    beginDetermination(at: time)
  }

  /// The client may no longer know: `authorization` or `accuracy`.
  public mutating func withheld(
    _ reason: RegionStateReason,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    withheld = reason
    becomeUnknown(reason, at: time, into: &actions)
  }

  /// The client may know again.
  public mutating func permitted(at time: Timestamp) {
    guard withheld != nil else { return }
    withheld = nil
    beginDetermination(at: time)
  }

  /// Time has come to this point with nothing heard before it that was not told.
  public mutating func timePassed(to time: Timestamp, into actions: inout [RegionAction]) {
    guard isClockRunning, due <= time else { return }
    if state == .inside {
      leave(.allSilent, allSilentExplanation(), at: due, into: &actions)
    } else {
      let reason = receivedBeyond ? RegionStateReason.leftRange : .nothingHeard
      // Reports counted towards entering go on counting, so this is not `become`.
      state = .outside
      receivedBeyond = false
      actions.append(.determined(.outside, .observed, reason, at: due))
    }
  }

  /// Nothing was recorded from one time to another (a paused capture, sleep): no silence there counts.
  public mutating func clockStoodStill(from start: Timestamp, to end: Timestamp) {
    guard isClockRunning else { return }
    let begin = max(start, runningSince)
    guard begin < end else { return }
    let span = end - begin
    due = due + span
    windowStart = windowStart + span
    holder?.due = due
    for index in inRange.indices { inRange[index].due = inRange[index].due + span }
  }

  /// Returns the answer to a client that asks for the state: what is known already, and out of use unknown.
  public func stateRequested(at time: Timestamp, inUse: Bool = true) -> RegionAction {
    inUse
      ? .determined(state, origin, .requested, at: time)
      : .determined(.unknown, .observed, .notInUse, at: time)
  }

  /// The screen turned on, which a region can ask to be told its state at.
  public func screenTurnedOn(at time: Timestamp, into actions: inout [RegionAction]) {
    guard region.notifyEntryStateOnDisplay, state == .inside else { return }
    actions.append(.determined(.inside, origin, .requested, at: time))
  }

  /// The engine ends; what is to be restored must have been saved before.
  public mutating func shutDown(at time: Timestamp, into actions: inout [RegionAction]) {
    withheld = .shutdown
    becomeUnknown(.shutdown, at: time, into: &actions)
  }

  /// Returns the region as a later run can take it up.
  public func saved(at time: Timestamp) -> SavedRegion {
    SavedRegion(
      region,
      state: state,
      savedAt: time,
      remaining: state == .inside ? due - time : nil,
      holder: state == .inside ? holder : nil,
      reports: reports
    )
  }
}
