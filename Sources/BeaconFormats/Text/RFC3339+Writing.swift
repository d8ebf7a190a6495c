// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

extension RFC3339 {
  /// Returns a time in UTC with microseconds: `2015-03-10T17:20:01.123456Z`.
  package static func string(_ time: Timestamp) -> String {
    var bytes: [UInt8] = []
    var clock = SecondCache()
    clock.append(time, to: &bytes)
    return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Returns the time of day in UTC with milliseconds, cut: `17:20:01.123`.
  package static func timeOfDay(_ time: Timestamp) -> String {
    String(string(time).dropFirst(11).prefix(12))
  }
}
