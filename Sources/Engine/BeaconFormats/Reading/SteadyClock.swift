// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Keeps the inputs of a recorder on one clock, where its clock was set while it recorded.
///
/// Inputs follow each other closely. One that jumps, ahead or back, waits for those behind it. If most of them return to
/// the time before, its stamp is wrong, and it is placed at its position in the file. If they continue from it, a jump back
/// means that the clock was set: what follows is moved so that time continues, until the clock is right again. A jump ahead
/// that lasts is a silence.
///
/// Only a jump waits, so captures without jumps are read without delay; a silence of at most ``TimingConfiguration/gap``
/// waits for one input. How the inputs are divided into batches has no effect.
package struct SteadyClock: Sendable {
  /// An input that waits, with its payload.
  private struct Held {
    var input: ScanInput
    var payload: [UInt8]
    var time: Timestamp { input.time }
  }

  private enum Verdict {
    /// It follows the inputs before it.
    case follows
    /// Its stamp is wrong.
    case wrong
    /// The clock continues from it.
    case goesOn
    /// The inputs after it have to show its kind.
    case open
  }

  private let timing: TimingConfiguration
  /// The latest stamp on the present clock; `nil` before the first.
  private var latest: Timestamp?
  /// The addition to stamps of the present clock.
  private var offset = TimeSpan.zero
  /// A jump, and the inputs behind it.
  private var held: [Held] = []
  /// Whether a wrong stamp was reported since the clock was last set.
  private var hasReportedStamp = false
  /// How many inputs were given another time than their stamp.
  package private(set) var moved = 0
  /// How many times the clock was set back, and by how much the first time.
  package private(set) var stepsBack: (count: Int, first: TimeSpan) = (0, .zero)
  /// How many inputs had a wrong stamp.
  package private(set) var wrongStamps = 0

  /// Creates a clock for the inputs of one recorder.
  package init(_ timing: TimingConfiguration = TimingConfiguration()) {
    self.timing = timing
  }

  /// Returns a batch with the inputs that can be placed by now; it may be empty.
  package mutating func steady(_ batch: ScanBatch) -> ScanBatch {
    if held.isEmpty, offset == .zero, isSteady(batch) { return batch }
    var steady = ScanBatch(bytes: batch.bytes)
    steady.inputs.reserveCapacity(batch.inputs.count)
    for input in batch.inputs {
      if held.isEmpty, follows(input.time) {
        pass(input.time)
        steady.inputs.append(shifted(input))
        continue
      }
      held.append(Held(input: input, payload: Array(batch.payload(of: input))))
      judge(isLast: false, into: &steady)
    }
    return steady
  }

  /// The latest stamp if no input follows, if any.
  package var latestStamp: Timestamp? {
    if held.isEmpty { return latest }
    var copy = self
    _ = copy.finish()
    return copy.latest
  }

  /// Returns the inputs that still wait at the end.
  ///
  /// - Parameter hasEnded: Whether the last input is the end of a recording, written when it was over and so no jump.
  /// - Returns: The inputs.
  package mutating func finish(hasEnded: Bool = false) -> ScanBatch {
    var rest = ScanBatch()
    if hasEnded, held.count == 1, let end = held.first, let latest, end.time > latest {
      goOn(from: end.time, into: &rest)
    }
    judge(isLast: true, into: &rest)
    return rest
  }

  /// Returns whether no input of a batch jumps, and notes its latest stamp.
  private mutating func isSteady(_ batch: borrowing ScanBatch) -> Bool {
    // Every report of every capture comes here, so integers are compared. Times are far from the ends of the integers.
    guard var latest = latest?.microseconds else { return false }
    let tolerance = timing.disorder.microseconds
    let ahead = UInt64(clamping: tolerance)
    let inputs = batch.inputs.span
    for index in inputs.indices {
      let time: Int64
      if case .report(let report) = inputs[index] {
        time = report.time.microseconds
      } else {
        time = inputs[index].time.microseconds
      }
      // A negative number without its sign is a large one, so most inputs take one comparison.
      let step = time &- latest
      if UInt64(bitPattern: step) <= ahead {
        latest = time
      } else if step < 0 &- tolerance || step > tolerance {
        return false
      } else {
        latest = max(latest, time)
      }
    }
    self.latest = Timestamp(microseconds: latest)
    return true
  }

  // MARK: Judging

  /// Places the inputs that wait, as far as those behind them show what they are.
  private mutating func judge(isLast: Bool, into steady: inout ScanBatch) {
    while let first = held.first {
      switch verdict(on: first.time, isLast: isLast) {
      case .open: return
      case .follows:
        pass(first.time)
        place(first, into: &steady)
      case .wrong:
        // A lone mark after a gap at the end adds nothing.
        if case .mark = first.input, isLast, held.count == 1 { break }
        placeWrong(first, into: &steady)
      case .goesOn:
        goOn(from: first.time, into: &steady)
        place(first, into: &steady)
      }
      held.removeFirst()
    }
  }

  /// Judges the first input that waits by those behind it, at most ``TimingConfiguration/lookahead``.
  private func verdict(on time: Timestamp, isLast: Bool) -> Verdict {
    if follows(time) { return .follows }
    let others = held.dropFirst().prefix(timing.lookahead)
    let isAhead = latest.map { time > $0 } ?? (time > timing.latestPlausible)
    let isSilence = isAhead && (latest.map { time - $0 <= timing.gap } ?? false)
    if isSilence, let next = others.first, next.time >= time - timing.disorder { return .goesOn }
    let returning = others.count { returns($0.time, from: time, isAhead: isAhead, to: others) }
    let staying = others.count - returning
    let majority = timing.lookahead / 2 + 1
    if returning >= majority { return .wrong }
    if staying >= majority { return .goesOn }
    guard isLast else { return .open }
    if returning != staying { return returning > staying ? .wrong : .goesOn }
    // Without evidence a silence is usual, anything else is not; a capture of one input is as it is.
    return isSilence || latest == nil ? .goesOn : .wrong
  }

  /// Whether an input after a jump shows that the clock is as before.
  private func returns(
    _ other: Timestamp,
    from time: Timestamp,
    isAhead: Bool,
    to others: ArraySlice<Held>
  ) -> Bool {
    guard let latest else { return isPlausible(other) }
    guard isAhead else {
      return other >= latest - timing.disorder && latest - other <= other - time
    }
    // After a return, inputs near the jump are time that has passed since.
    let isDisputed = others.contains { $0.time < time - timing.disorder }
    return other < (isDisputed ? time : time - timing.disorder)
  }

  private func isPlausible(_ time: Timestamp) -> Bool {
    time >= timing.earliestPlausible && time <= timing.latestPlausible
  }

  /// Whether a stamp follows those before it on the present clock.
  private func follows(_ time: Timestamp) -> Bool {
    guard let latest else { return isPlausible(time) }
    let step = time - latest
    return step <= timing.disorder && step >= TimeSpan.zero - timing.disorder
  }

  // MARK: Placing

  private mutating func pass(_ time: Timestamp) {
    latest = max(latest ?? time, time)
  }

  /// Continues with the clock of an input.
  private mutating func goOn(from time: Timestamp, into steady: inout ScanBatch) {
    if let latest {
      let now = latest + offset
      if time >= now - timing.disorder {
        // The clock is ahead, or right again.
        offset = .zero
      } else if time < latest {
        offset = now - time
        if stepsBack.count == 0 { stepsBack.first = latest - time }
        stepsBack.count += 1
        hasReportedStamp = false
        steady.inputs.append(.notice(.late(by: offset.inMilliseconds), now))
      }
    }
    latest = time
  }

  /// Places an input with a wrong stamp at its position in the file.
  private mutating func placeWrong(_ entry: Held, into steady: inout ScanBatch) {
    let next = held.lazy.map(\.time).first(where: isPlausible)
    let time = latest.map { $0 + offset } ?? next ?? entry.time
    wrongStamps += 1
    moved += 1
    if !hasReportedStamp {
      hasReportedStamp = true
      steady.inputs.append(.notice(.late(by: (time - entry.time).inMilliseconds), time))
    }
    append(entry, at: time, into: &steady)
  }

  private mutating func place(_ entry: Held, into steady: inout ScanBatch) {
    if offset != .zero { moved += 1 }
    append(entry, at: entry.time + offset, into: &steady)
  }

  private mutating func shifted(_ input: ScanInput) -> ScanInput {
    guard offset != .zero else { return input }
    moved += 1
    return input.at(input.time + offset)
  }

  private func append(_ entry: Held, at time: Timestamp, into steady: inout ScanBatch) {
    steady.append(entry.input.at(time), pointingTo: entry.payload)
  }
}

extension TimeSpan {
  /// The span rounded to a millisecond, so that it is the same after it was written in seconds and read.
  var inMilliseconds: TimeSpan {
    let half: Int64 = microseconds < 0 ? -500 : 500
    return TimeSpan(microseconds: (microseconds + half) / 1000 * 1000)
  }
}
