// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import Synchronization

/// The inputs of a pure reader, such as a simulated visit.
package final class ReaderSource: ScanSource {
  private struct State {
    var reader: any ScanReader
    var first: ScanBatch?
  }

  package let receiverNames: [String]
  package var isLive: Bool { false }
  private let state: Mutex<State>

  package init(_ reader: sending any ScanReader, receiverNames: [String]) {
    self.receiverNames = receiverNames
    state = Mutex(State(reader: reader))
  }

  package var now: Timestamp {
    get throws {
      try state.withLock { state in
        while state.first?.inputs.isEmpty ?? true {
          guard let batch = try state.reader.next() else { return .earliest }
          state.first = batch
        }
        return state.first?.inputs.first?.time ?? .earliest
      }
    }
  }

  package func next(until deadline: Timestamp?) throws -> ScanBatch? {
    try state.withLock { state in try state.first.take() ?? state.reader.next() }
  }
}
