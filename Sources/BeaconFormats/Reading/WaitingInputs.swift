// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// A priority queue of inputs with their payloads, the earliest first.
struct WaitingInputs: Sendable {
  /// The order in which inputs leave the queue.
  struct Order: Comparable {
    let time: Timestamp
    let source: Int
    let number: Int

    static func < (lhs: Order, rhs: Order) -> Bool {
      if lhs.time != rhs.time { return lhs.time < rhs.time }
      if lhs.source != rhs.source { return lhs.source < rhs.source }
      return lhs.number < rhs.number
    }
  }

  private struct Entry {
    var order: Order
    /// A report's payload lies in ``WaitingInputs/pool``.
    var input: ScanInput
  }

  /// How many bytes of payloads that have left the queue may stay in the pool, besides as many bytes as still wait:
  /// enough that the pool is seldom compacted.
  private static let wasteLimit = 64 * 1024

  /// A binary heap.
  private var entries: [Entry] = []
  private var pool: [UInt8] = []
  private var waitingBytes = 0

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  var earliestTime: Timestamp? { entries.first?.order.time }

  mutating func insert(_ input: ScanInput, _ order: Order, from batch: borrowing ScanBatch) {
    var input = input
    if case .report(var report) = input {
      let payload = batch.payload(of: report)
      compactIfNeeded()
      report.payloadStart = UInt32(truncatingIfNeeded: pool.count)
      report.payloadCount = UInt16(truncatingIfNeeded: payload.count)
      pool += payload
      waitingBytes += payload.count
      input = .report(report)
    }
    entries.append(Entry(order: order, input: input))
    siftUp(entries.count - 1)
  }

  mutating func popEarliest(into batch: inout ScanBatch) {
    guard let first = entries.first, let last = entries.popLast() else { return }
    if !entries.isEmpty {
      entries[0] = last
      siftDown(0)
    }
    guard case .report(let report) = first.input else {
      batch.inputs.append(first.input)
      return
    }
    waitingBytes -= Int(report.payloadCount)
    batch.append(report, payload: payload(of: report))
  }

  private func payload(of report: AdvertisingReport) -> ArraySlice<UInt8> {
    pool[Int(report.payloadStart)..<Int(report.payloadStart) + Int(report.payloadCount)]
  }

  /// Rebuilds the pool from the payloads that still wait, once most of it is unused.
  private mutating func compactIfNeeded() {
    guard pool.count > 2 * waitingBytes + Self.wasteLimit else { return }
    var compacted: [UInt8] = []
    compacted.reserveCapacity(waitingBytes)
    for index in entries.indices {
      guard case .report(var report) = entries[index].input else { continue }
      let payload = payload(of: report)
      report.payloadStart = UInt32(truncatingIfNeeded: compacted.count)
      compacted += payload
      entries[index].input = .report(report)
    }
    pool = compacted
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0 {
      let parent = (index - 1) / 2
      guard entries[index].order < entries[parent].order else { return }
      entries.swapAt(index, parent)
      index = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < entries.count && entries[child].order < entries[least].order {
        least = child
      }
      guard least != index else { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
