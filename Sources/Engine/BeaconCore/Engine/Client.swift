// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The engine's state for one client.
struct Client: Sendable {
  /// One constraint that the client ranges.
  struct Ranging: Sendable {
    let constraint: IdentityConstraint
    /// The constraint's number in the ``ConstraintTable``.
    let number: Int32
    /// When the client asked, or when ticks could reach it again: the first tick is at the first whole second after it.
    private(set) var startedAt: Timestamp
    /// The time from which reports count: ``startedAt``, or right after it.
    private(set) var firstReports: Timestamp
    /// The reports received in the same second but before ``startedAt``, in the order in which the beacons were first
    /// received.
    fileprivate(set) var earlier: [UInt64: EarlierReports]
    /// The region that must be inside; `nil` when ranging does not depend on a region.
    let whileInside: RegionIdentifier?
    /// The failure delivered last; it is delivered once, not with every tick.
    var failure: LocationErrorCode?

    /// Ranging that a client asks for at a time, given the reports already received in that second.
    init(
      _ constraint: IdentityConstraint,
      number: Int32,
      at time: Timestamp,
      _ earlier: [UInt64: EarlierReports],
      whileInside region: RegionIdentifier?
    ) {
      self.constraint = constraint
      self.number = number
      whileInside = region
      startedAt = time
      // The last of the earlier reports may have been received at exactly this time.
      firstReports = earlier.isEmpty ? time : time + TimeSpan(microseconds: 1)
      self.earlier = earlier
    }

    /// Starts again at a time at which ticks are allowed again; if an input allows them, reports that come with it count as
    /// before it (row T4).
    fileprivate mutating func restart(
      at time: Timestamp,
      byInput: Bool,
      _ earlier: [UInt64: EarlierReports]
    ) {
      self.earlier = earlier
      startedAt = time
      firstReports = byInput || !earlier.isEmpty ? time + TimeSpan(microseconds: 1) : time
    }
  }

  let id: ClientID
  /// The client's grants, use and prompts; `nil` for the operator, which has no limits.
  var authorization: ClientAuthorization?
  /// The constraints that the client ranges, in their order.
  var rangings: [Ranging] = []
  /// Whether any ranging started in a second in which beacons had already been received.
  private(set) var hasEarlier = false
  /// The regions that the client monitors.
  var regions: RegionTable
  /// The regions that the machine watches to show notifications.
  var notifications: RegionTable
  /// The notifications that are shown only once.
  var oneTime: Set<RegionIdentifier> = []
  /// The notifications that the machine shows, until the user taps them; the newest last.
  private(set) var shown: [RegionIdentifier] = []
  var held: Held?
  var nextHeldID: UInt64 = 1
  var visits = VisitLog()
  /// The beacons of which the client learned that their power is not a calibration.
  var warnedPowers: Set<BeaconIdentity> = []

  init(id: ClientID, authorization: ClientAuthorization?, policy: RegionPolicy) {
    self.id = id
    self.authorization = authorization
    regions = RegionTable(policy: policy)
    notifications = RegionTable(policy: policy)
  }

  /// The most notifications that can be tapped: a user does not look for older ones.
  private static let mostShown = 64

  /// Notes a notification that the machine shows.
  mutating func show(_ region: RegionIdentifier) {
    _ = tap(region)
    if shown.count == Self.mostShown { shown.removeFirst() }
    shown.append(region)
  }

  /// Removes a notification that is tapped; returns whether it was shown.
  mutating func tap(_ region: RegionIdentifier) -> Bool {
    guard let place = shown.firstIndex(of: region) else { return false }
    shown.remove(at: place)
    return true
  }

  /// One of the client's two tables of regions.
  subscript(table: RegionReference.Table) -> RegionTable {
    get {
      switch table {
      case .monitored: regions
      case .notified: notifications
      }
    }
    _modify {
      switch table {
      case .monitored: yield &regions
      case .notified: yield &notifications
      }
    }
  }

  /// Returns the rules for what may reach the client at a time.
  func rules(at time: Timestamp) -> DeliveryRules? { authorization?.rules(at: time) }

  /// Whether the client ranges or monitors anything.
  var isRegistered: Bool { !rangings.isEmpty || regions.count > 0 }

  /// Adds a constraint at its place in the order.
  mutating func add(_ ranging: Ranging) {
    hasEarlier = hasEarlier || !ranging.earlier.isEmpty
    rangings.insert(ranging, at: place(of: ranging.constraint))
  }

  /// Returns the place of a constraint in the order of those that the client ranges.
  private func place(of constraint: IdentityConstraint) -> Int {
    var range = 0..<rangings.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if rangings[middle].constraint < constraint {
        range = (middle + 1)..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }

  /// Returns the index of a constraint that the client ranges; `nil` if the client does not range it.
  func index(of constraint: IdentityConstraint) -> Int? {
    let place = place(of: constraint)
    return place < rangings.count && rangings[place].constraint == constraint ? place : nil
  }

  /// Removes a constraint and returns whether the client ranged it.
  mutating func remove(_ constraint: IdentityConstraint) -> Bool {
    guard let index = index(of: constraint) else { return false }
    rangings.remove(at: index)
    return true
  }

  /// Restarts all ranging when ticks may reach the client again; reports from the time in between are left out.
  mutating func restartRanging(
    at time: Timestamp,
    byInput: Bool,
    _ earlier: [UInt64: EarlierReports]
  ) {
    for index in rangings.indices { rangings[index].restart(at: time, byInput: byInput, earlier) }
    hasEarlier = !earlier.isEmpty
  }

  /// Ends the second in which ranging started.
  mutating func endFirstSecond() {
    for index in rangings.indices { rangings[index].earlier = [:] }
    hasEarlier = false
  }

  /// Returns whether ranging may continue, as far as its region is concerned.
  func isInside(_ ranging: Ranging) -> Bool {
    guard let identifier = ranging.whileInside else { return true }
    return state(of: identifier) == .inside
  }

  /// Notes events of a region that were delivered to the client at a time, the last of which has the state.
  mutating func learned(
    _ events: [Event],
    _ state: RegionState,
    of region: RegionIdentifier,
    at time: Timestamp
  ) {
    guard let slot = regions.slot(of: region) else { return }
    _ = regions.withMachine(in: slot) { $0.told = state }
    for event in events { visits.note(event, at: time) }
  }

  /// Returns a monitored region's state; unknown for a region that is not monitored.
  func state(of identifier: RegionIdentifier) -> RegionState {
    regions.slot(of: identifier).flatMap { regions.machine(in: $0)?.state } ?? .unknown
  }
}
