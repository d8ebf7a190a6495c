// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The visits of several recordings, each once: copies of a recording are one visit.
package struct DistinctVisits {
  private struct Entry {
    let name: String
    let visit: Visit
    var sketch: RecordingSketch
    let isOfVisitor: Bool
    let planReports: Int

    /// Whether it counts in place of another recording of the visit: one with actions of its visitor does, or the
    /// longer one.
    func precedes(_ other: Entry) -> Bool {
      isOfVisitor == other.isOfVisitor ? sketch.count > other.sketch.count : isOfVisitor
    }
  }

  private var entries: [Entry] = []
  /// How many recordings were of a visit that another one has.
  package private(set) var copies = 0

  package init() {}

  /// The visits, in the order of their first recordings.
  package var visits: [Visit] { entries.map(\.visit) }

  /// How many reports of the visits came from beacons of the plan.
  package var planReports: Int { entries.reduce(0) { $0 + $1.planReports } }

  /// Adds a recording.
  ///
  /// - Parameters:
  ///   - played: The recording as it was replayed.
  ///   - name: Its name for the user.
  ///   - isOfVisitor: Whether it has the actions of its visitor.
  /// - Returns: The names of the earlier recordings of the same visit.
  package mutating func add(
    _ played: VisitReplay.Played,
    named name: String,
    isOfVisitor: Bool
  ) -> [String] {
    guard let visit = played.visit else { return [] }
    let entry = Entry(
      name: name,
      visit: visit,
      sketch: played.sketch,
      isOfVisitor: isOfVisitor,
      planReports: played.planReports
    )
    let same = entries.indices.filter { entries[$0].sketch.isOfSameVisit(as: entry.sketch) }
    guard let place = same.first else {
      entries.append(entry)
      return []
    }
    let found = same.map { entries[$0] }
    copies += found.count
    var best = (found + [entry]).reduce(entries[place]) { $1.precedes($0) ? $1 : $0 }
    // Further parts of any of them are parts of the visit.
    for other in found + [entry] { best.sketch.merge(other.sketch) }
    entries[place] = best
    for index in same.dropFirst().reversed() { entries.remove(at: index) }
    return found.map(\.name)
  }
}
