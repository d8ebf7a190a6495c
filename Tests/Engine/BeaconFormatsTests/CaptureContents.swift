// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import Foundation

/// One report with its payload, to compare.
struct ReceivedReport: Equatable, CustomStringConvertible {
  var time: Timestamp
  var address: DeviceAddress?
  var rssi: Int8?
  var receiver: UInt8
  var kind: AdvertisingEventKind?
  var payload: [UInt8]

  var description: String {
    "\(time.microseconds) \(address?.bits ?? 0) \(rssi.map(String.init) ?? "-") \(receiver) "
      + "\(kind.map { "\($0)" } ?? "-") \(payload)"
  }

  init(_ report: AdvertisingReport, in batch: ScanBatch) {
    time = report.time
    address = report.address
    rssi = report.rssi
    receiver = report.receiver
    kind = report.kind
    payload = Array(batch.payload(of: report))
  }
}

/// Everything a reader returns about a capture.
struct CaptureContents {
  var reports: [ReceivedReport] = []
  var reader: CaptureReader<MemorySource>

  init(_ bytes: [UInt8], blockSizes: [Int] = []) throws {
    reader = try CaptureReader(MemorySource(bytes, blockSizes: blockSizes))
    while let batch = try reader.next() {
      for case .report(let report) in batch.inputs {
        reports.append(ReceivedReport(report, in: batch))
      }
    }
  }

  init(_ file: URL) throws {
    try self.init([UInt8](Data(contentsOf: file)))
  }
}
