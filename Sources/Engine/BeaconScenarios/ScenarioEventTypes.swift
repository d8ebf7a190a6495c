// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats

/// The event types that an expectation can name, each with the fields that it can compare.
enum ScenarioEventTypes {
  static let fields: [(type: String, fields: [String])] = [
    ("ranged", ["constraint", "beacons"]),
    ("region.state", ["region", "state", "origin", "reason"]),
    ("region.enter", ["region", "reason", "why"]),
    ("region.exit", ["region", "reason", "why"]),
    ("authorization", ["status", "accuracy"]),
    ("prompt", ["kind", "choices", "text", "precise", "purpose"]),
    ("completion", ["request", "region", "purpose", "error"]),
    ("failure", ["code", "region", "constraint"]),
    ("notification", ["region"]),
    ("indicator", ["style"]),
    (
      "diagnostic",
      [
        "code", "key", "region", "constraint", "state", "from", "to", "session", "diagnostics",
      ]
    ),
  ]

  static let beaconFields = [
    "uuid", "major", "minor", "proximity", "held", "distance", "distance_low", "distance_high",
    "rssi", "last_heard", "reports", "contested",
  ]

  static let explanationFields = [
    "identity", "reports", "rssi", "power", "distance", "interval", "gap", "threshold", "rule",
    "place", "p",
  ]

  static let names = fields.map(\.type)

  /// Reports the keys of an object that are not among the given names.
  static func check(_ reader: JSON5Reader, in names: [String]) {
    guard var object = reader.object() else { return }
    for name in names { _ = object.optional(name) }
    object.finish()
  }
}
