// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import Synchronization
internal import SystemKit

/// Several live sources as one, such as a broker and proxies: their inputs in the order of time.
package final class MergedSource: ScanSource {
  /// A live source, and its name among the others.
  package struct Part: Sendable {
    package let source: any ScanSource
    package let label: MergedInputs.Label

    package init(_ source: any ScanSource, _ label: MergedInputs.Label) {
      (self.source, self.label) = (source, label)
    }
  }

  private struct State {
    var inputs: MergedInputs
    var hasBegun = false
    /// The calls that wait for a source, by its number.
    var calls: [Task<Void, Never>?]
    /// The error because of which a source cannot continue.
    var failure: (any Error)?
  }

  private let sources: [any ScanSource]
  private let clock: SourceTimeline
  private let state: Mutex<State>

  /// How long a call waits for the sources: as long as a call of each of them, and a little more.
  private static let patience = Duration.milliseconds(150)
  /// How often a call looks at them; no thread waits.
  private static let look = Duration.milliseconds(10)

  /// - Parameters:
  ///   - parts: The sources.
  ///   - timeline: The clock with which the times of the sources are compared.
  package init(_ parts: [Part], timeline: SourceTimeline = SourceTimeline()) {
    sources = parts.map(\.source)
    clock = timeline
    let inputs = MergedInputs(parts.map(\.label))
    state = Mutex(State(inputs: inputs, calls: parts.map { _ in nil }))
  }

  deinit { stop() }

  /// The time until which everything was returned.
  package var now: Timestamp {
    get async throws {
      if !state.withLock(\.hasBegun) {
        var times: [Timestamp] = []
        for source in sources { times.append(try await source.now) }
        var names: [[String]] = []
        for source in sources { names.append(await source.receiverNames) }
        state.withLock { state in
          guard !state.hasBegun else { return }
          state.hasBegun = true
          state.inputs.begin(times, names, at: clock.now)
        }
      }
      return state.withLock(\.inputs.reached)
    }
  }

  package var receiverNames: [String] { state.withLock(\.inputs.receiverNames) }

  /// As the first source knows it that does.
  package var utcOffset: TimeSpan? {
    get async {
      for source in sources { if let offset = await source.utcOffset { return offset } }
      return nil
    }
  }

  package var drops: Tally<DropReason> {
    get async {
      var drops = state.withLock(\.inputs.drops)
      for source in sources { drops.add(await source.drops) }
      return drops
    }
  }

  package var isSimulated: Bool { sources.contains(where: \.isSimulated) }

  /// Returns the inputs since the last call, up to the time that every source has reached.
  ///
  /// - Parameter deadline: When the caller needs a batch; no call waits much longer than 100 ms.
  /// - Returns: The inputs; `nil` once all sources have ended.
  /// - Throws: The error of a source that cannot continue.
  package func next(until deadline: Timestamp?) async throws -> ScanBatch? {
    _ = try await now
    for index in sources.indices { call(index, until: deadline) }
    let end = Uptime.now + Self.patience
    while state.withLock({ state in state.calls.contains { $0 != nil } }), Uptime.now < end,
      !Task.isCancelled
    {
      try? await Task.sleep(for: Self.look)
    }
    return try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.inputs.drain(at: clock.now)
    }
  }

  /// Asks a source for its next inputs, unless it is being asked.
  ///
  /// A source that does not return holds up no other one.
  private func call(_ index: Int, until deadline: Timestamp?) {
    state.withLock { state in
      guard state.calls[index] == nil, !state.inputs.hasEnded(index) else { return }
      let deadline = deadline.map { $0 - state.inputs.shift(of: index) }
      state.calls[index] = Task { [weak self, source = sources[index]] in
        let result: Result<(ScanBatch?, [String]), any Error>
        do {
          result = .success((try await source.next(until: deadline), await source.receiverNames))
        } catch {
          result = .failure(error)
        }
        self?.add(result, of: index)
      }
    }
  }

  private func add(_ result: Result<(ScanBatch?, [String]), any Error>, of index: Int) {
    state.withLock { state in
      state.calls[index] = nil
      switch result {
      case .success((let batch, let names)):
        state.inputs.add(batch, names, of: index, at: clock.now)
      case .failure(let error): state.failure = error
      }
    }
  }

  /// Returns the remarks for the user since the last call.
  package func drainRemarks() -> [String] {
    state.withLock { $0.inputs.drainRemarks() }
  }

  /// Ends the calls that wait for a source.
  ///
  /// The sources are their owner's to close.
  package func stop() {
    let calls = state.withLock(\.calls)
    for call in calls { call?.cancel() }
  }
}

