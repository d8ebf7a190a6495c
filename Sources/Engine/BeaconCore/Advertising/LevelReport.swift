// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The level of a beacon, as another program summed its packets.
///
/// A gateway or a service sends the sums of a second. Each sum becomes as many levels as there were reports; an engine
/// treats a level as it treats a report. The beacon's frame lies in the ``ScanBatch``, so that an input keeps its 32 bytes.
public struct LevelReport: Sendable, Equatable {
  /// The time as of which it was received, on the source's timeline.
  public var time: Timestamp
  /// The start of the frame in ``ScanBatch/bytes``.
  package var start: UInt32
  /// The receiver, as an index into the source's receivers.
  public var receiver: UInt8
  /// The level in whole dBm; `nil` if no report had one.
  public var rssi: Int8?

  /// The report that an engine processes: nothing else is known of the packet.
  package var report: AdvertisingReport {
    AdvertisingReport(
      time: time,
      rssi: rssi,
      receiver: receiver,
      payloadStart: 0,
      payloadCount: 0
    )
  }
}

extension ScanBatch {
  /// Appends a level of a beacon.
  package mutating func append(
    levelOf identity: BeaconIdentity,
    measuredPower: Int8,
    rssi: Int8?,
    receiver: UInt8,
    at time: Timestamp
  ) {
    let start = UInt32(truncatingIfNeeded: bytes.count)
    BeaconEncoder.append(frameOf: identity, measuredPower: measuredPower, to: &bytes)
    inputs.append(.level(LevelReport(time: time, start: start, receiver: receiver, rssi: rssi)))
  }

  /// Returns the beacon of a report or a level, or the reason of its absence; `nil` for another input.
  package func reading(of input: ScanInput) -> BeaconReading? {
    switch input {
    case .report(let report): BeaconDecoder.read(report, in: bytes.span)
    case .level(let level): BeaconDecoder.read(level, in: bytes.span)
    case .radio, .mark, .notice, .place: nil
    }
  }

  /// Returns the packet of a report; that of a level is made of its beacon, for what can only write packets.
  package func packet(
    of input: ScanInput
  ) -> (report: AdvertisingReport, payload: ArraySlice<UInt8>)? {
    switch input {
    case .report(let report): (report, payload(of: report))
    case .level(let level): (level.report, BeaconEncoder.structureStart + payload(of: input))
    case .radio, .mark, .notice, .place: nil
    }
  }
}
