// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The statistics of a beacon's gaps that are saved between two runs: the values of ``ArrivalIntervals``.
///
/// A later run continues with them, so that its exit times are learned ones from the first report on.
public struct SavedIntervals: Sendable, Equatable {
  /// The version of the values; those of another version have another meaning and are not restored.
  public static let version = 1

  /// The beacon.
  public var identity: BeaconIdentity
  /// How many gaps exceeded each level of the ladder, eight of them.
  public var counts: [UInt16]
  /// By how much, in sixteenths of the level's width; while the interval is unknown, the first gaps in ms.
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
  /// The evidence for a shorter interval: plus 16 for a gap that is too short, minus 1 for any other.
  public var shorter: UInt8
  /// The level that was fitted; while the interval is unknown, how many gaps were received.
  public var stage: UInt8

  /// Creates the values of a state file; ``ArrivalIntervals/init(_:_:)`` checks whether they are consistent.
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

/// The statistics of beacons' gaps from earlier runs, until the beacons are received again.
struct RestoredIntervals: Sendable {
  private var gaps: [BeaconIdentity: ArrivalIntervals] = [:]
  private var expiry = Timestamp.earliest

  /// Adds saved statistics; inconsistent values are left out.
  ///
  /// - Parameters:
  ///   - saved: The saved statistics.
  ///   - time: Until when a beacon can use them: as long as a silent beacon is remembered.
  ///   - learning: The target of exit times.
  mutating func add(_ saved: [SavedIntervals], until time: Timestamp, _ learning: ExitLearning) {
    for intervals in saved.prefix(RegionConstants.savedIntervals) {
      gaps[intervals.identity] = ArrivalIntervals(intervals, learning)
    }
    expiry = max(expiry, time)
  }

  /// Removes and returns the statistics of a beacon, when it is received for the first time.
  mutating func remove(of identity: BeaconIdentity, at time: Timestamp) -> ArrivalIntervals? {
    if gaps.isEmpty { return nil }
    guard time <= expiry else {
      gaps = [:]
      return nil
    }
    return gaps.removeValue(forKey: identity)
  }
}
