// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import Testing

/// The tables and queues of a live source are bounded, and evictions are counted.
struct BoundTests {
  @Test func `a flood of devices does not evict one that is received`() {
    var table = DeviceTable(capacity: 100)
    table.add(7, .random)
    var most = 0
    for stranger: UInt64 in 1000..<6000 {
      table.add(stranger, .publicDevice)
      if stranger % 20 == 0 { #expect(table.kind(of: 7) == .random) }
      most = max(most, table.count)
    }
    #expect(most <= 100 && most > 50)
    // Each added device is either present or evicted.
    #expect(table.evicted + table.count == 5001)
    #expect(table.kind(of: 1000) == nil)
    #expect(table.kind(of: 5999) == .publicDevice)
  }

  /// Row B6.
  @Test func `devices that are removed make room`() {
    var table = DeviceTable(capacity: 4)
    for device: UInt64 in 0..<1000 {
      table.add(device, .random)
      table.remove(device)
      #expect(table.kind(of: device) == nil)
    }
    #expect(table.count == 0 && table.evicted == 0)
  }

  /// Law L6.
  @Test func `neither reports nor bytes accumulate while nobody pulls`() async throws {
    let start = Timestamp(microseconds: 0)
    let outbox = ReportQueue(start: start, interval: .seconds(1))
    let payload = [UInt8](repeating: 1, count: 30)
    for round in 0..<3 {
      for _ in 0..<(ReportQueue.capacity / 64) {
        var received = ScanBatch()
        for _ in 0..<64 {
          let time = start + .milliseconds(Int64(round))
          received.append(
            AdvertisingReport(time: time, rssi: nil, payloadStart: 0, payloadCount: 0),
            payload: payload
          )
        }
        outbox.deliver(&received, upTo: start, BlueZStatistics())
      }
    }
    #expect(outbox.statistics.dropped == 2 * ReportQueue.capacity)
    var none = ScanBatch()
    outbox.deliver(&none, upTo: start + .seconds(60), BlueZStatistics())
    let batch = try #require(await outbox.next(until: nil, wake: {}))
    #expect(batch.inputs.count == ReportQueue.capacity)
    #expect(batch.bytes.count == ReportQueue.capacity * payload.count)
    guard case .report(let last) = batch.inputs.last else { return }
    #expect(Array(batch.payload(of: last)) == payload)
  }
}
