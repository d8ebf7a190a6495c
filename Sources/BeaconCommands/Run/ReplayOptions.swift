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
  /// What the user said about output.
  package var output = OutputOptions()

  package init() {}
}
