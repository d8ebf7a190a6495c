// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Moves what receivers with a wrong clock received to the time at which it came, and keeps the order of time.
///
/// Where it begins to move a receiver's inputs, it adds a notice ``SourceNotice/late(by:)``.
package struct ClockCorrection: Sendable {
  private struct Held: Sendable {
    var input: ScanInput
    var payload: [UInt8]
  }

  /// How far each receiver's clock is ahead, by its number.
  private let offsets: [Int: TimeSpan]
  /// How far the clock is ahead that is ahead most: so much later comes what belongs before an input.
  package let delay: TimeSpan
  private var held: [Held] = []
  private var latest = Timestamp.earliest
  private var noticed: Set<Int> = []
  /// The receivers that are not gone.
  private var present: Set<Int> = []

  /// - Parameter offsets: The clocks that are off.
  package init(_ offsets: [ClockOffset]) {
    self.offsets = Dictionary(offsets.map { ($0.receiver, $0.offset) }) { first, _ in first }
    delay = offsets.map(\.offset).reduce(.zero, max)
  }

  /// Returns the inputs that can come no later, and keeps the others.
  package mutating func add(_ batch: ScanBatch) -> ScanBatch {
    guard !offsets.isEmpty else { return batch }
    for input in batch.inputs {
      latest = max(latest, input.time)
      keep(input, Array(batch.payload(of: input)))
    }
    return release(until: latest - delay)
  }

  /// Returns what is kept, up to the end of what the receivers could receive.
  package mutating func finish() -> ScanBatch {
    endReception()
    return release(until: .latest)
  }

  /// Moves the end, too: a receiver whose clock is ahead stopped earlier than its capture says, and silence after that
  /// is none.
  private mutating func endReception() {
    let ends = present.sorted().map { ($0, latest - (offsets[$0] ?? .zero)) }
    guard !offsets.isEmpty, let end = ends.map(\.1).max() else { return }
    for (receiver, last) in ends where last < end {
      guard let number = UInt8(exactly: receiver) else { continue }
      held.append(Held(input: .radio(receiver: number, .gone, last), payload: []))
    }
    for index in held.indices where held[index].input.time > end {
      switch held[index].input {
      case .mark, .notice: held[index].input = held[index].input.at(end)
      case .report, .radio, .place: break
      }
    }
  }

  private mutating func keep(_ input: ScanInput, _ payload: [UInt8]) {
    let receiver: Int?
    switch input {
    case .report(let report): receiver = Int(report.receiver)
    case .radio(let number, _, _): receiver = Int(number)
    case .mark, .notice, .place: receiver = nil
    }
    if let receiver {
      if case .radio(_, .gone, _) = input {
        present.remove(receiver)
      } else {
        present.insert(receiver)
      }
    }
    guard let receiver, let offset = offsets[receiver] else {
      return held.append(Held(input: input, payload: payload))
    }
    let time = input.time - offset
    if noticed.insert(receiver).inserted {
      let by = TimeSpan(microseconds: 0 - offset.microseconds)
      held.append(Held(input: .notice(.late(by: by), time), payload: []))
    }
    held.append(Held(input: input.at(time), payload: payload))
  }

  private mutating func release(until time: Timestamp) -> ScanBatch {
    // A stable order: of one time, what was first stays first.
    let order = held.indices.sorted { (held[$0].input.time, $0) < (held[$1].input.time, $1) }
    var batch = ScanBatch()
    var rest: [Held] = []
    for index in order {
      if held[index].input.time <= time {
        batch.append(held[index].input, pointingTo: held[index].payload)
      } else {
        rest.append(held[index])
      }
    }
    held = rest
    return batch
  }
}
