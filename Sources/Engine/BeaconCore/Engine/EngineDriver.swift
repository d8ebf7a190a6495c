// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Runs an engine; it owns the engine, the current batch and the scheduled user actions.
///
/// It takes no closure and never waits. ``next()`` returns the next step; the runner performs it and asks again:
///
/// ```swift
/// while true {
///   switch driver.next() {
///   case .deliver(let deliveries): // let the program answer with requests, then show the deliveries
///   case .record(let slice): // write it
///   case .willPerform: // read the snapshots of clients
///   case .recordAction(let action): // write it
///   case .pull(let time): // supply(_:) a batch, or endSource(_:)
///   case .sourceEnded(let time): // end the recording, save the clients; drain() to continue
///   case .ended: return
///   }
/// }
/// ```
///
/// Every due deadline before a user action is delivered, and can be answered, before the action. Recording does not change
/// the deliveries. The driver cannot be copied: requests to a copy would be lost.
package struct EngineDriver: ~Copyable, Sendable {
  /// The next thing for the runner to do.
  package enum Step: Sendable {
    /// Let the program answer these deliveries, then pass them to others. Requests made now take effect at this time.
    case deliver([Delivery])
    /// Inputs were admitted: before the next user action, and at the end of a batch. Only given when slices are kept.
    case record(ScanSlice)
    /// A user action is performed next, and every due deadline before it has been delivered. A runner that observes a client
    /// reads its snapshot now, because some changes are not delivered, such as a client that is not in use any more.
    case willPerform(TimedUserAction)
    /// A user action was performed at this time. This step precedes the deliveries that the action caused.
    case recordAction(TimedUserAction)
    /// The driver needs inputs and has released its batch. Something is due at the time, if one is given. The runner
    /// may call ``EngineDriver/next()`` again before it has inputs.
    case pull(until: Timestamp?)
    /// The source ended at this time of the timeline, and every due deadline by then has been delivered.
    case sourceEnded(at: Timestamp)
    /// There is nothing more to do.
    case ended
  }

  /// How a source ends.
  package enum Ending: Sendable, Hashable {
    /// There are no more inputs; every due deadline is still delivered. Scheduled user actions are performed or dropped: a
    /// recording's user actions belong to it even after its last input.
    case atEnd(performingScheduled: Bool)
    /// The run is interrupted: the admitted inputs are recorded, the rest of the batch and all user actions are dropped,
    /// and no further deadline passes.
    case interrupted
  }

  private enum Phase {
    case running, ending, settled, draining, ended
  }

  var engine: Engine
  var pending: [Delivery] = []
  private var actions = ScheduledActions()
  /// Whether the next action has been announced.
  private var isAnnounced = false
  /// The action that was performed and is still to be recorded.
  private var performed: TimedUserAction?
  /// The time before which a scripted timeline lets all deadlines pass, and the time at which it then is.
  private var scripted: (before: Timestamp, arrival: Timestamp?)?
  /// The stamp of the input that follows an empty batch, if a scripted timeline knows it.
  package var expectedInput: Timestamp?
  private var keepsSlices: Bool
  private var batch = ScanBatch()
  private var progress = BatchProgress()
  private var ending: Ending?
  private var phase = Phase.running

  /// Creates a driver whose timeline starts at a time, the time of the first requests.
  ///
  /// - Parameters:
  ///   - configuration: The engine's settings.
  ///   - start: Where the timeline starts.
  ///   - keepsSlices: Whether ``Step/record(_:)`` is given, which costs time for each input.
  package init(
    _ configuration: Configuration = Configuration(),
    startingAt start: Timestamp,
    keepsSlices: Bool = false
  ) {
    engine = Engine(configuration, startingAt: start)
    self.keepsSlices = false
    if keepsSlices { keepSlices() }
  }

  /// Starts giving ``Step/record(_:)`` with the next batch.
  package mutating func keepSlices() {
    guard !keepsSlices else { return }
    keepsSlices = true
    engine.keepAdmissions()
  }

  // MARK: Steps

  /// Returns what to do next.
  package mutating func next() -> Step {
    while true {
      if let step = nextBeforeInput() { return step }
      switch phase {
      case .running where !progress.isSpent: processBatch()
      case .running:
        if let slice = drainSlice() { return .record(slice) }
        batch = ScanBatch()
        guard let ending else {
          return .pull(until: earlier(engine.nextDeadline, actions.first?.action.time))
        }
        end(ending)
      case .ending:
        if ending != .interrupted, engine.end(into: &pending) { continue }
        phase = .settled
        return .sourceEnded(at: now)
      case .draining:
        if !engine.drain(into: &pending) { phase = .ended }
      case .settled, .ended:
        phase = .ended
        return .ended
      }
    }
  }

  /// Returns what to do before another input is processed or another deadline passes; `nil` if there is nothing.
  ///
  /// Sessions use it, because their users act while the timeline stands still.
  package mutating func nextBeforeInput() -> Step? {
    while true {
      for moment in engine.drainQuietMoments() { schedule(moment) }
      if let action = performed.take() { return .recordAction(action) }
      if !pending.isEmpty { return .deliver(drainDeliveries()) }
      if let scripted {
        if !passTime(beforeActionAt: scripted.before) {
          self.scripted = nil
          if let time = scripted.arrival { engine.arrive(at: time) }
        }
        continue
      }
      guard let first = actions.first, isDue(first) else { return nil }
      if let slice = drainSlice() { return .record(slice) }
      // Every due deadline before the action is delivered first. A program that answers it may act too, and its action comes
      // first.
      let time = admissionTime(of: first)
      if passTime(beforeActionAt: time) { continue }
      if !first.isExact, !isAnnounced {
        isAnnounced = true
        return .willPerform(first.action)
      }
      perform(first, at: time)
    }
  }

  /// Runs until inputs are needed or the run has ended, and returns the deliveries.
  ///
  /// It is for callers that neither answer nor record.
  package mutating func collectDeliveries() -> [Delivery] {
    var all: [Delivery] = []
    while true {
      switch next() {
      case .deliver(let deliveries): all += deliveries
      case .record, .willPerform, .recordAction, .sourceEnded: continue
      case .pull, .ended: return all
      }
    }
  }

  /// Returns the deliveries that requests caused, without moving the timeline; ``next()`` does not give them again.
  package mutating func drainDeliveries() -> [Delivery] {
    let drained = pending
    pending = []
    // A batch delivers about as much as the one before; an array that grows copies each delivery twice.
    pending.removeAll(makingRoomFor: drained.count)
    return drained
  }

  // MARK: Inputs

  /// Answers ``Step/pull(until:)`` with inputs.
  ///
  /// - Precondition: The last step was ``Step/pull(until:)``.
  package mutating func supply(_ batch: consuming ScanBatch) {
    precondition(progress.isSpent, "a batch was supplied before the driver asked for one")
    progress = BatchProgress(isSpent: false)
    self.batch = batch
  }

  /// Ends the inputs; an interruption also drops the rest of the current batch.
  package mutating func endSource(_ ending: Ending) {
    guard phase == .running || phase == .ending, self.ending == nil || ending == .interrupted else {
      return
    }
    self.ending = ending
    guard ending == .interrupted else { return }
    actions.removeAll()
    actionsChanged()
    progress.isSpent = true
  }

  /// Continues after the source's end, with ranging stopped, until every region has settled; this is not recorded.
  ///
  /// It is called after ``Step/sourceEnded(at:)``, and has no effect at any other time.
  package mutating func drain() {
    if phase == .settled { phase = .draining }
  }

  /// Ends the engine while the source could continue: known regions become unknown, and no exit is delivered.
  ///
  /// Call it after ``Step/sourceEnded(at:)``, when the clients' state for a later run is saved; it is not recorded.
  package mutating func shutDown() {
    engine.shutDown(into: &pending)
    phase = .ended
  }

  // MARK: User actions

  /// Performs a user action immediately: a microsecond after everything that was admitted, whether recorded or not.
  ///
  /// - Parameters:
  ///   - action: The user's action.
  ///   - client: The client concerned; `nil` concerns every client.
  package mutating func perform(_ action: UserAction, by client: ClientID?) {
    schedule(TimedUserAction(time: .earliest, client: client, action: action))
  }

  /// Schedules a user action: it is performed at its time, before the inputs stamped at or after that time.
  ///
  /// It is for actions known in advance, from a file of answers or a recording.
  package mutating func schedule(_ action: TimedUserAction) {
    schedule(ScheduledActions.Entry(action: action))
  }

  /// Performs a user action at exactly its time, without the microsecond that recordings need; it is not recorded.
  package mutating func perform(
    _ action: UserAction,
    by client: ClientID?,
    exactlyAt time: Timestamp
  ) {
    let action = TimedUserAction(time: time, client: client, action: action)
    schedule(ScheduledActions.Entry(action: action, isExact: true))
  }

  /// Lets all deadlines before a time pass without an input, for scripted timelines.
  package mutating func advance(before time: Timestamp) {
    scripted = (time, nil)
  }

  /// Moves the timeline to a time without an input, so that a scripted request is made at that time.
  package mutating func arrive(at time: Timestamp) {
    scripted = (time, time)
  }

  /// Lets pass every due deadline before an action at a time; whether that lies in a gap depends on the next input.
  private mutating func passTime(beforeActionAt time: Timestamp) -> Bool {
    let next: Timestamp?
    if progress.isSpent {
      next = expectedInput
    } else {
      next = progress.index < batch.inputs.count ? batch.inputs[progress.index].time : batch.upTo
    }
    return engine.passTime(beforeActionAt: time, nextInput: next, into: &pending)
  }

  private mutating func schedule(_ entry: ScheduledActions.Entry) {
    guard phase == .running || phase == .ending, ending != .interrupted else { return }
    actions.add(entry)
    actionsChanged()
  }

  private mutating func actionsChanged() {
    progress.cut = .unknown
    isAnnounced = false
  }

  private func admissionTime(of entry: ScheduledActions.Entry) -> Timestamp {
    entry.isExact ? entry.action.time : max(entry.action.time, now + Self.instant)
  }

  private static let instant = TimeSpan(microseconds: 1)

  private func isDue(_ entry: ScheduledActions.Entry) -> Bool {
    if entry.isAtOnce || entry.isExact { return true }
    // Inputs of the current batch with an earlier stamp come first, however close they are.
    guard progress.isSpent else { return progress.isAtCut }
    return phase == .ending || entry.action.time <= now
  }

  private mutating func perform(_ entry: ScheduledActions.Entry, at time: Timestamp) {
    var action = entry.action
    actions.removeFirst()
    actionsChanged()
    engine.perform(action.action, by: action.client, at: time, into: &pending)
    action.time = now
    if !entry.isExact { performed = action }
  }

  // MARK: The current batch

  private mutating func processBatch() {
    let (limit, isCut) = pieceLimit()
    if let next = engine.process(batch, in: progress.index..<limit, into: &pending) {
      progress.index = next
      return
    }
    progress.index = limit
    if isCut { return }
    if let upTo = batch.upTo, engine.reach(upTo, into: &pending) { return }
    progress.isSpent = true
    progress.hasEnd = true
  }

  /// Returns the index at which the next action interrupts the batch, computed once for each batch and action.
  private mutating func pieceLimit() -> (limit: Int, isCut: Bool) {
    if progress.cut == .unknown {
      let place = actions.first.flatMap { batch.place(of: $0.action.time, from: progress.index) }
      progress.cut = place.map(BatchProgress.Cut.at) ?? .nowhere
    }
    if case .at(let place) = progress.cut { return (place, true) }
    return (batch.inputs.count, false)
  }

  private mutating func drainSlice() -> ScanSlice? {
    let hasInputs = progress.sliced < progress.index
    guard keepsSlices, hasInputs || progress.hasEnd || engine.endedGap != nil else { return nil }
    defer { (progress.sliced, progress.hasEnd) = (progress.index, false) }
    let admitted = engine.drainAdmissions()
    // If a gap has ended and its next input is not admitted yet, the source was listening all the same.
    let ended = engine.endedGap.take().flatMap { $0 > admitted.last ?? .earliest ? $0 : nil }
    return ScanSlice(
      batch: batch,
      range: progress.sliced..<progress.index,
      admitted: admitted,
      upTo: progress.hasEnd ? batch.upTo : ended
    )
  }

  private mutating func end(_ ending: Ending) {
    phase = .ending
    if ending != .atEnd(performingScheduled: true) { actions.removeAll() }
    actionsChanged()
  }

  private func earlier(_ first: Timestamp?, _ second: Timestamp?) -> Timestamp? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }
}

