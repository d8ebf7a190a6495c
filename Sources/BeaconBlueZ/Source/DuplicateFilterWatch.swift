// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Tells from the gaps between a device's reports whether the controller reports each device once a scan (row B1).
///
/// Without an advertisement monitor the kernel begins a scan every 10.24 s with the controller's duplicate filter on. A
/// controller that takes the filter to the letter then tells of a device once a scan; others tell of every packet, or of
/// each change. So nothing is said before the gaps do.
package struct DuplicateFilterWatch {
  /// What was found.
  package enum Verdict: Sendable, Equatable {
    /// Reports come once a scan.
    case limited
    /// Reports come more often than that.
    case unlimited
  }

  /// The gaps that a scan of 10.24 s and the pause to the next leave; measured 10.24 to 10.5 s, and 9.0 to 12 s where the
  /// machine is busy.
  private static let scanGap = TimeSpan.milliseconds(8500)...TimeSpan.milliseconds(13_000)
  /// How many gaps a verdict needs: fewer might be one beacon that was hardly heard.
  private static let enough = 4
  /// The most devices that are followed; those that are heard first are as good as others.
  private static let capacity = 64

  private var lastReceived: [UInt64: Timestamp] = [:]
  private var scanGaps = 0
  private var otherGaps = 0

  /// Knows nothing yet.
  package init() {}

  /// Takes note of a report.
  ///
  /// - Parameters:
  ///   - device: Whose.
  ///   - time: When it was heard.
  /// - Returns: The verdict, once there is evidence for one; nothing need be noted from then on.
  package mutating func heard(_ device: UInt64, at time: Timestamp) -> Verdict? {
    let last = lastReceived[device]
    guard last != nil || lastReceived.count < Self.capacity else { return nil }
    lastReceived[device] = time
    guard let last else { return nil }
    if Self.scanGap.contains(time - last) { scanGaps += 1 } else { otherGaps += 1 }
    guard scanGaps + otherGaps >= Self.enough else { return nil }
    if otherGaps > scanGaps { return .unlimited }
    return scanGaps >= Self.enough && scanGaps > 4 * otherGaps ? .limited : nil
  }
}
