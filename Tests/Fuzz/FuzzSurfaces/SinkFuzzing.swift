// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// The contents of a decoder's sink must make a sound batch.
enum SinkFuzzing {
  /// Requires that each report's payload lies in the block or in the kept state next to it.
  static func inspect(_ sink: ScanSink, of block: [UInt8]) {
    let batch = ScanBatch(bytes: block + sink.extraBytes, inputs: sink.inputs)
    for case .report(let report) in batch.inputs {
      let payload = batch.payload(of: report)
      precondition(payload.count == Int(report.payloadCount), "a payload outside its batch")
      _ = BeaconDecoder.read(
        advertisingData: batch.bytes.span,
        in: payload.startIndex..<payload.endIndex
      )
    }
  }
}
