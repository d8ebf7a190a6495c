// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What earlier runs learned of beacons' gaps, until the beacons are heard again.
struct RestoredIntervals: Sendable {
  private var gaps: [BeaconIdentity: ArrivalIntervals] = [:]
  private var expiry = Timestamp.earliest

  /// Adds what was kept of some beacons; what does not hold together is left out.
  ///
  /// - Parameters:
  ///   - saved: What was kept.
  ///   - time: Until when a beacon that is heard takes it up: for as long as a silent beacon is remembered.
  ///   - learning: What exit times aim for.
  mutating func add(_ saved: [SavedIntervals], until time: Timestamp, _ learning: ExitLearning) {
    for intervals in saved.prefix(RegionConstants.savedIntervals) {
      gaps[intervals.identity] = ArrivalIntervals(intervals, learning)
    }
    expiry = max(expiry, time)
  }

  /// Returns what is known of a beacon that is heard for the first time; it is known once.
  mutating func take(of identity: BeaconIdentity, at time: Timestamp) -> ArrivalIntervals? {
    if gaps.isEmpty { return nil }
    guard time <= expiry else {
      gaps = [:]
      return nil
    }
    return gaps.removeValue(forKey: identity)
  }
}
