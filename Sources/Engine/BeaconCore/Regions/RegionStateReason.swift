// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a region state was delivered; the raw values are the names in outputs.
public enum RegionStateReason: String, Sendable, CaseIterable {
  /// A matching beacon was received.
  case received = "heard"
  /// A matching beacon came within the zone's inner distance.
  case cameInRange
  /// The last matching beacon has been silent for its exit time.
  case allSilent
  /// The last matching beacon went beyond the zone's outer distance.
  case leftRange
  /// No matching beacon was received for the time of a first determination.
  case nothingReceived = "nothingHeard"
  /// Matching beacons were received in that time, but the zone knows the distance of none.
  case distanceUnknown
  /// Matching beacons were received in that time, but none as strongly as the region requires.
  case tooWeak
  /// Matching beacons were received in that time, but less often than the region requires.
  case tooFewReports
  /// A matching beacon came to the region's place.
  case cameToPlace
  /// The last matching beacon left the region's place: it is in another one, or nowhere in the site.
  case leftPlace
  /// The place of a matching beacon is not known.
  case placeUnknown
  /// Every receiver is off or not scanning.
  case radioOff
  /// No receiver receives as it should.
  case radioDeaf
  /// No receiver is present.
  case radioGone
  /// The client is not authorized.
  case authorization
  /// The client's accuracy is reduced.
  case accuracy
  /// The client's manifest demands an explicit service session.
  case serviceSession
  /// The client is not in use; only in answers to requests, since monitoring continues.
  case notInUse
  /// The client requested it.
  case requested
  /// The client registered the same region again.
  case registeredAgain
  /// The client is in use again, and the last state delivered to it was another (row D8).
  case resumed
  /// The client requested it of a region that it does not monitor.
  case notMonitored
  /// The client monitors as many regions as it may; only in a monitor's events.
  case limitExceeded
  /// The condition is of a kind that is not monitored; only in a monitor's events.
  case unsupported
  /// A crossing while the state was unknown: the next determined state differs from the last known state.
  case whileUnknown
  /// The caller stated it when monitoring started.
  case assumed
  /// An earlier run had saved it.
  case restored
  /// The engine ends.
  case shutdown

  /// Whether the client may not know the state, whether it is in use or not.
  package var isWithholding: Bool {
    self == .authorization || self == .accuracy || self == .serviceSession
  }

  /// Whether Bluetooth is off or absent; a deaf radio is on.
  var isLackOfRadio: Bool { self == .radioOff || self == .radioGone }
}
