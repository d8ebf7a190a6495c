// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The one machine that turns inputs on a timeline into events.
///
/// It owns the door that admits inputs, the tracks, what clients ask for and the gate that decides what they may know.
/// It reads no clock: inputs bring their times, and whatever falls due before an input is told first, as of when it
/// fell due. The same inputs and requests give the same deliveries, whoever drives it and how fast.
struct Engine: Sendable {
  /// How the engine works.
  let configuration: Configuration

  var admission: AdmissionClock
  var tracks: TrackTable
  var ranging: RangingTicks
  var clients: [Client] = []
  var gate = Gate()
  /// Which regions a beacon marks, over all clients.
  var regionIndex = ConstraintIndex<RegionReference>()
  /// Moves on whenever the regions change, so that a track knows when to look up anew which it marks.
  var regionVersion: UInt32 = 1
  var regionDeadlines = DeadlineQueue()
  /// What earlier runs learned of beacons that have not been heard yet.
  var restoredIntervals = RestoredIntervals()
  /// The earliest deadline of any client's authorization.
  var authorizationDeadline: Timestamp?
  var receivers = ReceiverStates()
  /// Since when the receivers could hear without a break; a beacon's gap that began before says nothing of the beacon.
  var receivingSince: Timestamp
  /// A gap that has been passed and is still to be told.
  var gap: (from: Timestamp, to: Timestamp)?
  /// What sightings the operator wants; `nil` for none.
  var sightingFilter: SightingFilter?
  /// What the operator was told sightings of.
  var sighted: SightedIdentities
  /// When tracks silent for longer than they are remembered are next looked for.
  var nextPurge: Timestamp
  var counts = EngineStatistics()
  /// When each input of the batch being heard was admitted; `nil` while nobody records.
  var admissions: [Timestamp]?

  /// Creates an engine whose timeline starts at a time, the time of the first requests.
  init(_ configuration: Configuration = Configuration(), startingAt start: Timestamp) {
    self.configuration = configuration
    admission = AdmissionClock(startingAt: start)
    tracks = TrackTable(limit: configuration.tracks.limit)
    sighted = SightedIdentities(limit: configuration.tracks.limit)
    ranging = RangingTicks(configuration.ranging)
    nextPurge = start + configuration.tracks.retention
    receivingSince = start
  }

  /// Where the timeline stands: the last input admitted or deadline told.
  var now: Timestamp { admission.now }

  /// What has been counted so far.
  var statistics: EngineStatistics {
    var counts = counts
    counts.late = admission.late
    counts.beacons = max(Int(truncatingIfNeeded: tracks.begun), sighted.count)
    return counts
  }

  /// When something next falls due; `nil` while nothing will.
  var nextDeadline: Timestamp? { nextDue?.time }

  /// Keeps from now on when each input was admitted, for a recording.
  mutating func keepAdmissions() {
    admissions = []
  }

  /// Returns when each input heard since the last call was admitted.
  mutating func drainAdmissions() -> [Timestamp] {
    defer { admissions?.removeAll(keepingCapacity: true) }
    return admissions ?? []
  }

  /// Tells the operator the sightings that satisfy any of some constraints; all sightings where there are none.
  mutating func watchSightings(satisfying constraints: [IdentityConstraint] = []) {
    sightingFilter = SightingFilter(constraints)
  }
}
