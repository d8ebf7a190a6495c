// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats

/// The entry of the JSON Lines reader for fuzzing.
enum JSONLinesFuzzing {
  /// How many bytes the decoder is shown at first; small, so that lines are cut everywhere.
  private static let firstBlock = 64

  /// Reads any bytes in small blocks, writes what was heard, and reads that again.
  ///
  /// Whatever the bytes are, nothing may trap, and what was written must be heard again.
  ///
  /// - Returns: Whether the second reading gave as many inputs as the first.
  @discardableResult
  static func consume(_ bytes: [UInt8]) -> Bool {
    let first = read(bytes)
    var writer = CaptureLineWriter(first.header, redacting: false)
    for batch in first.batches { writer.append(batch) }
    let second = read(writer.bytes)
    return first.batches.reduce(0) { $0 + $1.inputs.count }
      == second.batches.reduce(0) { $0 + $1.inputs.count }
  }

  private static func read(_ bytes: [UInt8]) -> (header: CaptureHeader, batches: [ScanBatch]) {
    var decoder = JSONLinesDecoder()
    var batches: [ScanBatch] = []
    var names: [String] = []
    var start = 0
    var wanted = firstBlock
    while start < bytes.count {
      let block = Array(bytes[start..<min(start + wanted, bytes.count)])
      let isLast = start + block.count == bytes.count
      var sink = CaptureSink(blockCount: block.count)
      let consumed = (try? decoder.decode(block.span, isLast: isLast, into: &sink)) ?? 0
      batches.append(ScanBatch(bytes: block + sink.extraBytes, inputs: sink.inputs))
      if !sink.receiverNames.isEmpty { names = sink.receiverNames }
      if consumed == 0 {
        if isLast { break }
        wanted *= 2
      } else {
        start += consumed
        wanted = firstBlock
      }
    }
    var header = decoder.header ?? CaptureHeader()
    header.receivers = names
    return (header, batches)
  }
}
