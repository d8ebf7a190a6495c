// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

@testable import BeaconFormats

/// The result of a decoder for some JSON Lines, passed at once or in blocks.
struct DecodedLines {
  /// An input with the payload it points at.
  struct Received: Equatable {
    var input: ScanInput
    var payload: [UInt8]
  }

  var inputs: [Received] = []
  var records = 0
  var drops = Tally<DropReason>()
  var notes: [String] = []
  var receiverNames: [String] = []
  var decoder = JSONLinesDecoder()
  var damage: CaptureDamage?

  init(_ bytes: [UInt8], block size: Int = .max, usesScanner: Bool = true) {
    decoder.usesScanner = usesScanner
    var start = 0
    var wanted = size
    while start < bytes.count {
      let end = wanted < bytes.count - start ? start + wanted : bytes.count
      let block = Array(bytes[start..<end])
      var sink = CaptureSink(blockCount: block.count)
      var consumed = 0
      do {
        consumed = try decoder.decode(block.span, isLast: end == bytes.count, into: &sink)
      } catch {
        damage = error
      }
      collect(sink, block: block)
      if damage != nil || consumed == 0 && end == bytes.count { break }
      wanted = consumed == 0 ? wanted + size : size
      start += consumed
    }
  }

  init(_ text: String) {
    self.init(Array(text.utf8))
  }

  private mutating func collect(_ sink: CaptureSink, block: [UInt8]) {
    let batch = ScanBatch(bytes: block + sink.extraBytes, inputs: sink.inputs)
    for input in sink.inputs {
      guard case .report(var report) = input else {
        inputs.append(Received(input: input, payload: []))
        continue
      }
      let payload = Array(batch.payload(of: report))
      report.payloadStart = 0
      inputs.append(Received(input: .report(report), payload: payload))
    }
    records += sink.records
    drops.add(sink.drops)
    notes += sink.notes
    if !sink.receiverNames.isEmpty { receiverNames = sink.receiverNames }
  }

  var reports: [AdvertisingReport] {
    inputs.compactMap { if case .report(let report) = $0.input { report } else { nil } }
  }
}
