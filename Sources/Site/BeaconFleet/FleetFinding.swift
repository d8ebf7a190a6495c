// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Something that is wrong with a fleet of beacons.
package struct FleetFinding: Sendable, Equatable {
  /// The fault, the worst first; the raw values are the names in outputs.
  package enum Kind: String, Sendable, CaseIterable {
    /// A receiver does not receive, or does not listen.
    case deafReceiver
    /// Two devices send one identity.
    case contested
    /// A beacon is silent at receivers that used to receive it and still receive others.
    case missing
    /// A receiver's clock differs from those of the others.
    case clockOff
    /// A beacon's battery is low, or will be soon.
    case battery
    /// An identity with a UUID of the fleet that is not in its list.
    case unknownIdentity
    /// A beacon announces a measured power that cannot be one, so it has no distance.
    case powerImplausible
    /// A beacon's advertising interval changed.
    case intervalChanged
    /// The levels of all beacons changed at one receiver.
    case receiverLevelDrift
    /// A beacon's levels changed at several receivers.
    case levelDrift
  }

  /// The subject of the finding.
  package enum Subject: Sendable, Hashable {
    case beacon(BeaconIdentity)
    /// A receiver, by its number in reports.
    case receiver(Int)
  }

  /// What shows that an identity is contested; the raw values are the names in outputs.
  package enum Evidence: String, Sendable, CaseIterable {
    /// Events closer together than the advertising interval allows.
    case earlyEvents
    /// Two addresses that alternate.
    case twoAddresses
    /// A receiver that never received the beacon does, and the others receive it as before.
    case twoPlaces
    /// Counters of the beacon that go back although it did not restart.
    case counters
  }

  /// The unit of a battery's level; the raw values are the names in outputs.
  package enum Unit: String, Sendable {
    case volts = "V"
    case percent = "%"
  }

  package var kind: Kind
  package var subject: Subject
  /// When it began, as far as is known.
  package var since: Timestamp
  /// When it was found.
  package var found: Timestamp
  /// When it was over; `nil` while it lasts.
  package var ended: Timestamp?
  /// The usual value before: seconds of an interval, dBm of a level, a battery's level; `nil` if that is not known.
  package var before: Double?
  /// The present value, in the same unit.
  package var after: Double?
  /// The unit of a battery's level; `nil` elsewhere.
  package var unit: Unit?
  /// What shows that an identity is contested, in the order of the cases.
  package var evidence: [Evidence]
  /// The state of a receiver that does not listen; `nil` if it reports that it listens, and elsewhere.
  package var state: RadioState?

  package init(
    _ kind: Kind,
    _ subject: Subject,
    since: Timestamp,
    found: Timestamp,
    before: Double? = nil,
    after: Double? = nil,
    unit: Unit? = nil,
    evidence: [Evidence] = [],
    state: RadioState? = nil
  ) {
    self.kind = kind
    self.subject = subject
    self.since = since
    self.found = found
    self.before = before
    self.after = after
    self.unit = unit
    self.evidence = evidence
    self.state = state
  }
}

/// The beacons that belong to a fleet.
package struct FleetRoster: Sendable, Equatable {
  /// The beacons that are listed one by one, ordered.
  package private(set) var listed: [BeaconIdentity]
  private let members: Set<BeaconIdentity>
  private let constraints: [IdentityConstraint]
  private let uuids: Set<UInt128>

  /// - Parameters:
  ///   - listed: The beacons.
  ///   - constraints: Beacons that satisfy one of these belong to the fleet as well.
  package init(_ listed: [BeaconIdentity], _ constraints: [IdentityConstraint] = []) {
    members = Set(listed).union(
      constraints.compactMap { if case .minor(let identity) = $0 { identity } else { nil } }
    )
    self.listed = members.sorted()
    self.constraints = constraints
    uuids = Set(members.map(\.uuid))
  }

  /// Whether nothing belongs to the fleet.
  package var isEmpty: Bool { members.isEmpty && constraints.isEmpty }

  /// Returns whether a beacon belongs to the fleet.
  package func contains(_ identity: BeaconIdentity) -> Bool {
    members.contains(identity) || constraints.contains { $0.isSatisfied(by: identity) }
  }

  /// Returns whether a beacon that does not belong to the fleet uses a UUID of it.
  package func claims(_ identity: BeaconIdentity) -> Bool { uuids.contains(identity.uuid) }
}
