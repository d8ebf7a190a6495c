// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reports of a beacon in a second before a client started to range within that second; the client must not receive
/// them.
struct EarlierReports: Sendable {
  let reports: Int32
  let rssiCount: Int32
  let rssiSum: Int32

  init(_ track: borrowing Track) {
    reports = track.reports
    rssiCount = track.rssiCount
    rssiSum = track.receivedSum
  }

  /// Returns the beacon of a tick without these reports; `nil` without later ones.
  func subtracted(from beacon: RangedBeacon) -> RangedBeacon? {
    guard beacon.reports > Int(reports) else { return nil }
    var rest = beacon
    let count = beacon.reports - Int(beacon.unmeasured)
    let sum = (beacon.rssi ?? 0) * Double(count) - Double(rssiSum)
    rest.reports = beacon.reports - Int(reports)
    rest.rssi = count > Int(rssiCount) ? sum.rounded() / Double(count - Int(rssiCount)) : nil
    return rest
  }
}
