// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

@testable import BeaconCore

extension Engine {
  /// Processes a batch to its end, lets a client answer each delivery, and returns all deliveries.
  mutating func run(
    _ batch: ScanBatch,
    ending: Bool = true,
    answer: (Delivery, inout Engine, inout [Delivery]) -> Void = { _, _, _ in }
  ) -> [Delivery] {
    var all: [Delivery] = []
    var index: Int? = 0
    while let next = index {
      var delivered: [Delivery] = []
      index = processOn(batch, from: next, into: &delivered)
      drain(&delivered, into: &all, answer: answer)
    }
    while ending {
      var delivered: [Delivery] = []
      let more = end(into: &delivered)
      drain(&delivered, into: &all, answer: answer)
      if !more { break }
    }
    return all
  }

  private mutating func drain(
    _ delivered: inout [Delivery],
    into all: inout [Delivery],
    answer: (Delivery, inout Engine, inout [Delivery]) -> Void
  ) {
    while !delivered.isEmpty {
      let delivery = delivered.removeFirst()
      all.append(delivery)
      answer(delivery, &self, &delivered)
    }
  }

  /// Processes a batch from an index up to the next delivery.
  mutating func processOn(
    _ batch: borrowing ScanBatch,
    from index: Int = 0,
    into out: inout [Delivery]
  ) -> Int? {
    if let next = process(batch, in: index..<batch.inputs.count, into: &out) { return next }
    guard let upTo = batch.upTo, reach(upTo, into: &out) else { return nil }
    return batch.inputs.count
  }

  /// Delivers what is due before an action at a time, in a timeline without gaps.
  mutating func pass(before time: Timestamp, into out: inout [Delivery]) -> Bool {
    passTime(beforeActionAt: time, nextInput: nil, into: &out)
  }
}
