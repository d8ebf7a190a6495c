// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconFormats

/// What persons are still to do in a run, by time; at one time in the order in which it was added.
package struct UserActionQueue: Sendable {
  private var moments: [RecordedUserAction] = []
  private var head = 0

  package init() {}

  /// What comes next.
  package var next: RecordedUserAction? { head < moments.count ? moments[head] : nil }

  /// Adds what a person will do.
  package mutating func add(_ moment: RecordedUserAction) {
    var place = moments.count
    while place > head, moment.time < moments[place - 1].time { place -= 1 }
    moments.insert(moment, at: place)
  }

  /// Takes out what comes next.
  package mutating func removeFirst() {
    guard head < moments.count else { return }
    head += 1
    guard head == moments.count else { return }
    moments.removeAll(keepingCapacity: true)
    head = 0
  }
}
