// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension ArrivalIntervals {
  /// Restores the statistics of an earlier run; `nil` when the values are inconsistent.
  ///
  /// - Parameters:
  ///   - saved: The saved values; a file may contain anything.
  ///   - learning: The current target of exit times, whose bounds the restored ones are clamped to.
  public init?(_ saved: SavedIntervals, _ learning: ExitLearning = .standard) {
    let levels = UInt8(8)
    guard saved.counts.count == Int(levels), saved.excess.count == Int(levels),
      saved.counts.allSatisfy({ $0 <= ArrivalIntervals.countLimit }), saved.stage < levels,
      // An exit time never shrinks below its target.
      saved.target <= saved.exit
    else { return nil }
    self.init()
    for bin in 0..<Int(levels) {
      counts[bin] = saved.counts[bin]
      excess[bin] = saved.excess[bin]
    }
    presence = saved.observed
    estimatedInterval = saved.estimatedInterval
    lastExceeded = saved.lastExceeded
    refreshAt = saved.refreshAt
    shorter = saved.shorter
    stage = saved.stage
    let bounds = Self.milliseconds(learning.floor)...Self.milliseconds(learning.cap)
    if saved.exit != 0 { exit = min(max(saved.exit, bounds.lowerBound), bounds.upperBound) }
    if saved.target != 0 { target = min(max(saved.target, bounds.lowerBound), bounds.upperBound) }
  }

  /// Returns the values that a later run can restore.
  public func saved(of identity: BeaconIdentity) -> SavedIntervals {
    SavedIntervals(
      identity,
      counts: counts.indices.map { counts[$0] },
      excess: excess.indices.map { excess[$0] },
      observed: presence,
      estimatedInterval: estimatedInterval,
      exit: exit,
      target: target,
      lastExceeded: lastExceeded,
      refreshAt: refreshAt,
      shorter: shorter,
      stage: stage
    )
  }

  private static func milliseconds(_ span: TimeSpan) -> UInt16 {
    UInt16(clamping: span.microseconds / 1000)
  }
}
