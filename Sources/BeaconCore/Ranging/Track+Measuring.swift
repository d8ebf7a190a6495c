// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Track {
  /// Measures the beacon for the tick at a time, and begins the next second.
  mutating func measure(at time: Timestamp, by configuration: RangingConfiguration) -> RangedBeacon
  {
    let filtered = filteredRSSI(at: time, calibration: configuration.calibration)
    let power = configuration.calibration.power(for: key.identity, announced: announcedPower)
    var distance: DistanceEstimate?
    var reach: DistanceReach?
    if let filtered, let power, isMeasurable(at: time, by: configuration) {
      distance = DistanceEstimate(
        rssi: filtered,
        measuredPower: power,
        pathLoss: configuration.pathLoss,
        shadowing: configuration.shadowing
      )
      reach = distance.map {
        self.reach(of: $0.meters, filtered, measuredPower: power, by: configuration)
      }
    }
    let proximity = classifier.update(reach, at: time, by: configuration.proximity)
    let beacon = RangedBeacon(
      identity: key.identity,
      proximity: proximity,
      distance: distance,
      rssi: rssiCount > 0 ? Double(rssiSum) / Double(rssiCount) : nil,
      reports: Int(reports),
      filteredRSSI: filtered?.dBm,
      lastHeard: lastHeard,
      address: address,
      firstHeardOrder: firstHeardOrder
    )
    beginSecond()
    return beacon
  }

  /// Returns how far the distance may be off, as far as that can matter: within the zone the beacon is in, it cannot.
  private func reach(
    of meters: Double,
    _ filtered: FilteredRSSI,
    measuredPower: Double,
    by configuration: RangingConfiguration
  ) -> DistanceReach {
    let rule = configuration.proximity
    guard rule.certainty > 0, classifier.proximity != .unknown,
      rule.plainZone(of: meters) != classifier.proximity
    else { return DistanceReach(exactly: meters) }
    return DistanceReach(
      filtered,
      measuredPower: measuredPower,
      pathLoss: configuration.pathLoss,
      deviations: rule.certainty
    )
  }

  /// The distance in meters as it is estimated at a time; `nil` when it is unknown.
  mutating func distance(at time: Timestamp, by configuration: RangingConfiguration) -> Double? {
    guard let filtered = filteredRSSI(at: time, calibration: configuration.calibration),
      let power = configuration.calibration.power(for: key.identity, announced: announcedPower)
    else { return nil }
    return configuration.pathLoss.distance(rssi: filtered.dBm, measuredPower: power)
  }

  /// Whether the beacon's distance may be told: it had a sample since the last tick, or is silent within its habit.
  private func isMeasurable(at time: Timestamp, by configuration: RangingConfiguration) -> Bool {
    if rssiCount > 0 { return true }
    guard configuration.holdsProximity, let hold = interval.hold else { return false }
    return time - lastHeard <= hold
  }

  /// What the filters say, receivers weighed by their samples: each hears the one distance with an error of its own.
  private mutating func filteredRSSI(
    at time: Timestamp,
    calibration: Calibration
  ) -> FilteredRSSI? {
    let first = signal.filter.estimate(at: time)
      .map { $0.shifted(by: calibration.offset(forReceiver: signal.receiver)) }
    if furtherSignals.isEmpty { return first }
    var combined = first
    for index in furtherSignals.indices {
      let offset = calibration.offset(forReceiver: furtherSignals[index].receiver)
      guard let next = furtherSignals[index].filter.estimate(at: time)?.shifted(by: offset) else {
        continue
      }
      combined = combined?.combined(with: next) ?? next
    }
    return combined
  }
}
