// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Notices that the bus's thread stood still: stopped by a signal or a debugger, starved, or asleep with the machine.
///
/// What comes over D-Bus bears no time but that of its reading. Reports that waited would make silences that never were,
/// so nobody heard from the last moment at which the thread demonstrably ran until it runs again. What comes through the
/// kernel keeps its time, so there nobody heard only while the machine itself slept.
package struct StallWatch: Sendable {
  /// From when until when something did not run.
  package struct Stall: Sendable, Equatable {
    /// When it was last seen to run.
    package var start: Timestamp
    /// When it ran again.
    package var end: Timestamp

    package init(start: Timestamp, end: Timestamp) {
      self.start = start
      self.end = end
    }
  }

  /// What a look finds that comes late.
  package struct Finding: Sendable, Equatable {
    /// When the thread did not run.
    package var thread: Stall
    /// When the machine slept, at the end of that; `nil` where it did not.
    package var machine: Stall?

    package init(thread: Stall, machine: Stall? = nil) {
      self.thread = thread
      self.machine = machine
    }
  }

  /// The longest the thread may wait for messages while they matter: only one that must run often can be missed.
  package static let interval = TimeSpan.milliseconds(500)
  /// The shortest time between two looks that counts: two seconds.
  ///
  /// A report that is stamped so late makes no exit of its own, the shortest that is learned being 3 s; and a processor or a
  /// memory card that is busy for a second must not cost the regions what they know.
  package static let shortest = TimeSpan.seconds(2)

  private var lastLook: Timestamp?
  /// How long the machine had slept by then.
  private var slept = TimeSpan.zero

  /// Has not seen the thread yet.
  package init() {}

  /// When the thread must look next, if it is to be seen to run; `nil` before it first looked.
  package var nextLook: Timestamp? { lastLook.map { $0 + Self.interval } }

  /// The thread looks at the clock, before anything is stamped with this time.
  ///
  /// - Parameters:
  ///   - time: Where the timeline stands.
  ///   - asleep: How long the machine has slept in all; asked where that may have become more.
  /// - Returns: What ends here, if the look comes late.
  package mutating func look(at time: Timestamp, asleep: () -> TimeSpan) -> Finding? {
    defer { lastLook = time }
    guard let last = lastLook else {
      slept = asleep()
      return nil
    }
    guard time - last > Self.shortest else { return nil }
    let sleep = asleep() - slept
    slept = slept + max(.zero, sleep)
    var finding = Finding(thread: Stall(start: last, end: time))
    if sleep > Self.shortest {
      finding.machine = Stall(start: max(last, time - sleep), end: time)
    }
    return finding
  }
}
