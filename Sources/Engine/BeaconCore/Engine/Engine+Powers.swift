// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// The most beacons of which a client learns that their power is not a calibration: each of them is one line.
  static let mostPowers = 256

  /// Processes that a beacon announces another power than before, or its first.
  ///
  /// - Returns: The report with the level that it would have at the power to which the track's levels refer.
  @inline(never)
  mutating func processPower(
    _ power: Int8,
    of slot: Int,
    _ report: borrowing AdvertisingReport,
    at time: Timestamp,
    into out: inout [Delivery]
  ) -> AdvertisingReport {
    let identity = tracks.key(of: slot).identity
    let received = report.rssi
    var report = copy report
    if let raised = tracks.tracks[slot].changePower(
      to: power,
      of: identity,
      by: configuration.ranging.calibration
    ) {
      report.rssi = report.rssi.map { Int8(clamping: Int($0) + raised) }
      tracks.tracks[slot].raisedSum &+= Int32(report.rssi ?? 0) - Int32(received ?? 0)
    } else {
      warnOfPower(power, of: identity, at: time, into: &out)
    }
    return report
  }

  /// Returns whether a beacon with an announced power has no distance.
  private func isPowerUnknown(_ power: Int8, of identity: BeaconIdentity) -> Bool {
    configuration.ranging.calibration.power(for: identity, announced: power) == nil
  }

  /// Delivers, once for each beacon, that it has no distance, to the clients that would get it.
  private mutating func warnOfPower(
    _ power: Int8,
    of identity: BeaconIdentity,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard isPowerUnknown(power, of: identity) else { return }
    var zones: Set<Int32> = []
    regionIndex.forEachMatch(identity) { reference in
      if reference.table == .monitored, machine(reference)?.region.zone != nil {
        zones.insert(reference.client)
      }
    }
    var isWanted = false
    for client in clients.indices {
      let rules = clients[client].rules(at: time)
      let ranges = clients[client].rangings.contains { $0.constraint.isSatisfied(by: identity) }
      let watches = zones.contains(Int32(truncatingIfNeeded: client))
      guard
        ranges && rules.map({ $0.ranging == .deliver }) ?? true
          || watches && rules.map({ $0.crossing == .deliver }) ?? true
      else { continue }
      isWanted = true
      warnOfPower(power, of: identity, client, at: time, into: &out)
    }
    guard ranging.listsAll, !isWanted, warnedPowers.count < Self.mostPowers,
      warnedPowers.insert(identity).inserted
    else { return }
    gate.deliver(.powerImplausible(identity, announced: power), at: time, into: &out)
  }

  private mutating func warnOfPower(
    _ power: Int8,
    of identity: BeaconIdentity,
    _ client: Int,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    guard clients[client].warnedPowers.count < Self.mostPowers,
      clients[client].warnedPowers.insert(identity).inserted
    else { return }
    let diagnostic = Diagnostic.powerImplausible(identity, announced: power)
    gate.deliver(open: .diagnostic(diagnostic), to: clients[client], at: time, into: &out)
  }

  /// Delivers to a client that starts to range that beacons already received have no distance.
  mutating func warnOfPowers(
    _ constraint: IdentityConstraint,
    _ client: Int,
    into out: inout [Delivery]
  ) {
    if let rules = clients[client].rules(at: now), rules.ranging != .deliver { return }
    var found: [(BeaconIdentity, Int8)] = []
    for slot in tracks.tracks.indices where tracks.isLive(slot) {
      let identity = tracks.key(of: slot).identity
      guard let power = tracks.tracks[slot].announcedPower, constraint.isSatisfied(by: identity),
        isPowerUnknown(power, of: identity)
      else { continue }
      found.append((identity, power))
    }
    for (identity, power) in found.sorted(by: { $0.0 < $1.0 }) {
      warnOfPower(power, of: identity, client, at: now, into: &out)
    }
  }
}
