// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Inputs that wait for a time, and are then given in the order of time.
///
/// Inputs of one time keep the order in which they were added.
package struct HeldInputs: Sendable {
  /// The inputs, in the order in which they were added.
  package var waiting = ScanBatch()

  package init() {}

  /// Returns the inputs up to and including a time, and keeps the others.
  package mutating func release(until time: Timestamp) -> ScanBatch {
    let inputs = waiting.inputs
    let due = inputs.indices.filter { inputs[$0].time <= time }
      .sorted { (inputs[$0].time, $0) < (inputs[$1].time, $1) }
    guard !due.isEmpty else { return ScanBatch() }
    let released = waiting.piece(due.map { inputs[$0] })
    waiting = waiting.piece(inputs.filter { $0.time > time })
    return released
  }
}

extension ScanBatch {
  /// Returns some of the inputs, with only the bytes that they point to.
  package func piece(_ inputs: some Sequence<ScanInput>) -> ScanBatch {
    var piece = ScanBatch()
    for input in inputs { piece.append(input, pointingTo: payload(of: input)) }
    return piece
  }
}
