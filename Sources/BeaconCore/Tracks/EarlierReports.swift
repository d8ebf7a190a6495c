// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What of a second had been heard of a beacon when a client began to range in its midst; none of it is the client's.
struct EarlierReports: Sendable {
  let reports: Int32
  let rssiCount: Int32
  let rssiSum: Int32

  init(_ track: borrowing Track) {
    reports = track.reports
    rssiCount = track.rssiCount
    rssiSum = track.rssiSum
  }

  /// Returns what a tick tells of the beacon without these; `nil` where nothing came after them.
  func taken(from beacon: RangedBeacon) -> RangedBeacon? {
    guard beacon.reports > Int(reports) else { return nil }
    var rest = beacon
    let count = beacon.reports - Int(beacon.unmeasured)
    let sum = (beacon.rssi ?? 0) * Double(count) - Double(rssiSum)
    rest.reports = beacon.reports - Int(reports)
    rest.rssi = count > Int(rssiCount) ? sum.rounded() / Double(count - Int(rssiCount)) : nil
    return rest
  }
}
