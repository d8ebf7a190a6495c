// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The state machine that turns inputs on a timeline into events.
///
/// It owns the clock that admits inputs, the tracks, the clients' requests and the gate that decides what each client
/// may know. It reads no system clock: inputs bring their times, and whatever is due before an input is delivered
/// first, with the time at which it was due. The same inputs and requests give the same deliveries, no matter who
/// drives the engine or how fast.
struct Engine: Sendable {
  /// The engine's settings.
  private(set) var configuration: Configuration

  var admission: AdmissionClock
  var tracks: TrackTable
  var ranging: RangingTicks
  var clients: [Client] = []
  var gate = Gate()
  /// The regions that each beacon marks, over all clients.
  var regionIndex = ConstraintIndex<RegionReference>()
  /// The regions with a place that each beacon can be in, over all clients; no report looks here.
  var placeIndex = ConstraintIndex<RegionReference>()
  /// Increases whenever the regions change, so that a track knows when to look up its regions again.
  var regionVersion: UInt32 = 1
  var regionDeadlines = DeadlineQueue<RegionDeadline>()
  /// The intervals that earlier runs learned of beacons that have not been received yet.
  var restoredIntervals = RestoredIntervals()
  /// The earliest deadline of any client's authorization.
  var authorizationDeadline: Timestamp?
  var authorizationDeadlines = AuthorizationDeadlines()
  /// How long after a held event the second prompt comes; `nil` while only a user's actions bring it.
  var quietDelay: TimeSpan?
  /// The quiet moments that are still to be scheduled.
  var quietMoments: [TimedUserAction] = []
  /// Increases whenever a client's grants change, as they would be saved.
  var grantsVersion: UInt64 = 0
  var receivers = ReceiverStates()
  /// The receivers as clients know them that may not know of reports, and the states that no report showed.
  var (statedReceivers, stated) = (ReceiverStates(), StatedStates())
  /// The beacons whose addresses change, and whether one place explains their levels.
  var contests = AddressContests()
  /// The beacons of which the operator learned that their power is not a calibration.
  var warnedPowers: Set<BeaconIdentity> = []
  /// When receivers listened.
  var listened: ListenedTime
  /// The start of the current gap; `nil` outside of gaps.
  var gapStart: Timestamp?
  /// The end of a gap, until a recording has noted it.
  var endedGap: Timestamp?
  /// The sightings that the operator wants; `nil` for none.
  var sightingFilter: SightingFilter?
  /// The identities whose sightings were delivered to the operator.
  var sighted: SightedIdentities
  /// The next time at which tracks silent for longer than the retention time are removed.
  var nextPurge: Timestamp
  var counts = EngineStatistics()
  /// The admission time of each input of the current batch; `nil` unless a run is recorded.
  var admissions: [Timestamp]?

  /// Creates an engine whose timeline starts at a time, the time of the first requests.
  init(_ configuration: Configuration = Configuration(), startingAt start: Timestamp) {
    self.configuration = configuration
    admission = AdmissionClock(startingAt: start)
    tracks = TrackTable(limit: configuration.tracks.limit)
    sighted = SightedIdentities(limit: configuration.tracks.limit)
    ranging = RangingTicks(configuration.ranging)
    nextPurge = start + configuration.tracks.retention
    listened = ListenedTime(startingAt: start)
  }

  /// Continues with another configuration, from the next input on; nothing that is known is lost.
  ///
  /// The profile, the times of authorization and the number of tracks stay as they were.
  mutating func reconfigure(_ other: Configuration) {
    guard other.profile == configuration.profile else { return }
    configuration.timing = other.timing
    configuration.ranging = other.ranging
    configuration.tracks.retention = other.tracks.retention
    configuration.regions = other.regions
    ranging.configuration = other.ranging
    for index in clients.indices {
      clients[index].regions.reconfigure(other.regions)
      clients[index].notifications.reconfigure(other.regions)
    }
  }

  /// The current time of the timeline: the last input admitted or deadline passed.
  var now: Timestamp { admission.now }

  /// The counts so far.
  var statistics: EngineStatistics {
    var counts = counts
    counts.late = admission.late
    counts.beacons = max(Int(truncatingIfNeeded: tracks.begun), sighted.count)
    return counts
  }

  /// The time of the next deadline, if any.
  var nextDeadline: Timestamp? { nextDue?.time }

  /// Starts keeping the admission time of each input, for a recording.
  mutating func keepAdmissions() {
    admissions = []
  }

  /// Returns the admission times of the inputs received since the last call.
  mutating func drainAdmissions() -> [Timestamp] {
    defer { admissions?.removeAll(keepingCapacity: true) }
    return admissions ?? []
  }

  /// Delivers to the operator the sightings that satisfy any of some constraints; without constraints, all sightings.
  mutating func watchSightings(satisfying constraints: [IdentityConstraint] = []) {
    sightingFilter = SightingFilter(constraints)
  }

  /// Delivers to the operator once a second every beacon around, whatever clients range.
  mutating func watchNearby() {
    ranging.listAll(at: now, tracks: &tracks)
  }
}

/// The sightings that the operator wants to receive.
struct SightingFilter: Sendable {
  private var index = ConstraintIndex<Int32>()
  private let wantsAll: Bool

  init(_ constraints: [IdentityConstraint]) {
    wantsAll = constraints.isEmpty
    for (number, constraint) in constraints.enumerated() {
      index.insert(Int32(truncatingIfNeeded: number), for: constraint)
    }
  }

  /// Returns whether the operator wants a beacon's sightings.
  func wants(_ identity: BeaconIdentity) -> Bool {
    wantsAll || index.matchesAny(identity)
  }
}
