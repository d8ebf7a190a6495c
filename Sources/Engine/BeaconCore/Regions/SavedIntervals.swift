// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The statistics of a beacon's gaps that are saved between two runs: the values of its `ArrivalIntervals`.
///
/// A later run continues with them, so that its exit times are learned ones from the first report on.
public struct SavedIntervals: Sendable, Equatable {
  /// The version of the values; those of another version are not restored.
  public static let version = 1

  /// The kept state of a period of presence.
  public struct Period: Sendable, Equatable {
    /// The longest gaps in ms, longest first; at most 24.
    public var longest: [UInt16] = []
    /// Its length in ms.
    public var presence: UInt32 = 0
    /// How many gaps there were.
    public var gaps: UInt32 = 0
    /// How many of them were longer than one and a half advertising intervals.
    public var withLosses: UInt32 = 0
    /// The longest advertising interval for which an exit time was learned, in quarters of a ms.
    public var slowest: UInt16 = 0

    /// Creates a period without gaps.
    public init() {}
  }

  /// The beacon; of the statistics of a whole region, the last beacon received.
  public var identity: BeaconIdentity
  /// The period in which the beacon was saved.
  public var current = Period()
  /// The period before it.
  public var previous = Period()
  /// The first gaps in ms, while the interval is unknown.
  public var first: [UInt16] = []
  /// The advertising interval in quarters of a ms; 0 while it is unknown.
  public var estimatedInterval: UInt16 = 0
  /// The exit time in ms; 0 while nothing was fitted.
  public var exit: UInt16 = 0
  /// The exit time that the fit found, in ms, to which the other shrinks.
  public var target: UInt16 = 0
  /// When the next fit is due, in ms of the current period.
  public var refreshAt: UInt32 = 0
  /// Until when the statistics are in doubt, in ms of the current period; 0 while they are not.
  public var doubtUntil: UInt32 = 0
  /// How many gaps were longer than the cap.
  public var beyondCap: UInt16 = 0
  /// The evidence that gaps beyond the cap are rests.
  public var rests = Rests()
  /// The evidence for a shorter interval: plus 16 for a gap that is too short, minus 1 for any other.
  public var shorter: UInt8 = 0
  /// How many gaps in succession were longer than one and a half intervals.
  public var longer: UInt8 = 0
  /// Whether a longer cap was needed.
  public var needsLongerCap = false

  /// Creates the values of an unknown beacon; `ArrivalIntervals` checks whether the state that a
  /// state file adds is consistent.
  public init(_ identity: BeaconIdentity) { self.identity = identity }

  /// How the beacon was received, if the longest exit time was too short for it.
  public func receptionNeedingLongerCap(_ learning: ExitLearning) -> Reception? {
    guard needsLongerCap, let intervals = ArrivalIntervals(self, learning) else { return nil }
    return intervals.reception(learning)
  }
}

/// How a beacon is received.
public struct Reception: Sendable, Equatable {
  /// The advertising interval, as observed; `nil` until it is known.
  public var interval: TimeSpan?
  /// The share of its packets that is received, from 0 to 1; `nil` without a measured interval.
  public var share: Double?
  /// The longest silence after which it was received again.
  public var silence: TimeSpan
  /// The exit time that would have held on the received reports.
  public var advised: TimeSpan
  /// Whether the interval is at least so long: longer ones are not measured.
  public var isLeastInterval = false
  /// Whether the region's exit time is fixed, so that only another fixed time helps.
  public var isFixed = false
  /// Whether the region has a separate exit time, so that the one of all regions does not concern it.
  public var isOwn = false

  /// Creates the reception of a beacon.
  public init(interval: TimeSpan?, share: Double?, silence: TimeSpan, advised: TimeSpan) {
    self.interval = interval
    self.share = share
    self.silence = silence
    self.advised = advised
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
