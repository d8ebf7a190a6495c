// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The positions of all visitors of a day, second by second, since visitors block each other's signals.
package struct CrowdTable: Sendable {
  struct Person: Sendable {
    var visitor: Int32
    var level: Int32
    var x: Float
    var y: Float
  }

  private var people: [Person] = []
  /// For each second, the index in `people` at which its people start.
  private var starts: [Int32] = [0]

  /// Creates the table of a day.
  package init(_ day: SimulatedDay, isCancelled: () -> Bool = { false }) {
    let last = day.visitors.map(\.path.end).max() ?? 0
    let seconds = Int(min(last, 1e6)) + 1
    var counts = [Int32](repeating: 0, count: seconds + 1)
    for visitor in day.visitors {
      for second in Self.seconds(of: visitor) { counts[second + 1] += 1 }
    }
    for second in 1...seconds { counts[second] += counts[second - 1] }
    starts = counts
    people = [Person](
      repeating: Person(visitor: 0, level: 0, x: 0, y: 0),
      count: Int(counts[seconds])
    )
    for visitor in day.visitors where !isCancelled() {
      var cursor = 0
      for second in Self.seconds(of: visitor) {
        let state = visitor.path.state(at: Double(second), cursor: &cursor)
        people[Int(counts[second])] = Person(
          visitor: Int32(visitor.number),
          level: Int32(clamping: state.level),
          x: Float(state.position.x),
          y: Float(state.position.y)
        )
        counts[second] += 1
      }
    }
  }

  private static func seconds(of visitor: SimulatedDay.Visitor) -> Range<Int> {
    let first = Int(visitor.path.start.rounded(.up))
    return first..<max(first, Int(min(visitor.path.end, 1e6)))
  }

  /// Returns the people of a second.
  func people(at second: Int) -> ArraySlice<Person> {
    guard second >= 0, second + 1 < starts.count else { return [] }
    return people[Int(starts[second])..<Int(starts[second + 1])]
  }
}
