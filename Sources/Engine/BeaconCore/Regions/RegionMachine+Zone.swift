// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Zones: a beacon keeps the region inside from when it comes within the inner distance until it goes beyond the outer
// or falls silent. The region is left when the last such beacon is gone.

extension RegionMachine {
  mutating func sighted(
    _ sighting: RegionSighting,
    in zone: Zone,
    intervals: borrowing ArrivalIntervals,
    into actions: inout [RegionAction]
  ) {
    guard state == .inside else {
      guard let distance = sighting.distance else {
        notEntered = .distanceUnknown
        return
      }
      guard distance <= zone.enterWithin else {
        notEntered = .leftRange
        return
      }
      if isEnough(sighting) {
        let newDue = sighting.time + exitTime(intervals)
        enter(sighting, intervals: intervals, until: newDue, reason: .cameInRange, into: &actions)
      }
      return
    }
    let slot = inRange.firstIndex { $0.identity == sighting.identity }
    if let distance = sighting.distance, distance > zone.leaveBeyond {
      wentBeyond(sighting, zone, slot, into: &actions)
    } else if stays(sighting, zone, isInRange: slot != nil) {
      let newDue = sighting.time + exitTime(intervals)
      let new = held(by: sighting, intervals: intervals, until: newDue)
      keepInRange(new, slot, at: sighting.time)
    }
  }

  /// Whether a beacon stays in range; without a known distance it keeps its state: unknown never means left or entered.
  private func stays(_ sighting: RegionSighting, _ zone: Zone, isInRange: Bool) -> Bool {
    if isInRange { return true }
    guard let distance = sighting.distance else { return false }
    // Between the two distances a beacon that was inside stays inside; with an assumed state it counts as inside.
    return distance <= zone.enterWithin || inRange.isEmpty
  }

  private mutating func keepInRange(_ new: RegionHolder, _ slot: Int?, at time: Timestamp) {
    reports &+= 1
    origin = .observed
    if let slot {
      inRange[slot] = new
    } else {
      if inRange.count >= RegionConstants.zoneBeacons { forgetFirstDue() }
      inRange.append(new)
    }
    if new.due >= due || holder == nil { hold(new, lastReceived: time) }
  }

  private mutating func wentBeyond(
    _ sighting: RegionSighting,
    _ zone: Zone,
    _ slot: Int?,
    into actions: inout [RegionAction]
  ) {
    // A beacon that was never in range changes nothing, unless none is and the region is only assumed to be inside.
    guard slot != nil || inRange.isEmpty else { return }
    if let slot { inRange.remove(at: slot) }
    var latest: RegionHolder?
    for candidate in inRange where candidate.due > sighting.time {
      if candidate.due >= (latest?.due ?? .earliest) { latest = candidate }
    }
    if let latest {
      holder = latest
      due = latest.due
      return
    }
    let why = Explanation(
      identity: sighting.identity,
      reports: reports &+ 1,
      rssi: sighting.rssi,
      power: sighting.power,
      distance: sighting.distance,
      interval: holder?.identity == sighting.identity ? holder?.interval : nil,
      threshold: .distance(meters: zone.leaveBeyond),
      rule: .leaveBeyond
    )
    leave(.leftRange, why, at: sighting.time, into: &actions)
  }

  private mutating func forgetFirstDue() {
    var first = 0
    for index in inRange.indices where inRange[index].due < inRange[first].due { first = index }
    inRange.remove(at: first)
  }
}
