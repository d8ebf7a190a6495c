// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// How a zone follows from filtered values: by the share of a distance, or by the filter's own certainty.
enum TriedRule {
  case share(ProximityRule)
  /// A zone is left when the filter is so many of its standard errors beyond the limit, for a dwell.
  case certainty(limit: Double, deviations: Double, dwell: Double)
}

/// A zone over time.
struct TriedZone {
  private var classifier = ProximityClassifier()
  private var since: Double?
  private(set) var isFar: Bool?

  mutating func update(
    _ estimate: FilteredRSSI?,
    at second: Double,
    by rule: TriedRule,
    _ distance: (Double) -> Double
  ) -> Bool? {
    switch rule {
    case .share(let rule):
      let zone = classifier.update(
        estimate.map { distance($0.dBm) },
        at: .atSecond(second),
        by: rule
      )
      isFar = zone == .unknown ? nil : zone == .far
    case .certainty(let limit, let deviations, let dwell):
      guard let estimate else {
        isFar = nil
        return nil
      }
      guard let held = isFar else {
        isFar = distance(estimate.dBm) > limit
        return isFar
      }
      let reach = deviations * estimate.standardError * (held ? -1 : 1)
      let isBeyond = (distance(estimate.dBm + reach) > limit) != held
      if isBeyond {
        let began = since ?? second
        since = began
        if second - began >= dwell {
          isFar = !held
          since = nil
        }
      } else {
        since = nil
      }
    }
    return isFar
  }
}
