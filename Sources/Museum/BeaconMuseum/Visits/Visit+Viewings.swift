// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Visit {
  /// A time at which the visitor looked at one exhibit.
  public struct Viewing: Sendable, Hashable {
    /// The exhibit.
    public var exhibit: Int
    /// When it started.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp
    /// The seconds for which the visitor stood in front of it.
    public var dwell: Double
    /// The seconds at each proximity.
    public var nearness: Nearness
  }

  /// Returns the visits to exhibits, in the order of time: stays of at least `shortest` seconds.
  ///
  /// Stays in front of the same exhibit that are less than `shortest` seconds apart form one visit, whose dwell time is
  /// their sum: a short step aside does not end a visit.
  public func viewings(shortest: Double) -> [Viewing] {
    var found: [Viewing] = []
    for stay in stays {
      let open = found.lastIndex { $0.exhibit == stay.exhibit }
      if let open, (stay.start - found[open].end).seconds < shortest {
        found[open].end = stay.end
        found[open].dwell += stay.dwell
        found[open].nearness.add(stay.nearness)
      } else {
        found.append(
          Viewing(
            exhibit: stay.exhibit,
            start: stay.start,
            end: stay.end,
            dwell: stay.dwell,
            nearness: stay.nearness
          )
        )
      }
    }
    return found.filter { $0.dwell >= shortest }
  }
}
