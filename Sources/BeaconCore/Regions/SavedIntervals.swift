// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What is kept of a beacon's gaps between two runs: the counts of ``ArrivalIntervals`` as plain values.
///
/// A later run goes on from them, so that its exit times are learned ones from the first report on.
public struct SavedIntervals: Sendable, Equatable {
  /// The version of the counts; what another version wrote means something else, and is not restored.
  public static let version = 1

  /// The beacon.
  public var identity: BeaconIdentity
  /// How many gaps exceeded each level of the ladder, eight of them.
  public var counts: [UInt16]
  /// By how much, in sixteenths of the level's width; while the interval is being found, the first gaps in ms.
  public var excess: [UInt16]
  /// How long the beacon was observed, in ms.
  public var observed: UInt32
  /// The advertising interval in quarters of a ms; 0 while it is being found.
  public var estimatedInterval: UInt16
  /// The exit time in ms; 0 while nothing was fitted.
  public var exit: UInt16
  /// The exit time that the fit found, in ms, to which the other shrinks.
  public var target: UInt16
  /// The second of ``observed`` in which the fitted level was last exceeded.
  public var lastExceeded: UInt16
  /// The second of ``observed`` in which the next fit is due.
  public var refreshAt: UInt16
  /// How much speaks for a shorter interval; 16 a gap that is too short, less 1 for any other.
  public var shorter: UInt8
  /// The level that was fitted; while the interval is being found, how many gaps were seen.
  public var stage: UInt8

  /// Creates what is kept, as a state file has it; whether it holds together is seen by ``ArrivalIntervals/init(_:_:)``.
  public init(
    _ identity: BeaconIdentity,
    counts: [UInt16],
    excess: [UInt16],
    observed: UInt32,
    estimatedInterval: UInt16,
    exit: UInt16,
    target: UInt16,
    lastExceeded: UInt16,
    refreshAt: UInt16,
    shorter: UInt8,
    stage: UInt8
  ) {
    self.identity = identity
    self.counts = counts
    self.excess = excess
    self.observed = observed
    self.estimatedInterval = estimatedInterval
    self.exit = exit
    self.target = target
    self.lastExceeded = lastExceeded
    self.refreshAt = refreshAt
    self.shorter = shorter
    self.stage = stage
  }
}

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
