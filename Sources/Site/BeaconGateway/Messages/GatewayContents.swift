// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// A beacon's battery.
package enum BatteryReading: Sendable, CaseIterable {
  /// The charge that is left, in per cent.
  case charge
  /// The voltage.
  case voltage
}

/// A gateway's messages and their subjects.
package struct GatewayContents: Sendable {
  /// The regions that are monitored, with their constraints.
  package var regions: [(id: RegionIdentifier, constraint: IdentityConstraint)] = []
  /// The beacons that appear by themselves.
  package var beacons: [BeaconIdentity] = []
  /// The names of beacons.
  package var names = NameBook()
  /// Two inputs farther apart than this bound a time of which nothing is known.
  package var gap = TimingConfiguration().gap
  /// Whether seconds of receivers are sent; not if they came from a broker themselves.
  package var sendsLevels = true
  /// The places that a beacon can be in; `nil` if this gateway publishes none.
  package var places: [String]?
  /// The topic under which Home Assistant looks for devices; `nil` to tell it none.
  package var discoveryPrefix: String?
  /// The components that earlier runs announced to Home Assistant.
  package var told = AnnouncedComponents()
  /// The known battery readings of beacons, by this run or earlier ones.
  package var batteries: [BeaconIdentity: Set<BatteryReading>] = [:]
  /// The receivers that were announced to Home Assistant, by this run or earlier ones.
  package var receivers: [String] = []
  /// When each beacon was last received, and where it was.
  package var last = LastSeen()
  /// Whether distances are also sent as ESPresense nodes do.
  package var sendsESPresense = false

  package init() {}
}