/// The inputs of several live sources, in the order of time.
///
/// Time passes only as far as every source has reached: nothing is concluded from the silence of a receiver whose reports
/// are still to come. A source whose time stands still, or jumps, is left: its receivers are gone, and the others continue.
/// When its time passes again, its receivers are in their states again.
package struct MergedInputs: Sendable {
  /// The name of a source.
  package struct Label: Sendable {
    let text: String
    /// Whether each of its receivers has it in front of its name, so that no name depends on which receiver is first;
    /// otherwise only a receiver whose name another one has.
    let marksAll: Bool

    package init(_ text: String, marksAll: Bool = false) {
      (self.text, self.marksAll) = (text, marksAll)
    }
  }

  private struct Part: Sendable {
    let label: Label
    /// The receivers' numbers among all, by their number in the source.
    var numbers: [UInt8] = []
    /// The receivers' states by the source, by their number among all.
    var states: [UInt8: RadioState] = [:]
    /// The time that the source has reached: its own, the addition that makes it ours, and the sum.
    var own = Timestamp.earliest
    var shift = TimeSpan.zero
    var reached = Timestamp.earliest
    /// Since when its inputs count: no earlier one is used.
    var since = Timestamp.earliest
    var isLeft = false
    var hasEnded = false
    var wasShifted = false

    init(_ label: Label) { self.label = label }

    var counts: Bool { !isLeft && !hasEnded }
    var sortedStates: [(UInt8, RadioState)] {
      states.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// How far the time of a source may lag: a broker is 3 s late, and it and a service wait 5 s for a receiver that is
  /// silent.
  package static let patience = TimeSpan.seconds(10)
  /// How far it may be ahead.
  ///
  /// One that is further has another clock.
  package static let lead = TimeSpan.seconds(2)

  private var parts: [Part]
  private var receivers = MergedReceivers()
  private var held = HeldInputs()
  private var remarks: [String] = []
  /// The inputs that were not used.
  package private(set) var drops = Tally<DropReason>()
  /// Until when everything was given.
  package private(set) var reached = Timestamp.earliest

  package init(_ labels: [Label]) {
    parts = labels.map(Part.init)
  }

  /// The names of the receivers so far, by their number.
  package var receiverNames: [String] { receivers.names }

  /// Returns the remarks for the user since the last call.
  package mutating func drainRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  /// Whether a source has ended.
  func hasEnded(_ index: Int) -> Bool { parts[index].hasEnded }

  /// How far the time of a source is moved.
  func shift(of index: Int) -> TimeSpan { parts[index].shift }

  // MARK: In

  /// Starts the timeline.
  ///
  /// - Parameters:
  ///   - times: The times of the sources.
  ///   - names: The names of their receivers so far.
  ///   - now: The present time.
  package mutating func begin(_ times: [Timestamp], _ names: [[String]], at now: Timestamp) {
    for (index, time) in times.enumerated() {
      parts[index].own = time
      shift(index, at: now)
      parts[index].reached = time + parts[index].shift
      number(names[index], of: index)
    }
    reached = parts.map(\.reached).min() ?? now
  }

  /// Adds inputs of a source.
  ///
  /// - Parameters:
  ///   - batch: Its next inputs; `nil` if it has ended.
  ///   - names: The names of its receivers by then.
  ///   - index: Its number.
  ///   - now: The present time.
  package mutating func add(
    _ batch: ScanBatch?,
    _ names: [String],
    of index: Int,
    at now: Timestamp
  ) {
    guard let batch else {
      if !parts[index].isLeft { leave(index) }
      parts[index].hasEnded = true
      return
    }
    number(names, of: index)
    let before = parts[index].own
    let own = max(before, batch.upTo ?? batch.inputs.last?.time ?? before)
    parts[index].own = own
    if !parts[index].isLeft, own + parts[index].shift - now > Self.lead { leave(index) }
    guard !parts[index].isLeft else {
      for input in batch.inputs { noteUnused(input, of: index) }
      if own > before { comeBack(index, at: now) }
      return
    }
    for input in batch.inputs {
      add(input, pointingTo: batch.payload(of: input), of: index)
    }
    parts[index].reached = max(parts[index].reached, own + parts[index].shift)
  }

  private mutating func add(
    _ input: ScanInput,
    pointingTo payload: ArraySlice<UInt8>,
    of index: Int
  ) {
    var input = input.at(input.time + parts[index].shift)
    if let receiver = input.receiver {
      guard let number = number(receiver, of: index) else { return drops.count(.sourceOverflow) }
      input.receiver = number
      if case .radio(_, let state, _) = input { parts[index].states[number] = state }
    }
    if input.time < parts[index].since {
      // It is of the time in which the source was left.
      guard input.report == nil else { return drops.count(.noTime) }
      input = input.at(parts[index].since)
    }
    held.waiting.append(input, pointingTo: payload)
  }

  /// Notes the state of a receiver of a source that was left.
  private mutating func noteUnused(_ input: ScanInput, of index: Int) {
    if case .radio(let receiver, let state, _) = input {
      if let number = number(receiver, of: index) { parts[index].states[number] = state }
    } else if input.report != nil {
      drops.count(.noTime)
    }
  }

  /// Gives numbers to receivers as soon as they have names.
  private mutating func number(_ names: [String], of index: Int) {
    let (label, known) = (parts[index].label, parts[index].numbers.count)
    let names = label.marksAll ? names.map { "\(label.text):\($0)" } : names
    for receiver in names.indices.dropFirst(known) where receivers.count < MergedReceivers.limit {
      _ = receivers.number(
        UInt8(clamping: receiver),
        of: names,
        adding: &parts[index].numbers,
        lane: index,
        label: label.text
      )
    }
  }

  /// Returns the number of a receiver among all; `nil` if there are too many.
  private func number(_ receiver: UInt8, of index: Int) -> UInt8? {
    let numbers = parts[index].numbers
    return Int(receiver) < numbers.count ? numbers[Int(receiver)] : nil
  }

  // MARK: Leaving

  /// Notes that the receivers of a source are gone since the time that it has reached.
  private mutating func leave(_ index: Int) {
    parts[index].isLeft = true
    let time = max(parts[index].reached, reached)
    for (number, state) in parts[index].sortedStates where state != .gone {
      held.waiting.inputs.append(.radio(receiver: number, .gone, time))
    }
  }

  /// Notes that the receivers of a source that was left are in their states again from now on.
  private mutating func comeBack(_ index: Int, at now: Timestamp) {
    parts[index].isLeft = false
    shift(index, at: now)
    let time = max(parts[index].own + parts[index].shift, reached)
    (parts[index].since, parts[index].reached) = (time, time)
    for (number, state) in parts[index].sortedStates where state != .gone {
      held.waiting.inputs.append(.radio(receiver: number, state, time))
    }
  }

  /// Moves the time of a source to the present if it has another clock, as a service may that runs for longer than this
  /// machine knows the time.
  private mutating func shift(_ index: Int, at now: Timestamp) {
    let lag = now - parts[index].own
    let isOurs = lag <= Self.patience && .zero - lag <= Self.lead
    parts[index].shift = isOurs ? .zero : lag
    guard !isOurs, !parts[index].wasShifted else { return }
    parts[index].wasShifted = true
    let amount = Int(abs(lag.seconds).rounded())
    remarks.append(
      "the time of \(parts[index].label.text) is \(amount) s \(lag > .zero ? "behind" : "ahead"); its reports count when they arrive"
    )
  }

  // MARK: Out

  /// Returns the inputs up to the time that every source has reached; `nil` if all have ended.
  package mutating func drain(at now: Timestamp) -> ScanBatch? {
    for index in parts.indices
    where parts[index].counts && now - parts[index].reached > Self.patience {
      leave(index)
      remarks.append(
        "no time passes at \(parts[index].label.text) any more; its receivers count as gone"
      )
    }
    let isOver = parts.allSatisfy(\.hasEnded)
    let known = parts.filter(\.counts).map(\.reached).min()
    let last = isOver ? parts.map(\.reached).max() : nil
    reached = max(reached, known ?? last ?? now)
    var batch = held.release(until: reached)
    if isOver, batch.inputs.isEmpty { return nil }
    batch.upTo = reached
    return batch
  }
}
