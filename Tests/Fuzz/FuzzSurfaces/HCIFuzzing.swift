// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// HCI events one after another, cut by their own lengths so that fragments of one report can follow each other; what
/// is left at the end is a cut-off event.
enum HCIFuzzing {
  static func consume(_ bytes: [UInt8]) {
    var decoder = HCIEventDecoder()
    var sink = ScanSink(blockCount: bytes.count)
    var start = 0
    while start < bytes.count {
      let length = start + 1 < bytes.count ? 2 + Int(bytes[start + 1]) : 1
      let end = min(start + length, bytes.count)
      let time = Timestamp(microseconds: Int64(start))
      decoder.decode(bytes.span, in: start..<end, receiver: 0, at: time, into: &sink)
      start = end
    }
    decoder.finish(into: &sink)
    SinkFuzzing.inspect(sink, of: bytes)
  }
}
