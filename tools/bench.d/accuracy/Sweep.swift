// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Parameter sets against each other on recordings.
enum Sweep {
  static func run(_ paths: [String]) {}
}
