// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// The judgements of each hour and each part of a day: intervals, clocks, levels.
extension FleetHealth {
  /// A change of 6 dB in a week; it is over below 4 dB.
  private static let drift = (begins: 6.0, ends: 4.0)
  /// All beacons of a receiver change by 5 dB; it is over below 3 dB.
  private static let receiverDrift = (begins: 5.0, ends: 3.0)
  /// Fewer beacons do not tell the receiver's change from theirs.
  private static let fewestBeacons = 3
  /// A change at a single receiver is an obstacle.
  private static let fewestReceivers = 2

  mutating func endHour(_ minute: Int64) {
    for index in beacons.indices {
      let subject = FleetFinding.Subject.beacon(beacons[index].identity)
      beacons[index].battery.endHour()
      beacons[index].senders.endHour(minute)
      beacons[index].intervals.endHour(isContested: beacons[index].senders.isContested(in: minute))
      let change = beacons[index].intervals.change
      set(
        .intervalChanged,
        subject,
        change.map {
          // Three hours in succession show it.
          FleetFinding(
            .intervalChanged,
            subject,
            since: now - .seconds(3 * 3600),
            found: now,
            before: $0.before,
            after: $0.after
          )
        }
      )
    }
    let compared = clocks.comparedReceivers
    let off = clocks.endHour()
    for receiver in receivers.indices {
      let subject = FleetFinding.Subject.receiver(receiver)
      let found = off.first { $0.receiver == receiver }
      // Without a comparison it is not known whether a clock was set right.
      guard found != nil || compared.contains(receiver) else { continue }
      set(
        .clockOff,
        subject,
        found.map {
          FleetFinding(
            .clockOff,
            subject,
            since: now - .seconds(3600),
            found: now,
            after: $0.seconds
          )
        }
      )
    }
  }

  mutating func endDay() {
    for index in beacons.indices {
      let subject = FleetFinding.Subject.beacon(beacons[index].identity)
      beacons[index].battery.endDay()
      let battery = beacons[index].battery
      let levels = battery.levels
      set(
        .battery,
        subject,
        battery.isLow || battery.willBeLow
          ? FleetFinding(
            .battery,
            subject,
            since: now,
            found: now,
            before: levels.before,
            after: levels.after,
            unit: levels.unit
          ) : nil
      )
    }
  }

  mutating func endPart(_ part: Int64) {
    for index in beacons.indices {
      for link in beacons[index].links.indices { beacons[index].links[link].levels.end(part) }
    }
    let ofReceivers = receivers.indices.map { judgeLevels(ofReceiver: $0) }
    for index in beacons.indices { judgeLevels(of: index, ofReceivers) }
  }

  /// Judges the levels of all beacons at a receiver, and returns how much they changed; 0 if that is not known.
  private mutating func judgeLevels(ofReceiver receiver: Int) -> Double {
    let changes = beacons.compactMap { beacon in
      receiver < beacon.links.count ? beacon.links[receiver].levels.change : nil
    }
    .sorted { $0.after - $0.before < $1.after - $1.before }
    guard changes.count >= Self.fewestBeacons else { return 0 }
    let median = changes[changes.count / 2]
    let change = median.after - median.before
    let subject = FleetFinding.Subject.receiver(receiver)
    let isOpen = isOpen(.receiverLevelDrift, subject)
    let limit = isOpen ? Self.receiverDrift.ends : Self.receiverDrift.begins
    set(
      .receiverLevelDrift,
      subject,
      change.magnitude >= limit
        ? FleetFinding(
          .receiverLevelDrift,
          subject,
          since: now - .seconds(9 * 3600),
          found: now,
          before: median.before,
          after: median.after
        ) : nil
    )
    return change
  }

  private mutating func judgeLevels(of index: Int, _ ofReceivers: [Double]) {
    let subject = FleetFinding.Subject.beacon(beacons[index].identity)
    let limit = isOpen(.levelDrift, subject) ? Self.drift.ends : Self.drift.begins
    var strongest: (before: Double, after: Double)?
    var changed = 0
    for (receiver, link) in beacons[index].links.enumerated() {
      guard let change = link.levels.change else { continue }
      let own = change.after - change.before - ofReceivers[receiver]
      guard own.magnitude >= limit else { continue }
      changed += 1
      if strongest.map({ change.before > $0.before }) ?? true { strongest = change }
    }
    guard changed >= Self.fewestReceivers, let strongest, !isOpen(.contested, subject) else {
      return set(.levelDrift, subject, nil)
    }
    set(
      .levelDrift,
      subject,
      FleetFinding(
        .levelDrift,
        subject,
        since: now - .seconds(9 * 3600),
        found: now,
        before: strongest.before,
        after: strongest.after
      )
    )
  }
}
