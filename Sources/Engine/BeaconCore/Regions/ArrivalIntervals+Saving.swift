// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension ArrivalIntervals {
  /// Restores the statistics of an earlier run; `nil` when the values are inconsistent.
  ///
  /// - Parameters:
  ///   - saved: The saved values; a file may contain anything.
  ///   - learning: The current target of exit times, whose bounds the restored ones are clamped to.
  package init?(_ saved: SavedIntervals, _ learning: ExitLearning = .standard) {
    self.init(saved, learning, as: ArrivalIntervals())
  }

  /// Restores the statistics of the silences of several beacons.
  init?(ofSeveral saved: SavedIntervals, _ learning: ExitLearning) {
    self.init(saved, learning, as: ArrivalIntervals(ofSeveral: ()))
  }

  private init?(_ saved: SavedIntervals, _ learning: ExitLearning, as empty: ArrivalIntervals) {
    guard let current = Period(saved.current), let previous = Period(saved.previous),
      saved.first.count < Self.firstStored,
      // An exit time never shrinks below its target.
      saved.target <= saved.exit
    else { return nil }
    self = empty
    self.current = current
    self.previous = previous
    for index in saved.first.indices { first[index] = saved.first[index] }
    firstCount = UInt8(saved.first.count)
    estimatedInterval = saved.estimatedInterval
    refreshAt = min(saved.refreshAt, current.presence &+ Self.milliseconds(learning.model.refresh))
    let latestDoubt = current.presence &+ Self.milliseconds(learning.hold)
    doubtUntil = saved.target == 0 ? 0 : min(saved.doubtUntil, latestDoubt)
    beyondCap = saved.beyondCap
    rests = saved.rests
    shorter = saved.shorter
    longer = saved.longer
    let bounds: ClosedRange<UInt16> =
      Self.milliseconds(learning.floor)...Self.milliseconds(learning.cap)
    if saved.exit != 0 { exit = min(max(saved.exit, bounds.lowerBound), bounds.upperBound) }
    if saved.target != 0 {
      fitted(
        min(max(saved.target, bounds.lowerBound), bounds.upperBound),
        needsLongerCap: saved.needsLongerCap
      )
    } else if rests.areEvident {
      fitted(0, needsLongerCap: true)
    }
  }

  /// Returns the values that a later run can restore.
  package func saved(of identity: BeaconIdentity) -> SavedIntervals {
    var saved = SavedIntervals(identity)
    saved.current = current.saved
    saved.previous = previous.saved
    saved.first = (0..<Int(firstCount)).map { first[$0] }
    saved.estimatedInterval = estimatedInterval
    saved.exit = exit
    saved.target = target
    saved.refreshAt = refreshAt
    saved.doubtUntil = doubtUntil
    saved.beyondCap = beyondCap
    saved.rests = rests
    saved.shorter = shorter
    saved.longer = longer
    saved.needsLongerCap = needsLongerCap
    return saved
  }
}

extension ArrivalIntervals.Period {
  /// Restores a period; `nil` when its values are inconsistent.
  fileprivate init?(_ saved: SavedIntervals.Period) {
    guard saved.longest.count <= ArrivalIntervals.longestStored,
      zip(saved.longest, saved.longest.dropFirst()).allSatisfy({ $0 >= $1 }),
      saved.longest.last != 0, saved.withLosses <= saved.gaps,
      saved.presence <= ArrivalIntervals.longestPresence
    else { return nil }
    self.init()
    for index in saved.longest.indices { longest[index] = saved.longest[index] }
    presence = saved.presence
    gaps = saved.gaps
    withLosses = saved.withLosses
    slowest = saved.slowest
  }

  fileprivate var saved: SavedIntervals.Period {
    var saved = SavedIntervals.Period()
    for index in longest.indices where longest[index] > 0 { saved.longest.append(longest[index]) }
    saved.presence = presence
    saved.gaps = gaps
    saved.withLosses = withLosses
    saved.slowest = slowest
    return saved
  }
}
