// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension ScanBatch {
  /// Appends a level of a beacon.
  package mutating func append(
    levelOf identity: BeaconIdentity,
    measuredPower: Int8,
    rssi: Int8?,
    receiver: UInt8,
    at time: Timestamp
  ) {
    let start = bytes.count
    BeaconEncoder.append(frameOf: identity, measuredPower: measuredPower, to: &bytes)
    var report = AdvertisingReport(
      time: time,
      rssi: rssi,
      receiver: receiver,
      payloadStart: UInt32(truncatingIfNeeded: start),
      payloadCount: UInt16(bytes.count - start)
    )
    report.found = FoundFrame(.frame(at: 0))
    inputs.append(.level(report))
  }

  /// Returns the beacon of a report or a level, or the reason of its absence.
  package func reading(of report: AdvertisingReport) -> BeaconReading {
    BeaconDecoder.read(report, in: bytes.span)
  }

  /// Returns the packet of a report; that of a level is made of its beacon, for outputs that can only write packets.
  package func packet(
    of input: ScanInput
  ) -> (report: AdvertisingReport, payload: ArraySlice<UInt8>)? {
    guard var report = input.report else { return nil }
    guard case .level = input else { return (report, payload(of: report)) }
    report.found = FoundFrame()
    return (report, BeaconEncoder.structureStart + payload(of: input))
  }
}
