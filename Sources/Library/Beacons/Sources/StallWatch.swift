// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Detects stalls of a thread that receives: it was stopped by a signal or a debugger, got no processor time, or slept
/// with the machine.
///
/// The only time of a report over D-Bus, of a proxy or of a broker's node is the time at which the thread reads it. Reports
/// that wait during a stall would look like a silence, and then like the present. So such receivers count as deaf from the
/// last time at which the thread is known to have run until it runs again and everything that waited is read. Reports
/// through the kernel have their own times, so those receivers count as deaf only while the machine slept.
package struct StallWatch: Sendable {
  /// A span of time in which the thread or the machine did not run.
  package struct Stall: Sendable, Equatable {
    /// When it is last known to have run.
    package var start: Timestamp
    /// When it ran again.
    package var end: Timestamp

    /// How long it did not run.
    package var duration: TimeSpan { end - start }

    package init(start: Timestamp, end: Timestamp) {
      self.start = start
      self.end = end
    }
  }

  /// The result of a late check.
  package struct Finding: Sendable, Equatable {
    /// When the thread did not run.
    package var thread: Stall
    /// When the machine slept during that stall; `nil` if it did not.
    package var machine: Stall?

    package init(thread: Stall, machine: Stall? = nil) {
      self.thread = thread
      self.machine = machine
    }
  }

  /// The interval of checks while messages matter; a missing check shows a stall.
  package static let interval = TimeSpan.milliseconds(500)
  /// The shortest time between two checks that counts as a stall.
  ///
  /// A report that is stamped up to two seconds late causes no exit, since the shortest learned exit time is 3 s. And a
  /// second in which the processor or a memory card is busy must not reset the states of the regions.
  package static let shortest = TimeSpan.seconds(2)

  private var lastCheck: Timestamp?
  /// The total time that the machine had slept by the last check.
  private var slept = TimeSpan.zero

  /// A sentence for the user.
  package static func sentence(_ time: TimeSpan, of receivers: String) -> String {
    let tenths = time.microseconds / 100_000
    return "this program was stalled for \(tenths / 10).\(tenths % 10) s; "
      + "\(receivers) count as deaf for that time"
  }

  /// Creates a watch without a check.
  package init() {}

  /// When ``check(at:asleep:)`` must be called next to show that the thread runs; `nil` before the first call.
  package var nextCheck: Timestamp? { lastCheck.map { $0 + Self.interval } }

  /// Notes that the thread runs.
  ///
  /// Call it before anything is stamped with this time.
  ///
  /// - Parameters:
  ///   - time: The current time on the timeline.
  ///   - asleep: Returns the total time that the machine has slept; called only if the check is late.
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
