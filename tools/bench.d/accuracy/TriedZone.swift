// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// How a zone follows from filtered values: the core's classifier with a rule, with or without the filter's error.
struct TriedRule {
  let rule: ProximityRule
  /// Whether the rule uses the filter's standard error; peers give none.
  let knowsError: Bool

  /// The only limit on trial, in meters.
  static let limit = 4.0
  /// A limit so small that no distance is immediate.
  private static let noImmediate = 0.01

  /// The default profile's rule.
  static let ours = TriedRule(
    rule: ProximityRule(immediateLimit: noImmediate, nearLimit: limit),
    knowsError: true
  )
  /// A quarter of the distance and three seconds, for filters that do not give their error.
  static let quarter = TriedRule(
    rule: ProximityRule(
      immediateLimit: noImmediate,
      nearLimit: limit,
      hysteresis: 0.25,
      dwell: .seconds(3),
      certainty: 0
    ),
    knowsError: false
  )
  /// The limit itself, as all peers have it.
  static let plain = TriedRule(
    rule: ProximityRule(
      immediateLimit: noImmediate,
      nearLimit: limit,
      hysteresis: 0,
      dwell: .zero,
      certainty: 0
    ),
    knowsError: false
  )
}

/// A zone over time.
struct TriedZone {
  private var classifier = ProximityClassifier()

  /// Whether the beacon is beyond the limit; `nil` while unknown.
  var isFar: Bool? { classifier.proximity == .unknown ? nil : classifier.proximity == .far }

  mutating func update(
    _ estimate: FilteredRSSI?,
    at time: Timestamp,
    by tried: TriedRule,
    in channel: SeededChannel
  ) -> Bool? {
    let reach = estimate.map { estimate in
      DistanceReach(
        estimate,
        measuredPower: channel.power,
        pathLoss: .logDistance(exponent: channel.exponent),
        deviations: tried.knowsError ? tried.rule.certainty : 0
      )
    }
    _ = classifier.update(reach, at: time, by: tried.rule)
    return isFar
  }
}
