// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

extension Date {
  /// Creates the date of a time of the timeline.
  init(_ time: Timestamp) { self.init(timeIntervalSince1970: time.secondsSince1970) }
}
