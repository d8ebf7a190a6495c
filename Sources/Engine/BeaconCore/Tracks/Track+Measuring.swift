// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Track {
  /// Returns whether it has been silent for too long to be listed at a time; its proximity is then unknown.
  @inline(__always)
  mutating func fellSilent(
    at time: Timestamp,
    by configuration: borrowing RangingConfiguration
  ) -> Bool {
    guard reports == 0, time - lastReceived > configuration.linger else { return false }
    _ = classifier.update(nil as DistanceReach?, at: time, by: configuration.proximity)
    return true
  }

  /// Returns the beacon for the tick at a time, and starts the next second.
  @inline(__always)
  mutating func drainRanged(
    _ identity: BeaconIdentity,
    at time: Timestamp,
    by configuration: borrowing RangingConfiguration
  ) -> RangedBeacon {
    let filtered =
      secondsMean(by: configuration)
      ?? filteredRSSI(at: time, calibration: configuration.calibration, learning: true)
    let distance = measure(filtered, identity, at: time, by: configuration)
    let beacon = RangedBeacon(
      identity: identity,
      proximity: classifier.proximity,
      isContested: isContested,
      distance: distance,
      isHeld: distance.map {
        configuration.proximity.isHeld(classifier.proximity, at: $0.meters)
      } ?? false,
      rssi: rssiCount > 0 ? Double(receivedSum) / Double(rssiCount) : nil,
      reports: Int(reports),
      unmeasured: UInt16(clamping: reports &- rssiCount),
      filteredRSSI: filtered?.dBm,
      lastReceived: lastReceived,
      address: address,
      firstReceivedOrder: firstReceivedOrder
    )
    beginSecond()
    return beacon
  }

  /// Measures the distance, if it is to be delivered, and classifies it.
  @inline(__always)
  private mutating func measure(
    _ filtered: FilteredRSSI?,
    _ identity: BeaconIdentity,
    at time: Timestamp,
    by configuration: borrowing RangingConfiguration
  ) -> DistanceEstimate? {
    let power = configuration.calibration.power(for: identity, announced: announcedPower)
    guard let filtered, let power, !isContested, isMeasurable(at: time, by: configuration) else {
      _ = classifier.update(nil as DistanceReach?, at: time, by: configuration.proximity)
      return nil
    }
    let silence = reports == 0 ? time - lastReceived : .zero
    let distance = DistanceEstimate(
      rssi: filtered,
      measuredPower: power,
      pathLoss: configuration.pathLoss,
      shadowing: configuration.intervalDeviation,
      silentFor: silence,
      shiftedBy: DistanceEstimate.deliveredShift
    )
    // Within the beacon's current zone the error of the distance does not matter.
    if configuration.proximity.plainZone(of: distance.meters) == classifier.proximity {
      classifier.stay(at: distance.meters, received: reports > 0)
    } else {
      let reach = reach(of: distance.meters, filtered, measuredPower: power, by: configuration)
      _ = classifier.update(
        reach,
        interval: distance,
        silentFor: silence,
        at: time,
        by: configuration.proximity
      )
    }
    return distance
  }

  /// Returns the range of the distance at the certainty that the rule requires.
  @inline(never)
  private func reach(
    of meters: Double,
    _ filtered: FilteredRSSI,
    measuredPower: Double,
    by configuration: RangingConfiguration
  ) -> DistanceReach {
    let rule = configuration.proximity
    guard rule.certainty > 0, classifier.remembersZone else {
      return DistanceReach(exactly: meters)
    }
    return DistanceReach(
      filtered,
      measuredPower: measuredPower,
      pathLoss: configuration.pathLoss,
      deviations: rule.certainty
    )
  }

  /// The mean since the last tick, which a tick uses without a filter.
  ///
  /// It is the RSSI in the tick (row R5) at the power of the levels, so that distance and RSSI of the tick agree. It is not used with several
  /// receivers, since each has a separate offset.
  private func secondsMean(by configuration: borrowing RangingConfiguration) -> FilteredRSSI? {
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

  /// The estimated distance in meters at a time; `nil` when it is unknown.
  mutating func distance(
    of identity: BeaconIdentity,
    at time: Timestamp,
    by configuration: RangingConfiguration
  ) -> Double? {
    guard let filtered = filteredRSSI(at: time, calibration: configuration.calibration),
      let power = configuration.calibration.power(for: identity, announced: announcedPower),
      !isContested
    else { return nil }
    return configuration.pathLoss.distance(rssi: filtered.dBm, measuredPower: power)
  }

  /// Whether the beacon has a distance: it had a sample since the last tick, or is silent for no longer than usual.
  @inline(__always)
  private func isMeasurable(
    at time: Timestamp,
    by configuration: borrowing RangingConfiguration
  ) -> Bool {
    if rssiCount > 0 { return true }
    return configuration.holdsProximity && interval.isHeld(silentFor: time - lastReceived)
  }

  /// The filtered RSSI: of several receivers, that of the shortest path.
  ///
  /// - Parameters:
  ///   - time: The time.
  ///   - calibration: The offsets of the receivers.
  ///   - isTick: Whether a second ends, so that the mean of its reports can be learned from.
  /// - Returns: The level, as the mean that it would be; `nil` if no receiver has one.
  @inline(__always)
  private mutating func filteredRSSI(
    at time: Timestamp,
    calibration: borrowing Calibration,
    learning isTick: Bool = false
  ) -> FilteredRSSI? {
    guard furtherSignals.isEmpty else {
      return combined(at: time, calibration: calibration, learning: isTick)
    }
    let level = signal.level(at: time, sum: rssiSum, reports: isTick ? rssiCount : 0)
    return level.map { Self.shifted($0, signal, calibration) }
  }

  /// Returns a receiver's level as the mean that it would be at a receiver without an offset.
  @inline(__always)
  private static func shifted(
    _ level: FilteredRSSI,
    _ signal: borrowing ReceiverSignal,
    _ calibration: borrowing Calibration
  ) -> FilteredRSSI {
    let mean = signal.filter.isMostProbable ? signal.offset.decibels : 0
    return level.shifted(by: calibration.offset(forReceiver: signal.receiver) + mean)
  }

  /// Combines the receivers' values.
  ///
  /// Obstacles only weaken, so the strongest value has the shortest path. Values that agree with it within their errors
  /// are averaged; weaker ones do not count. A receiver that has received nothing lately does not count while another
  /// has.
  @inline(never)
  private mutating func combined(
    at time: Timestamp,
    calibration: borrowing Calibration,
    learning isTick: Bool
  ) -> FilteredRSSI? {
    var (count, sum) = isTick ? (rssiCount, rssiSum) : (0, 0)
    if isTick {
      for further in furtherSignals {
        count &-= further.rssiCount
        sum &-= further.rssiSum
      }
    }
    let level = signal.level(at: time, sum: sum, reports: count)
    var combined = level.map { Self.shifted($0, signal, calibration) }
    var isLate = signal.filter.isLate(at: time)
    for index in furtherSignals.indices {
      let further = furtherSignals[index]
      guard
        let level = furtherSignals[index].signal.level(
          at: time,
          sum: further.rssiSum,
          reports: isTick ? further.rssiCount : 0
        )
      else { continue }
      let next = Self.shifted(level, furtherSignals[index].signal, calibration)
      let nextIsLate = furtherSignals[index].signal.filter.isLate(at: time)
      guard let known = combined, isLate == nextIsLate else {
        if combined == nil || isLate { (combined, isLate) = (next, nextIsLate) }
        continue
      }
      combined = known.ofShorterPath(with: next)
    }
    return combined
  }
}
