// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// When adapters listened, from HCI commands and events and from the packets of the Linux monitor channel.
///
/// It reads both generations of scan commands with their answers, scans that leave out most advertisers or end by
/// themselves, resets, hardware errors, event masks that hide all reports, and adapters that are closed or removed (Core
/// Specification, volume 4, part E, 7.3.1, 7.3.2, 7.7.16, 7.8.1, 7.8.10, 7.8.11, 7.8.64, 7.8.65 and 7.7.65.17).
///
/// A host often stops its scan for a moment. So a loss of reception is returned only when it has lasted for
/// ``shortestPause`` or to the end of the capture, with the time at which it started. No report is received in the
/// meantime, so an exit that falls due then waits as well: it follows at its time if the scan resumes, and never if it
/// does not.
///
/// A report shows that its adapter listens, whatever the commands were: a capture need not contain all of them. Only a
/// scan that leaves out advertisers has reports and is a loss all the same.
package struct ScanWatch: Sendable {
  /// A receiver of the capture, or an adapter of a Linux monitor channel.
  package enum Source: Sendable, Equatable {
    /// A receiver by its number in reports.
    case receiver(UInt8)
    /// An adapter by its number; a capture can have several monitor channels.
    case adapter(UInt16, channel: UInt16 = 0)
  }

  /// A change of a state.
  package struct Change: Sendable, Equatable {
    /// The receiver or adapter.
    package var source: Source
    /// The new state.
    package var state: RadioState
    /// When it changed, or the latest time of a report before it was returned.
    package var time: Timestamp
    /// By how much that is later than the receiver's loss.
    package var delay = TimeSpan.zero
  }

  /// The shortest pause of a scan that counts: hosts pause for less, and learned exit times are at least as long.
  package static let shortestPause = TimeSpan.seconds(3)
  /// How long after the end of a scan reports can follow that the controller or the host still had.
  package static let stragglers = TimeSpan.seconds(1)
  /// When a command without an answer counts as done, since a capture need not contain answers; Linux waits as long.
  static let answerTimeout = TimeSpan.seconds(2)
  /// By how much a record's time can be before that of an earlier one although the recorder's clock was not set.
  static let disorder = TimeSpan.seconds(2)
  /// The most adapters to watch, and the most commands of one that wait for their answers.
  private static let limits = (adapters: 256, commands: 8)

  private var adapters: [Adapter] = []
  private var changes: [Change] = []
  /// The latest time of a report or a change since a pause started: no change may be before it.
  private var floor = Timestamp.earliest
  /// The time of the last record, while time can change a state.
  private var now = Timestamp.earliest
  /// When a capture ended that another one follows in the file, until the first record of that.
  private var end: Timestamp?
  /// Whether a capture ended before the present one, so that receivers are gone until they are met again.
  private var followsCapture = false
  /// The first scan and its start, as long as no report and no state is known.
  private var firstScan: (index: Int, start: Timestamp)?
  /// Whether a report or a state is known.
  private var hasBegun = false
  /// Whether time or reports can change a state; if not, ``pass(to:)`` need not be called.
  package private(set) var isWatching = false

  /// Creates a watch that knows of no adapter.
  package init() {}

  /// Whether a command starts a scan or ends one; `nil` for any other command.
  package static func startsScan(_ block: borrowing Span<UInt8>, in range: Range<Int>) -> Bool? {
    guard case .scan(let scan)? = HostScanCommand(block, in: range)?.effect else { return nil }
    return scan != nil
  }

  // MARK: Inputs

  /// Processes that a record with a time was read, before its content.
  package mutating func pass(to time: Timestamp) {
    guard isWatching else { return }
    now = time
    if let end { resume(at: time, after: end) }
    // A receiver listened before its first report, if that comes late.
    if let (index, start) = firstScan, time - start >= Self.shortestPause {
      setState(index, .listening, at: start)
    }
    for index in adapters.indices { pass(index, to: time) }
    while let index = nextOfScans(by: time), let change = adapters[index].nextOfScan {
      // A rest that ends is noted before the scan starts again.
      settle(at: change)
      update(index, at: adapters[index].changeScan(by: time) ?? change)
    }
    settle(at: time)
  }

  /// Processes the end of the capture: no scan resumes after it.
  package mutating func finish() {
    for index in adapters.indices {
      for (command, time) in adapters[index].outstanding {
        adapters[index].perform(command, at: time)
        update(index, at: time)
      }
      adapters[index].outstanding = []
    }
    settle(at: nil)
  }

  /// Processes that an adapter's state is one of a recording, so that its pause counts however short it is.
  package mutating func stated(_ source: Source) {
    guard let index = adapters.firstIndex(where: { $0.source == source }) else { return }
    adapters[index].isStated = adapters[index].state != .listening
    if let start = adapters[index].pausedSince, adapters[index].stated == .listening {
      setState(index, adapters[index].state, at: start)
    }
  }

  /// Processes that an adapter received a report.
  package mutating func received(by source: Source, at time: Timestamp) {
    if isWatching { floor = max(floor, time) }
    noteReport()
    guard let index = index(of: source), !adapters[index].leavesOut else { return }
    adapters[index].hasListened = true
    guard let start = adapters[index].pausedSince, time - start > Self.stragglers else { return }
    adapters[index].isReceiving(at: time)
    update(index, at: time)
  }

  /// Notes that the capture has had a report.
  package mutating func noteReport() {
    guard !hasBegun else { return }
    hasBegun = true
    guard firstScan.take() != nil else { return }
    isWatching = end != nil || mustWatch
  }

  /// Processes a command.
  package mutating func command(
    _ block: borrowing Span<UInt8>,
    in range: Range<Int>,
    to source: Source,
    at time: Timestamp
  ) {
    guard let command = HostScanCommand(block, in: range), let index = index(of: source) else {
      return
    }
    if adapters[index].outstanding.count >= Self.limits.commands {
      adapters[index].outstanding.removeFirst()
    }
    adapters[index].outstanding.append((command, time))
    isWatching = true
  }

  /// Processes an event other than a report.
  package mutating func event(
    _ block: borrowing Span<UInt8>,
    in range: Range<Int>,
    of source: Source,
    at time: Timestamp
  ) {
    guard let event = ScanEvent(block, in: range) else { return }
    switch event {
    case .answered(let opcode, let isDone):
      guard let index = adapters.firstIndex(where: { $0.source == source }),
        let place = adapters[index].outstanding.firstIndex(where: { $0.command.opcode == opcode })
      else { return }
      let command = adapters[index].outstanding.remove(at: place).command
      if isDone { adapters[index].perform(command, at: time) }
      update(index, at: time)
    case .scanTimeout, .hardwareError:
      guard let index = index(of: source) else { return }
      adapters[index].activity = .off
      update(index, at: time)
    }
  }

  /// Processes that an adapter is present.
  ///
  /// - Parameters:
  ///   - source: The adapter.
  ///   - isClosed: Whether it is not open unless its opening follows.
  ///   - time: When.
  package mutating func found(_ source: Source, isClosed: Bool, at time: Timestamp) {
    change(source, at: time) { found in
      found.found = time
      found.isPresent = true
      found.isOpen = !isClosed
    }
  }

  /// Processes that an adapter is open; it does not scan if it was closed or removed before.
  package mutating func opened(_ source: Source, at time: Timestamp) {
    change(source, at: time) { opened in
      opened.isPresent = true
      opened.isOpen = true
    }
  }

  /// Processes that an adapter was suspended, or resumed.
  package mutating func suspended(_ source: Source, _ isSuspended: Bool, at time: Timestamp) {
    change(source, at: time) { $0.isSuspended = isSuspended }
  }

  /// Processes that an adapter was closed, which ends its scan.
  package mutating func closed(_ source: Source, at time: Timestamp) {
    change(source, at: time) { closed in
      closed.isOpen = false
      closed.reset()
    }
  }

  /// Processes that an adapter was removed.
  package mutating func removed(_ source: Source, at time: Timestamp) {
    change(source, at: time) { removed in
      removed.outstanding = []
      removed.isPresent = false
      removed.isOpen = false
      removed.isSuspended = false
      removed.reset()
    }
  }

  /// Processes that a capture ended and another one follows in the file: in between, the recorder did not run.
  ///
  /// - Parameters:
  ///   - time: When its last record was made.
  ///   - receiver: A receiver whose reports were not all passed to ``received(by:at:)``.
  package mutating func ended(at time: Timestamp, receiver: UInt8?) {
    if let index = receiver.flatMap({ index(of: .receiver($0)) }) {
      adapters[index].hasListened = true
    }
    end = time
    isWatching = true
  }

  /// Since when an adapter has paused, as long as that may be too short to count; `nil` if none has.
  package var undecidedSince: Timestamp? {
    guard isWatching else { return nil }
    return adapters.lazy.compactMap { $0.stated == .listening ? $0.pausedSince : nil }
      .filter { now - $0 < Self.shortestPause }.min()
  }

  /// Whether a record that follows can show that an adapter has not listened since an earlier one.
  package var isUndecided: Bool {
    undecidedSince != nil || isWatching && adapters.contains { !$0.outstanding.isEmpty }
  }

  /// Whether there are changes since the last call of ``drainChanges()``.
  package var hasChanges: Bool { !changes.isEmpty }

  /// Returns the changes since the last call.
  package mutating func drainChanges() -> [Change] {
    defer { changes = [] }
    return changes
  }

  // MARK: States

  private mutating func index(of source: Source) -> Int? {
    if let known = adapters.firstIndex(where: { $0.source == source }) { return known }
    guard adapters.count < Self.limits.adapters else { return nil }
    adapters.append(Adapter(source: source, isMet: !followsCapture))
    return adapters.count - 1
  }

  private mutating func change(
    _ source: Source,
    at time: Timestamp,
    _ body: (inout Adapter) -> Void
  ) {
    guard let index = index(of: source) else { return }
    adapters[index].isStated = false
    body(&adapters[index])
    update(index, at: time)
  }

  /// Processes the first record of a capture that follows another one in the file.
  ///
  /// The pieces of one recording follow each other closely. Otherwise every receiver is gone until it is met again.
  private mutating func resume(at time: Timestamp, after end: Timestamp) {
    self.end = nil
    firstScan = nil
    if time - end > Self.shortestPause || end - time > Self.disorder {
      finish()
      let hasReceivers = adapters.contains(where: \.hasListened)
      followsCapture = true
      for index in adapters.indices {
        let old = adapters[index]
        if old.hasListened || !hasReceivers, old.stated != .gone {
          setState(index, .gone, at: end)
        }
        adapters[index] = Adapter(source: old.source, isMet: false)
        adapters[index].hasListened = old.hasListened
      }
      floor = time
    }
    isWatching = mustWatch
  }

  /// Processes the passing of time: a command without an answer is done.
  private mutating func pass(_ index: Int, to time: Timestamp) {
    while let first = adapters[index].outstanding.first, time - first.time >= Self.answerTimeout {
      adapters[index].outstanding.removeFirst()
      adapters[index].perform(first.command, at: first.time)
      update(index, at: first.time)
    }
    // The clock was set back in a pause; its length before that is unknown.
    if let start = adapters[index].pausedSince, start - time > Self.disorder {
      adapters[index].pausedSince = time
      floor = time
    }
  }

  /// The adapter whose scan is the first to end or start by itself by a time.
  private func nextOfScans(by time: Timestamp) -> Int? {
    let due = adapters.indices.filter { adapters[$0].nextOfScan.map { $0 <= time } ?? false }
    return due.min { adapters[$0].nextOfScan ?? .latest < adapters[$1].nextOfScan ?? .latest }
  }

  /// Notes an adapter's state after a change at a time.
  private mutating func update(_ index: Int, at time: Timestamp) {
    let state = adapters[index].state
    if state == .listening {
      let (wasPaused, isScanning) = (adapters[index].pausedSince != nil, adapters[index].isScanning)
      // A scan that is started long after the adapter was found, and without a report, is its first one.
      let isLate = adapters[index].found.map { time - $0 >= Self.shortestPause } ?? false
      let isFirst = isScanning && !adapters[index].hasListened && (wasPaused || isLate)
      adapters[index].pausedSince = nil
      if isScanning, !hasBegun, firstScan == nil { firstScan = (index, time) }
      if isScanning { adapters[index].hasListened = true }
      // One of several adapters did not count before its first scan.
      if adapters[index].stated != .listening || isFirst && adapters.count > 1 {
        setState(index, .listening, at: time)
      }
    } else if adapters[index].pausedSince == nil {
      floor = isPausing ? max(floor, time) : time
      adapters[index].pausedSince = time
    } else if adapters[index].hasListened || !followsCapture,
      adapters[index].stated != .listening, adapters[index].stated != state
    {
      setState(index, state, at: time)
    }
    isWatching = mustWatch
  }

  private var mustWatch: Bool {
    isPausing || firstScan != nil || adapters.contains { $0.isDated }
  }

  private var isPausing: Bool { adapters.contains { $0.pausedSince != nil } }

  /// Returns the losses that have lasted long enough at a time, or at the end of the capture if it is `nil`.
  private mutating func settle(at time: Timestamp?) {
    let lost = adapters.indices.filter { index in
      guard adapters[index].stated == .listening, let start = adapters[index].pausedSince else {
        return false
      }
      return time.map { $0 - start >= Self.shortestPause } ?? true && isReceiver(index)
    }
    func start(_ index: Int) -> Timestamp { adapters[index].pausedSince ?? .latest }
    for index in lost.count > 1 ? lost.sorted(by: { start($0) < start($1) }) : lost {
      setState(index, adapters[index].state, at: start(index))
    }
  }

  /// Whether an adapter counts as a receiver: one that never scanned only if no other one listens or did.
  private func isReceiver(_ index: Int) -> Bool {
    adapters[index].hasListened
      || !adapters.contains { $0.hasListened || $0.state == .listening }
  }

  private mutating func setState(_ index: Int, _ state: RadioState, at time: Timestamp) {
    (firstScan, hasBegun) = (nil, true)
    floor = max(floor, time)
    let delay = adapters[index].stated == .listening ? floor - time : .zero
    adapters[index].stated = state
    changes.append(
      Change(source: adapters[index].source, state: state, time: floor, delay: delay)
    )
  }
}