/// The progress through a driver's batch.
private struct BatchProgress: Sendable {
  /// The first input that was not processed.
  var index = 0
  /// The first input that was not passed on for recording.
  var sliced = 0
  /// The position at which the next action interrupts the inputs, once computed.
  enum Cut: Sendable, Hashable {
    case unknown, nowhere
    case at(Int)
  }

  var cut = Cut.unknown
  /// Whether all inputs are processed and the time is at the batch's `upTo`.
  var isSpent = true
  /// Whether reaching that time is still to be passed on.
  var hasEnd = false

  /// Whether the inputs before the next action are processed.
  var isAtCut: Bool {
    cut == .at(index)
  }
}

extension ScanBatch {
  /// Returns how many inputs come before a time; `nil` if the batch does not reach it.
  fileprivate func place(of time: Timestamp, from index: Int) -> Int? {
    if let place = inputs[index...].firstIndex(where: { $0.time >= time }) { return place }
    return upTo.map { $0 >= time } ?? false ? inputs.count : nil
  }
}

/// The scheduled user actions; those of the same time are in the order in which they were added.
private struct ScheduledActions: Sendable {
  struct Entry: Sendable {
    var action: TimedUserAction
    /// Whether it is performed at exactly its time.
    var isExact = false

    /// Whether it is performed as early as it can be.
    var isAtOnce: Bool { action.time == .earliest }
  }

  private var entries: [Entry] = []
  private var head = 0

  var first: Entry? { head < entries.count ? entries[head] : nil }

  mutating func add(_ entry: Entry) {
    var place = entries.count
    while place > head, entry.action.time < entries[place - 1].action.time { place -= 1 }
    entries.insert(entry, at: place)
  }

  mutating func removeFirst() {
    head += 1
    if head == entries.count { removeAll() }
  }

  mutating func removeAll() {
    entries.removeAll()
    head = 0
  }
}
