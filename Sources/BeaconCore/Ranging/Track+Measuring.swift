// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Track {
  /// Measures the beacon for the tick at a time, and begins the next second.
  mutating func measure(at time: Timestamp, by configuration: RangingConfiguration) -> RangedBeacon
  {
    let filtered =
      secondsMean(by: configuration)
      ?? filteredRSSI(at: time, calibration: configuration.calibration)
    let power = configuration.calibration.power(for: key.identity, announced: announcedPower)
    var distance: DistanceEstimate?
    if let filtered, let power, isMeasurable(at: time, by: configuration) {
      distance = DistanceEstimate(
        rssi: filtered,
        measuredPower: power,
        pathLoss: configuration.pathLoss,
        shadowing: configuration.shadowing
      )
    }
    let proximity = classifier.update(distance?.meters, at: time, by: configuration.proximity)
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

  /// The mean since the last tick, which a tick goes by where nothing smooths.
  ///
  /// It is the RSSI that the tick tells (row R5), so that its distance and its RSSI say the same. Several receivers each
  /// have an offset, and the mean has none.
  private func secondsMean(by configuration: RangingConfiguration) -> FilteredRSSI? {
    guard case .latest = configuration.filter, rssiCount > 0, furtherSignals.isEmpty else {
      return nil
    }
    return FilteredRSSI(
      dBm: Double(rssiSum) / Double(rssiCount),
      standardError: FilteredRSSI.assumedDeviation / Double(rssiCount).squareRoot(),
      effectiveSamples: Double(rssiCount)
    )
    .shifted(by: configuration.calibration.offset(forReceiver: signal.receiver))
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
