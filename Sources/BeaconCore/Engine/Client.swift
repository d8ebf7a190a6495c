// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the engine knows of one client.
struct Client: Sendable {
  /// One constraint that the client ranges.
  struct Ranging: Sendable {
    let constraint: IdentityConstraint
    /// The constraint's number in the ``ConstraintTable``.
    let number: Int32
    /// When the client asked, or might last be told again: nothing heard before is told, and the first tick is the first
    /// whole second after it.
    var startedAt: Timestamp
    /// What was heard in the second of ``startedAt`` before it, by the order in which the beacons were first heard.
    var earlier: [UInt64: EarlierReports] = [:]
    /// The region that must be inside; `nil` when ranging is bound to none.
    let whileInside: RegionIdentifier?
    /// The failure told last, which is told once and not at every tick.
    var failure: LocationErrorCode?

    /// Begins, at a time up to which something had been heard of its second.
    mutating func begin(at time: Timestamp, _ earlier: [UInt64: EarlierReports]) {
      self.earlier = earlier
      // The last of it may have been heard at that very time.
      startedAt = earlier.isEmpty ? time : time + TimeSpan(microseconds: 1)
    }
  }

  /// Events kept back until a provisional grant is decided (rows A15 to A21).
  struct Held: Sendable {
    let id: UInt64
    let events: [Event]
  }

  let id: ClientID
  /// Grants, use, prompts; `nil` for the operator, who may always know everything.
  var authorization: ClientAuthorization?
  /// What the client ranges, in the order of the constraints.
  var rangings: [Ranging] = []
  /// Whether any of them began in the midst of a second in which beacons had been heard.
  private(set) var hasEarlier = false
  /// The regions it monitors.
  var regions: RegionTable
  /// The regions the machine watches for notifications.
  var notifications: RegionTable
  /// The notifications that are shown once.
  var oneTime: Set<RegionIdentifier> = []
  var held: Held?
  var nextHeldID: UInt64 = 1
  var visits = VisitLog()

  init(id: ClientID, authorization: ClientAuthorization?, policy: RegionPolicy) {
    self.id = id
    self.authorization = authorization
    regions = RegionTable(policy: policy)
    notifications = RegionTable(policy: policy)
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

  /// What may reach the client at a time.
  func rules(at time: Timestamp) -> DeliveryRules? { authorization?.rules(at: time) }

  /// Whether the client asks for anything.
  var isRegistered: Bool { !rangings.isEmpty || regions.count > 0 }

  /// Adds a constraint behind those that come before it.
  mutating func add(_ ranging: Ranging) {
    hasEarlier = hasEarlier || !ranging.earlier.isEmpty
    let place = rangings.firstIndex { ranging.constraint < $0.constraint } ?? rangings.count
    rangings.insert(ranging, at: place)
  }

  /// Removes a constraint and returns whether the client ranged it.
  mutating func remove(_ constraint: IdentityConstraint) -> Bool {
    guard let index = rangings.firstIndex(where: { $0.constraint == constraint }) else {
      return false
    }
    rangings.remove(at: index)
    return true
  }

  /// Begins all ranging anew: ticks may reach the client again, but not with what was heard while they might not.
  mutating func restartRanging(at time: Timestamp, _ earlier: [UInt64: EarlierReports]) {
    for index in rangings.indices { rangings[index].begin(at: time, earlier) }
    hasEarlier = !earlier.isEmpty
  }

  /// The second in which ranging began is over.
  mutating func endFirstSecond() {
    for index in rangings.indices { rangings[index].earlier = [:] }
    hasEarlier = false
  }

  /// Whether ranging may go on, as far as its region is concerned.
  func isInside(_ ranging: Ranging) -> Bool {
    guard let identifier = ranging.whileInside else { return true }
    return state(of: identifier) == .inside
  }

  /// A monitored region's state; unknown for one that is not monitored.
  func state(of identifier: RegionIdentifier) -> RegionState {
    regions.slot(of: identifier).flatMap { regions.machine(in: $0)?.state } ?? .unknown
  }
}
