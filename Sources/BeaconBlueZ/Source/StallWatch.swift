// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Notices that the bus's thread stood still: stopped by a signal or a debugger, starved, or asleep with the machine.
///
/// A report over D-Bus has no other time than that at which it is read. Reports that waited would look like a silence,
/// so the receivers count as deaf from the last time at which the thread is known to have run until it runs again.
/// Reports through the kernel have their own times, so there the receivers count as deaf only while the machine slept.
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

  /// What a late check finds.
  package struct Finding: Sendable, Equatable {
    /// When the thread did not run.
    package var thread: Stall
    /// When the machine slept during that; `nil` where it did not.
    package var machine: Stall?

    package init(thread: Stall, machine: Stall? = nil) {
      self.thread = thread
      self.machine = machine
    }
  }

  /// How often the thread must run while messages matter, so that it is noticed when it does not.
  package static let interval = TimeSpan.milliseconds(500)
  /// The shortest time between two checks that counts as a stall.
  ///
  /// A report that is stamped up to two seconds late causes no exit, since the shortest exit time that is learned is 3
  /// s; and a processor or a memory card that is busy for a second must not reset what is known of the regions.
  package static let shortest = TimeSpan.seconds(2)

  private var lastCheck: Timestamp?
  /// How long the machine had slept by the last check, in all.
  private var slept = TimeSpan.zero

  /// Creates a watch that has not seen the thread yet.
  package init() {}

  /// When ``check(at:asleep:)`` must be called next, so that the thread is seen to run; `nil` before the first call.
  package var nextCheck: Timestamp? { lastCheck.map { $0 + Self.interval } }

  /// Notes that the thread runs; to be called before anything is stamped with this time.
  ///
  /// - Parameters:
  ///   - time: Where the timeline stands.
  ///   - asleep: How long the machine has slept in all; called only when the check is late.
  /// - Returns: The stall that ends here, if the check is late.
  package mutating func check(at time: Timestamp, asleep: () -> TimeSpan) -> Finding? {
    defer { lastCheck = time }
    guard let last = lastCheck else {
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
