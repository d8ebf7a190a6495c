// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
package import BeaconFormats
internal import Beacons

/// Reads arbitrary bytes as captures, for fuzzing: no input may trap.
package enum CaptureFuzzing {
  /// Reads bytes as a capture to its end, in blocks of pseudo-random sizes derived from the bytes.
  ///
  /// - Returns: How many reports there were, and how many bytes of payload they had.
  @discardableResult
  package static func consume(_ bytes: [UInt8]) -> (reports: Int, payloadBytes: Int) {
    var reports = 0
    var payloadBytes = 0
    guard
      var reader = try? CaptureReader(MemorySource(bytes, blockSizes: blockSizes(for: bytes)))
    else { return (0, 0) }
    while let batch = try? reader.next() {
      for case .report(let report) in batch.inputs {
        reports += 1
        payloadBytes += batch.payload(of: report).count
      }
    }
    return (reports, payloadBytes)
  }

  /// Reads bytes with the decoder of a given format, without recognizing the format first, which most bytes would not
  /// pass.
  package static func consume(_ bytes: [UInt8], as format: CaptureFormat) {
    guard var decoder = try? format.makeDecoder(bytes.span) else { return }
    var rest = bytes[...]
    for size in blockSizes(for: bytes) + [bytes.count] {
      let block = Array(rest.prefix(size))
      var sink = CaptureSink(blockCount: block.count)
      guard
        let consumed = try? decoder.decode(
          block.span,
          isLast: block.count == rest.count,
          into: &sink
        )
      else { return }
      if var lines = decoder as? JSONLinesDecoder {
        lines.drainUserActionLines().forEach(consume)
        decoder = lines
      }
      rest = rest.dropFirst(consumed)
      if rest.isEmpty { return }
    }
  }

  /// Reads a line about users or clients as a replay does, and restores a client's first state.
  private static func consume(_ line: UserActionLine) {
    _ = RecordedUserAction(line)
    _ = ClientStateLine(line)
    guard let request = RequestLine(line) else { return }
    var writer = CaptureLineWriter(CaptureHeader())
    writer.append("request", of: request.client, at: request.time, request.content.fields())
    switch request.content {
    case .configuration(let configuration):
      var driver = EngineDriver(configuration, startingAt: request.time)
      _ = driver.collectDeliveries()
    case .begin(let beginning):
      var driver = EngineDriver(Configuration(), startingAt: request.time)
      _ = driver.connect(
        beginning.manifest,
        restoring: beginning.saved,
        isForeground: beginning.isForeground
      )
      _ = driver.collectDeliveries()
    default: break
    }
  }

  /// Sixteen block sizes, some of them small, derived from a hash of the bytes, so that an input is always read the
  /// same way.
  private static func blockSizes(for bytes: [UInt8]) -> [Int] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (0..<16).map { _ in
      state = state &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
      return 1 << Int(state >> 60) | Int(state >> 40 & 0xFF)
    }
  }
}
