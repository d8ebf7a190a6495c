// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Engine {
  /// Processes a batch to its end, with a client that answers each delivery, and returns all deliveries.
  public mutating func run(
    _ batch: ScanBatch,
    ending: Bool = true,
    answer: (Delivery, inout Engine, inout [Delivery]) -> Void = { _, _, _ in }
  ) -> [Delivery] {
    var all: [Delivery] = []
    var index: Int? = 0
    while let next = index {
      var told: [Delivery] = []
      index = hear(batch, from: next, into: &told)
      drain(&told, into: &all, answer: answer)
    }
    while ending {
      var told: [Delivery] = []
      let more = end(into: &told)
      drain(&told, into: &all, answer: answer)
      if !more { break }
    }
    return all
  }

  private mutating func drain(
    _ told: inout [Delivery],
    into all: inout [Delivery],
    answer: (Delivery, inout Engine, inout [Delivery]) -> Void
  ) {
    while !told.isEmpty {
      let delivery = told.removeFirst()
      all.append(delivery)
      answer(delivery, &self, &told)
    }
  }
}

extension Delivery {
  /// Seconds from the start of the test's timeline.
  public var seconds: Double { (time - TestScan.start).seconds }

  /// The entries of a tick; `nil` for any other event.
  public var ranged: [ConstraintRanging]? {
    guard case .ranged(let entries) = event else { return nil }
    return entries
  }
}
