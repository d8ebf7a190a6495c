// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore

/// Packets of the kernel's monitor channel, cut by the lengths they claim; the rest at the end is a cut-off packet.
enum MonitorFuzzing {
  static func consume(_ bytes: [UInt8]) {
    var decoder = MonitorDecoder()
    var start = 0
    while start < bytes.count {
      let isHeaded = start + MonitorFrame.headerCount <= bytes.count
      let claimed = isHeaded ? Int(bytes[start + 4]) | Int(bytes[start + 5]) << 8 : 0
      let end = min(start + MonitorFrame.headerCount + claimed, bytes.count)
      decoder.receive(
        bytes.span.extracting(start..<end),
        isCut: false,
        at: Timestamp(microseconds: Int64(start)),
        receiver: { $0 < 4 ? UInt8($0) : nil }
      )
      start = end
    }
    let batch = decoder.drainBatch()
    for case .report(let report) in batch.inputs {
      precondition(batch.payload(of: report).count == Int(report.payloadCount), "outside its batch")
      precondition(report.receiver < 4, "a receiver that is not listened with")
    }
    precondition(decoder.drainBatch().inputs.isEmpty, "told twice")
    for adapter in decoder.adapters { _ = adapter.mayHave(address: "00:11:22:33:44:55") }
  }
}
