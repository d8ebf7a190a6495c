// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a region state was told.
public enum RegionStateReason: String, Sendable, CaseIterable {
  /// A matching beacon was heard.
  case heard
  /// A matching beacon came within the zone's inner distance.
  case cameInRange
  /// The last matching beacon has been silent for its exit time.
  case allSilent
  /// The last matching beacon went beyond the zone's outer distance.
  case leftRange
  /// Nothing matching was heard for the time of a first determination.
  case nothingHeard
  /// Every receiver is off or not scanning.
  case radioOff
  /// No receiver hears what it should.
  case radioDeaf
  /// No receiver is there.
  case radioGone
  /// The client may not know.
  case authorization
  /// The client may know only roughly where it is.
  case accuracy
  /// The client is not in use; only ever the answer to a request, for the region is tracked on.
  case notInUse
  /// The client asked.
  case requested
  /// The caller said so when monitoring began.
  case assumed
  /// An earlier run had saved it.
  case restored
  /// The engine ends.
  case shutdown
}
