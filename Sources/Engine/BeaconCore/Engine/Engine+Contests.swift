// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// Processes that a beacon's report has another address than the one before, or that the beacon is contested.
  ///
  /// - Precondition: The track has not processed the report yet.
  @inline(never)
  mutating func processAddress(
    of slot: Int,
    _ report: borrowing AdvertisingReport,
    measuredPower: Int8?,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    var raised: Int?
    if let known = tracks.tracks[slot].announcedPower, let measuredPower, known != measuredPower {
      raised = configuration.ranging.calibration
        .difference(known, measuredPower, of: tracks.key(of: slot).identity)
    }
    let (change, levels) = contests.add(
      report,
      raisedBy: raised ?? 0,
      of: tracks.tracks[slot].firstReceivedOrder,
      isSwitch: tracks.tracks[slot].address != report.address,
      at: time,
      explaining: configuration.ranging.contestedDifference
    )
    switch change {
    case .none: return
    case .ends: tracks.tracks[slot].isContested = false
    case .begins:
      tracks.tracks[slot].isContested = true
      let identity = tracks.key(of: slot).identity
      deliver(.identityContested(identity, levels), of: identity, at: time, into: &out)
    }
  }

  /// Delivers what follows from a beacon's reports to the clients that asked for the beacon and may know of it; where
  /// no client asked for it, to the operator who wants everything nearby.
  private mutating func deliver(
    _ diagnostic: Diagnostic,
    of identity: BeaconIdentity,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    var monitoring: Set<Int32> = []
    regionIndex.forEachMatch(identity) { reference in
      if reference.table == .monitored { monitoring.insert(reference.client) }
    }
    var isDelivered = false
    for client in clients.indices {
      let ranges = clients[client].rangings.contains { $0.constraint.isSatisfied(by: identity) }
      let monitors = monitoring.contains(Int32(truncatingIfNeeded: client))
      let rules = clients[client].rules(at: time)
      let mayRange = rules.map { $0.ranging == .deliver } ?? true
      let mayMonitor = rules.map { $0.crossing == .deliver } ?? true
      guard ranges && mayRange || monitors && mayMonitor else { continue }
      gate.deliver(open: .diagnostic(diagnostic), to: clients[client], at: time, into: &out)
      isDelivered = true
    }
    if ranging.listsAll, !isDelivered { gate.deliver(diagnostic, at: time, into: &out) }
  }
}
