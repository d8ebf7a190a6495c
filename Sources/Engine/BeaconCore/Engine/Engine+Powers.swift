// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Engine {
  /// The most beacons of which a client learns that their power is not a calibration: each of them is one line.
  static let mostPowers = 256

  /// Adds a report to a track that announces another power than the one to which the levels refer, or its first.
  @inline(never)
  mutating func add(
    _ report: borrowing AdvertisingReport,
    announcing power: Int8,
    to slot: Int,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let identity = tracks.key(of: slot).identity
    let ranging = configuration.ranging
    switch tracks.tracks[slot].changePower(to: power, of: identity, at: time, by: ranging) {
    case .raised(let decibels):
      let received = report.rssi
      var report = copy report
      report.rssi = report.rssi.map { Int8(clamping: Int($0) + decibels) }
      tracks.tracks[slot].raisedSum &+= Int32(report.rssi ?? 0) - Int32(received ?? 0)
      add(report, to: slot, measuredPower: power, at: time, into: &out)
    case .presence:
      warnOfPower(power, of: identity, at: time, into: &out)
      addIncomparable(report, to: slot, measuredPower: nil, at: time, into: &out)
    case .replaced(let isComparable):
      warnOfPower(power, of: identity, at: time, into: &out)
      if isComparable {
        add(report, to: slot, measuredPower: power, at: time, into: &out)
      } else {
        addIncomparable(report, to: slot, measuredPower: power, at: time, into: &out)
      }
    }
  }

  /// Adds a report to a track whose level cannot be compared with that of another address.
  private mutating func addIncomparable(
    _ report: borrowing AdvertisingReport,
    to slot: Int,
    measuredPower: Int8?,
    at time: Timestamp,
    into out: inout [Delivery]
  ) {
    let order = tracks.tracks[slot].firstReceivedOrder
    if tracks.tracks[slot].isContested, contests.passTime(of: order, to: time) == .ends {
      tracks.tracks[slot].isContested = false
    }
    receive(report, to: slot, measuredPower: measuredPower, at: time)
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
