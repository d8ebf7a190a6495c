// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Glibc

/// What a recording is called that a key started.
enum RecordingName {
  /// Returns a name in the working folder that no file has yet, by the time on the timeline.
  static func unused(at time: Timestamp) -> String {
    let stamp = base(at: time)
    // Nobody presses the key a hundred times a second; the last name is taken if somebody did.
    let names = ["\(stamp).jsonl"] + (2...100).map { "\(stamp)-\($0).jsonl" }
    return names.first { unsafe access($0, F_OK) != 0 } ?? "\(stamp)-100.jsonl"
  }

  /// The time as in `beacons-20260304T101500Z`.
  static func base(at time: Timestamp) -> String {
    let digits = RFC3339.string(time).prefix(19).filter { $0 != "-" && $0 != ":" }
    return "beacons-\(digits)Z"
  }
}
