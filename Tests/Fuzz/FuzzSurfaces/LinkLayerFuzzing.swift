// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// A link-layer packet; the first byte chooses its PHY and the sniffer's result of the checksum.
enum LinkLayerFuzzing {
  static func consume(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    var sink = ScanSink(blockCount: bytes.count)
    LinkLayerDecoder.decode(
      bytes.span,
      in: 1..<bytes.count,
      isCoded: choice & 1 != 0,
      checksum: [.good, .bad, .unchecked, .good][Int(choice >> 1 & 3)],
      rssi: choice & 8 != 0 ? -60 : nil,
      receiver: 0,
      at: Timestamp(microseconds: 0),
      into: &sink
    )
    SinkFuzzing.inspect(sink, of: bytes)
  }
}
