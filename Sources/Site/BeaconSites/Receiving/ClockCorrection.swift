// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Moves what receivers with a wrong clock received to the time at which it came, and keeps the order of time.
///
/// If it begins to move a receiver's inputs, it adds a notice ``SourceNotice/late(by:)``.
package struct ClockCorrection: Sendable {
  /// How far each receiver's clock is ahead, by its number.
  private let offsets: [Int: TimeSpan]
  /// How far the clock is ahead that is ahead most: so much later comes what belongs before an input.
  package let delay: TimeSpan
  private var held = HeldInputs()
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
      keep(input, batch.payload(of: input))
    }
    return held.release(until: latest - delay)
  }

  /// Returns the kept inputs, up to the end of the receivers' listening.
  package mutating func finish() -> ScanBatch {
    endReception()
    return held.release(until: .latest)
  }

  /// Moves the end as well: a receiver whose clock is ahead stopped earlier than its capture, and silence after that
  /// is not evidence.
  private mutating func endReception() {
    let ends = present.sorted().map { ($0, latest - (offsets[$0] ?? .zero)) }
    guard !offsets.isEmpty, let end = ends.map(\.1).max() else { return }
    for (receiver, last) in ends where last < end {
      guard let number = UInt8(exactly: receiver) else { continue }
      held.waiting.inputs.append(.radio(receiver: number, .gone, last))
    }
    for index in held.waiting.inputs.indices where held.waiting.inputs[index].time > end {
      switch held.waiting.inputs[index] {
      case .mark, .notice: held.waiting.inputs[index] = held.waiting.inputs[index].at(end)
      case .report, .level, .radio, .place: break
      }
    }
  }

  private mutating func keep(_ input: ScanInput, _ payload: ArraySlice<UInt8>) {
    let receiver = input.receiver.map(Int.init)
    if let receiver {
      if case .radio(_, .gone, _) = input {
        present.remove(receiver)
      } else {
        present.insert(receiver)
      }
    }
    guard let receiver, let offset = offsets[receiver] else {
      return held.waiting.append(input, pointingTo: payload)
    }
    let time = input.time - offset
    if noticed.insert(receiver).inserted {
      let by = TimeSpan(microseconds: 0 - offset.microseconds)
      held.waiting.inputs.append(.notice(.late(by: by), time))
    }
    held.waiting.append(input.at(time), pointingTo: payload)
  }
}
