// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Beacons

/// The beacons and regions that tests of the public API range and monitor.
enum Museum {
  static let hall = BeaconIdentity(uuid: 0xF782_6DA6, major: 1, minor: 1)
  static let hallRegion = Region(
    "hall",
    .major(hall.uuid, 1),
    exitTiming: .fixed(.seconds(5))
  )
  static let manifest = Manifest(
    whenInUse: "Shows the rooms.",
    alwaysAndWhenInUse: "Shows the rooms at any time.",
    purposes: [Manifest.Purpose(key: "tour", text: "Finds the exhibit.")]
  )

  static func source(_ text: String, batchSize: Int = .max) throws -> TimelineSource {
    TimelineSource(try Timeline(text, of: hall), batchSize: batchSize)
  }

  /// Returns a time in seconds from the start of a test's timeline.
  static func seconds(_ time: Timestamp) -> Double { (time - Timeline.start).seconds }
}
