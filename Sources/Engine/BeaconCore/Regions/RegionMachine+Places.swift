// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Regions with a place: inside while one of the beacons is known to be there, outside while all that are followed are
// known to be elsewhere. A beacon whose place is unknown can be there, so then the region is neither (rows O1 to O8).

/// A region's knowledge of the places of its beacons.
struct PlaceWhereabouts: Sendable {
  /// A beacon that is in the region's place, or can be.
  private struct Candidate {
    var identity: BeaconIdentity
    var isThere: Bool
    var time: Timestamp
  }

  /// A beacon without a place for longer than this is one of those that are not followed.
  private static let validity = TimeSpan.seconds(1)

  private var candidates: [Candidate] = []
  /// Whether a beacon is known to be elsewhere.
  private var isElsewhere = false

  /// What follows from it; `nil` if nothing is known.
  var state: RegionState? {
    if candidates.contains(where: \.isThere) { return .inside }
    if !candidates.isEmpty { return .unknown }
    return isElsewhere ? .outside : nil
  }

  /// Notes where a beacon is.
  ///
  /// - Parameters:
  ///   - place: Its place.
  ///   - wanted: The region's place.
  ///   - time: The time as of which it is there.
  mutating func note(_ place: BeaconPlace, wanted: String, at time: Timestamp) {
    guard let identity = place.identity else {
      if place.position == .absent {
        candidates.removeAll { time - $0.time > Self.validity }
        isElsewhere = true
      }
      return
    }
    let isThere: Bool
    switch place.position {
    // By bytes: canonically equivalent names are different places.
    case .at(let name) where name.utf8.elementsEqual(wanted.utf8): isThere = true
    case .unknown: isThere = false
    case .at, .absent:
      candidates.removeAll { $0.identity == identity }
      isElsewhere = true
      return
    }
    let new = Candidate(identity: identity, isThere: isThere, time: time)
    if let known = candidates.firstIndex(where: { $0.identity == identity }) {
      candidates[known] = new
    } else {
      if candidates.count >= RegionConstants.placeBeacons { candidates.removeFirst() }
      candidates.append(new)
    }
  }
}

extension RegionMachine {
  /// Processes the place of a beacon that satisfies the region's constraint, or that no other beacon is in the site.
  ///
  /// - Parameters:
  ///   - place: Its place.
  ///   - time: The time on the engine's timeline.
  ///   - actions: Receives the actions.
  package mutating func placed(
    _ place: BeaconPlace,
    at time: Timestamp,
    into actions: inout [RegionAction]
  ) {
    guard let wanted = region.place else { return }
    whereabouts.note(place, wanted: wanted, at: time)
    guard mayKnow, let new = whereabouts.state else { return }
    guard new != state else {
      origin = .observed
      return
    }
    let why = explanation(of: place, wanted: wanted)
    switch new {
    case .unknown:
      lastKnown = state
      becomeUnknown(.placeUnknown, at: time, into: &actions)
    case .inside:
      let isMissed = isMissed(since: .outside)
      if state == .outside || isMissed, region.notifyOnEntry {
        actions.append(.entered(isMissed ? .whileUnknown : .cameToPlace, why, at: time))
      }
      lastKnown = nil
      become(.inside, .observed)
      actions.append(.determined(.inside, .observed, .cameToPlace, at: time))
    case .outside:
      let isMissed = isMissed(since: .inside)
      if state == .inside || isMissed, region.notifyOnExit {
        actions.append(.exited(isMissed ? .whileUnknown : .leftPlace, why, at: time))
      }
      lastKnown = nil
      become(.outside, .observed)
      actions.append(.determined(.outside, .observed, .leftPlace, at: time))
    }
  }

  private func explanation(of place: BeaconPlace, wanted: String) -> Explanation {
    var why = Explanation(
      identity: place.identity,
      reports: Int(place.heard),
      threshold: .place(wanted),
      rule: .nowhere
    )
    guard case .at(let name) = place.position else { return why }
    why.rule = name.utf8.elementsEqual(wanted.utf8) ? .atPlace : .atOtherPlace
    why.place = name
    why.probability = Double(place.hundredths) / 100
    return why
  }
}
