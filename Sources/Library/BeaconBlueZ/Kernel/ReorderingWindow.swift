// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Orders inputs by time before the engine admits them, with a bounded delay.
///
/// The kernel stamps a packet when it receives it from the controller, and passes it to the monitor channel a little
/// later, on another thread. In between, other inputs may have been stamped.
package struct ReorderingWindow: Sendable {
  /// How long an input is held back.
  ///
  /// It is longer than the kernel's work queue takes on a busy small machine (27 ms under emulation), and far too short
  /// for a user to notice.
  package static let length = TimeSpan.milliseconds(50)
  /// The shortest time between two releases, so that many reports do not cause a wake-up each.
  package static let interval = TimeSpan.milliseconds(6)

  private var bytes: [UInt8] = []
  private var inputs: [ScanInput] = []
  private var lastRelease = Timestamp.earliest

  /// Creates an empty window.
  package init() {}

  /// Whether nothing is held back.
  package var isEmpty: Bool { inputs.isEmpty }

  /// When ``release(upTo:)`` will have something to return; `nil` while nothing is held back.
  package var nextRelease: Timestamp? {
    inputs.first.map { max($0.time + Self.length, lastRelease + Self.length + Self.interval) }
  }

  /// Adds inputs in the order of their times.
  ///
  /// Inputs of the same time keep the order in which they were added.
  package mutating func add(_ batch: borrowing ScanBatch) {
    guard !batch.inputs.isEmpty else { return }
    let start = bytes.count
    bytes += batch.bytes
    for input in batch.inputs {
      let input = input.pointing(to: start + input.pointsTo.lowerBound)
      var place = inputs.count
      while place > 0, inputs[place - 1].time > input.time { place -= 1 }
      inputs.insert(input, at: place)
    }
  }

  /// Returns the inputs up to and including a time, and keeps the others.
  package mutating func release(upTo time: Timestamp) -> ScanBatch {
    lastRelease = max(lastRelease, time)
    let count = inputs.firstIndex { $0.time > time } ?? inputs.count
    guard count > 0 else { return ScanBatch() }
    guard count < inputs.count else {
      defer { (bytes, inputs) = ([], []) }
      return ScanBatch(bytes: bytes, inputs: inputs)
    }
    let held = ScanBatch(bytes: bytes, inputs: inputs)
    (bytes, inputs) = ([], [])
    add(held.piece(held.inputs[count...]))
    return held.piece(held.inputs[..<count])
  }
}
