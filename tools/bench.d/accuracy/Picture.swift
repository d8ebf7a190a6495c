// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation

/// What filters make of a step and of a walk, as a picture.
enum Picture {
  static func write(to path: String) {}
}
