// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What the user said about a run over captures.
package struct ReplayOptions {
  /// The captures; `-` is standard input.
  package var captures: [String] = []
  /// How many times faster than the capture it is played; `nil` is as fast as it goes.
  package var speed: Double?
  /// How the engine works.
  package var configuration = Configuration()
  /// What is added to a receiver's RSSI in dB, by the receiver's name.
  package var receiverOffsets: [(name: String, decibels: Double)] = []
  /// The constraints asked for.
  package var constraints: [IdentityConstraint] = []
  /// The regions to monitor.
  package var regions: [Region] = []
  /// The region that must be inside for ranging to go on.
  package var whileInside: RegionIdentifier?
  /// Whether to run on behind the end until every region has settled.
  package var drains = false
  /// Where the inputs of the run are recorded; `nil` for nowhere.
  package var recording: String?
  /// What the user said about output.
  package var output = OutputOptions()

  package init() {}
}
