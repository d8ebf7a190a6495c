// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Timestamp: CustomStringConvertible {
  /// The time in UTC in the format of RFC 3339, with microseconds.
  public var description: String { RFC3339.string(self) }
}

// A program that does not convert dates links nothing of Foundation: these two are compiled into those that do.

extension Timestamp {
  /// Creates the time of a date, to the nearest microsecond, clamped into the years 1970 to 9999.
  @_alwaysEmitIntoClient
  public init(_ date: Date) {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
    let latest = Double(Timestamp.latest.microseconds)
    // Also for a date that is infinite or no number.
    guard microseconds < latest else {
      self = .latest
      return
    }
    self.init(microseconds: microseconds > 0 ? Int64(microseconds) : 0)
  }
}

extension Date {
  /// Creates the date of a time of the timeline.
  @_alwaysEmitIntoClient
  public init(_ time: Timestamp) {
    self.init(timeIntervalSince1970: Double(time.microseconds) / 1_000_000)
  }
}
