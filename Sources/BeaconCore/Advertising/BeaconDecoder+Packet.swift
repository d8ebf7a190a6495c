// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension BeaconDecoder {
  /// Reads an HCI packet that begins with its H4 type byte (`04`, an event).
  ///
  /// - Returns: The first valid frame of any report in the event, else what came nearest to one.
  public static func read(packet bytes: [UInt8]) -> BeaconReading {
    guard !bytes.isEmpty else { return .rejected(.empty) }
    guard bytes.count >= 4, bytes[0] == 0x04, bytes[1] == 0x3E,
      HCIEventDecoder.isAdvertisingReport(bytes.span, in: 1..<bytes.count)
    else { return .rejected(.notAnAdvertisingReport) }
    var decoder = HCIEventDecoder()
    var sink = ScanSink(blockCount: bytes.count)
    decoder.decode(bytes.span, in: 1..<bytes.count, receiver: 0, at: .earliest, into: &sink)
    if sink.drops.total > 0 { return .rejected(.malformedEvent) }
    let all = bytes + sink.extraBytes
    var nearest = Nearest()
    for case .report(let report) in sink.inputs {
      let start = Int(report.payloadStart)
      let range = start..<start + Int(report.payloadCount)
      let reading = read(advertisingData: all.span, in: range)
      if case .beacon = reading { return reading }
      nearest.consider(reading)
    }
    return nearest.reading
  }
}
