// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// Writes scan inputs in a form for tests: beacons by name, times in seconds from a start.
public struct TestScan {
  /// The time of second 0.
  public static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  public static let museum: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E

  public private(set) var batch = ScanBatch()

  public init() {}

  public static func at(_ seconds: Double) -> Timestamp { start + TimeSpan(seconds: seconds) }

  public static func beacon(_ major: UInt16, _ minor: UInt16) -> BeaconIdentity {
    BeaconIdentity(uuid: museum, major: major, minor: minor)
  }

  /// Adds a report.
  public mutating func report(
    _ identity: BeaconIdentity,
    _ rssi: Int8?,
    at seconds: Double,
    power: Int8 = -59,
    receiver: UInt8 = 0,
    address: UInt64? = nil
  ) {
    batch.append(
      AdvertisingReport(
        time: TestScan.at(seconds),
        rssi: rssi,
        receiver: receiver,
        address: address.map { DeviceAddress($0, kind: .random) },
        payloadStart: 0,
        payloadCount: 0
      ),
      payload: BeaconEncoder.advertisingData(identity, measuredPower: power)
    )
  }

  /// Adds a report with any payload.
  public mutating func raw(_ payload: [UInt8], _ rssi: Int8? = -60, at seconds: Double) {
    batch.append(
      AdvertisingReport(time: TestScan.at(seconds), rssi: rssi, payloadStart: 0, payloadCount: 0),
      payload: payload
    )
  }

  /// Adds a mark.
  public mutating func mark(at seconds: Double) {
    batch.inputs.append(.mark(TestScan.at(seconds)))
  }

  /// Adds any other input.
  public mutating func add(_ input: ScanInput) {
    batch.inputs.append(input)
  }

  /// Adds marks every 10 s, as a live source gives them.
  public mutating func marks(from first: Double, through last: Double) {
    for seconds in stride(from: first, through: last, by: 10) { mark(at: seconds) }
  }

  /// The batch, with the inputs ordered by time; inputs of the same time are in the order in which they were added.
  public var inOrder: ScanBatch {
    var ordered = batch
    ordered.inputs = batch.inputs.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
    return ordered
  }
}

extension TestScan {
  /// Beacons that are received ten times a second at strengths that fall with their number.
  public static func gallery(of count: Int, seconds: Int) -> TestScan {
    var scan = TestScan()
    for tenth in 0..<seconds * 10 {
      for number in 0..<count {
        scan.report(
          beacon(UInt16(number / 20 + 1), UInt16(number % 20 + 1)),
          Int8(clamping: -45 - (number * 50) / max(count, 10) - (tenth * 7 + number) % 5),
          at: Double(tenth) / 10 + Double(number) / Double(count * 10)
        )
      }
    }
    return scan
  }
}
