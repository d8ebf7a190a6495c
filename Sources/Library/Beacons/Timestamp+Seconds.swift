// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

extension Timestamp: CustomStringConvertible {
  /// The time in UTC in the format of RFC 3339, with microseconds.
  public var description: String { RFC3339.string(self) }
}

// Seconds as a number instead of Foundation's `Date`: the library for it costs each program two megabytes of memory.

extension Timestamp {
  /// Creates a time from seconds since 1970, such as a `Date`'s, to the nearest microsecond, clamped into the years 1970
  /// to 9999.
  public init(secondsSince1970 seconds: Double) {
    let microseconds = (seconds * 1_000_000).rounded()
    let latest = Double(Timestamp.latest.microseconds)
    // Also for seconds that are infinite or no number.
    guard microseconds < latest else {
      self = .latest
      return
    }
    self.init(microseconds: microseconds > 0 ? Int64(microseconds) : 0)
  }

  /// The seconds since 1970: `Date(timeIntervalSince1970: time.secondsSince1970)`.
  public var secondsSince1970: Double { Double(microseconds) / 1_000_000 }
}
