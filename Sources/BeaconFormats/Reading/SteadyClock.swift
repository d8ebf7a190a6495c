// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Keeps the inputs of a capture on one clock, where the recorder's clock was set while it recorded.
///
/// A capture's inputs follow each other closely. One whose stamp is far from those around it has a wrong stamp, and is
/// placed where it stands in the file. When several in a row are earlier than those before, the clock was set back: what
/// follows is moved so that time goes on. When the clock is right again, so are the times. A jump ahead that lasts is a gap.
///
/// To tell these apart, up to ``confirmations`` inputs wait: only those behind a jump, so a capture without jumps is read
/// without any delay. How the capture is divided into batches has no effect.
package struct SteadyClock: Sendable {
  /// How far records lie out of order although the clock is right: twice the second within which sniffers and phones
  /// deliver what they buffered.
  static let disorder = TimeSpan.seconds(2)
  /// The longest jump ahead that needs no confirmation: the silence that counts as a gap.
  static let longestStep = TimeSpan.seconds(60)
  /// How many inputs in a row show that a jump is the clock's and not that of a single record.
  static let confirmations = 3
  /// No beacon was recorded before 2010, the year of Bluetooth 4.0: a capture that starts earlier was made before the
  /// clock was set.
  static let leastPlausible = Timestamp(microseconds: 1_262_304_000_000_000)
  /// A capture that starts after the year 2100 has a wrong first stamp.
  static let mostPlausible = Timestamp(microseconds: 4_102_444_800_000_000)

  /// An input that waits, with its payload.
  private struct Held {
    var input: ScanInput
    var payload: [UInt8]
  }

  /// The latest stamp on the present clock; `nil` before the first.
  private var last: Timestamp?
  /// What is added to stamps of the present clock.
  private var offset = TimeSpan.zero
  private var held: [Held] = []
  /// Whether a wrong stamp was reported since the clock was last set.
  private var hasReportedStamp = false
  /// How many inputs were given another time than their stamp.
  package private(set) var moved = 0
  /// How many times the clock was set back, and by how much the first time.
  package private(set) var stepsBack: (count: Int, first: TimeSpan) = (0, .zero)
  /// How many inputs had a wrong stamp.
  package private(set) var wrongStamps = 0

  package init() {}

  /// Returns a batch with the inputs that can be placed by now; it may be empty.
  package mutating func steady(_ batch: ScanBatch) -> ScanBatch {
    if held.isEmpty, offset == .zero, isSteady(batch) { return batch }
    var steady = ScanBatch(bytes: batch.bytes)
    steady.inputs.reserveCapacity(batch.inputs.count)
    for input in batch.inputs { place(input, from: batch, into: &steady) }
    return steady
  }

  /// Returns the inputs that still wait at the end of the capture.
  package mutating func finish() -> ScanBatch {
    var rest = ScanBatch()
    guard let first = held.first else { return rest }
    // What jumps ahead at the end may be all that follows a gap; what jumps back was never confirmed.
    if let last, first.input.time < last { placeWrong(into: &rest) } else { confirm(into: &rest) }
    return rest
  }

  /// Returns whether no input of a batch jumps, and notes its latest stamp.
  private mutating func isSteady(_ batch: borrowing ScanBatch) -> Bool {
    // Every report of every capture comes here, so plain integers are compared; none near the ends of time.
    guard var latest = last?.microseconds, latest.magnitude < 1 << 61 else { return false }
    let (back, ahead) = (Self.disorder.microseconds, Self.longestStep.microseconds)
    for index in batch.inputs.indices {
      let time = batch.inputs[index].time.microseconds
      guard time <= latest &+ ahead, time >= latest &- back else { return false }
      latest = max(latest, time)
    }
    last = Timestamp(microseconds: latest)
    return true
  }

  private mutating func place(
    _ input: ScanInput,
    from batch: borrowing ScanBatch,
    into steady: inout ScanBatch
  ) {
    let time = input.time
    let isFirst = last == nil
    if isFirst ? isPlausible(time) : follows(time) {
      if !held.isEmpty { placeWrong(before: time, into: &steady) }
      last = max(last ?? time, time)
      steady.inputs.append(shifted(input))
      return
    }
    if !held.isEmpty, !continuesHeld(time) {
      placeWrong(into: &steady)
      return place(input, from: batch, into: &steady)
    }
    var payload: [UInt8] = []
    if case .report(let report) = input { payload = Array(batch.payload(of: report)) }
    held.append(Held(input: input, payload: payload))
    if held.count >= Self.confirmations { confirm(into: &steady) }
  }

  private func isPlausible(_ time: Timestamp) -> Bool {
    time >= Self.leastPlausible && time <= Self.mostPlausible
  }

  /// Whether a stamp follows the last one on the present clock.
  private func follows(_ time: Timestamp) -> Bool {
    guard let last else { return false }
    let step = time - last
    return step <= Self.longestStep && step >= TimeSpan.zero - Self.disorder
  }

  /// Whether a stamp continues those that wait: not earlier, and on the same side of the present clock.
  private func continuesHeld(_ time: Timestamp) -> Bool {
    guard let first = held.first?.input.time, let latest = held.map(\.input.time).max() else {
      return true
    }
    guard time >= latest - Self.disorder else { return false }
    guard let last else { return true }
    return first > last || time < last - Self.disorder
  }

  /// Places inputs with wrong stamps where they stand in the file.
  private mutating func placeWrong(before next: Timestamp? = nil, into steady: inout ScanBatch) {
    let time = last.map { $0 + offset } ?? next ?? held.first?.input.time ?? .earliest
    for entry in held {
      wrongStamps += 1
      moved += 1
      if !hasReportedStamp {
        hasReportedStamp = true
        steady.inputs.append(.notice(.late(by: (time - entry.input.time).inMilliseconds), time))
      }
      append(entry, at: time, into: &steady)
    }
    held = []
  }

  /// Goes on with the clock of the inputs that wait.
  private mutating func confirm(into steady: inout ScanBatch) {
    guard let first = held.first?.input.time else { return }
    if let last {
      let now = last + offset
      if first >= now - Self.disorder {
        // The clock is ahead, or right again.
        offset = .zero
      } else if first < last {
        offset = now - first
        if stepsBack.count == 0 { stepsBack.first = last - first }
        stepsBack.count += 1
        hasReportedStamp = false
        steady.inputs.append(.notice(.late(by: offset.inMilliseconds), now))
      }
    }
    last = first
    for entry in held {
      last = max(last ?? first, entry.input.time)
      if offset != .zero { moved += 1 }
      append(entry, at: entry.input.time + offset, into: &steady)
    }
    held = []
  }

  private mutating func shifted(_ input: ScanInput) -> ScanInput {
    guard offset != .zero else { return input }
    moved += 1
    return input.at(input.time + offset)
  }

  private func append(_ entry: Held, at time: Timestamp, into steady: inout ScanBatch) {
    let input = entry.input.at(time)
    if case .report(let report) = input {
      steady.append(report, payload: entry.payload)
    } else {
      steady.inputs.append(input)
    }
  }
}

extension TimeSpan {
  /// The span rounded to a millisecond, so that it is the same after it was written in seconds and read.
  var inMilliseconds: TimeSpan {
    let half: Int64 = microseconds < 0 ? -500 : 500
    return TimeSpan(microseconds: (microseconds + half) / 1000 * 1000)
  }
}
