// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Visit {
  /// A time at which the visitor looked at one exhibit.
  public struct Viewing: Sendable, Hashable {
    /// The exhibit.
    public var exhibit: Int
    /// From when.
    public var start: Timestamp
    /// To when.
    public var end: Timestamp
    /// Seconds that the visitor stood before it.
    public var dwell: Double
    /// Seconds at each proximity.
    public var nearness: Nearness
  }

  /// The visits to exhibits, in the order of time: stays of at least `shortest` seconds.
  ///
  /// Stays before one exhibit that are less than `shortest` seconds apart are one visit, and its dwell their sum: to step aside
  /// for a moment is no end.
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
