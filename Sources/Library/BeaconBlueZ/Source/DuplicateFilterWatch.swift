// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Detects a controller that reports each device only once per scan (row B1), from the intervals between a device's
/// reports.
///
/// Without an advertisement monitor the kernel starts a scan every 10.24 s with the controller's duplicate filter on.
/// Some controllers then report a device once per scan; others report every packet, or each change. So only the
/// intervals show the controller's behavior.
package struct DuplicateFilterWatch {
  /// The result.
  package enum Verdict: Sendable, Equatable {
    /// Each device is reported once per scan.
    case limited
    /// Devices are reported more often.
    case unlimited
  }

  /// The intervals that result from scans of 10.24 s and the pauses between them; measured: 10.24 to 10.5 s, and 9.0 to
  /// 12 s on a busy machine.
  private static let scanInterval = TimeSpan.milliseconds(8500)...TimeSpan.milliseconds(13_000)
  /// How many intervals a verdict needs: fewer could come from one beacon that is hardly received.
  private static let enough = 4
  /// The most devices to follow; the first ones are as good as others.
  private static let capacity = 64

  private var lastReceived: [UInt64: Timestamp] = [:]
  private var scanIntervals = 0
  private var otherIntervals = 0

  /// Creates a watch without reports.
  package init() {}

  /// Notes that a report was received.
  ///
  /// - Parameters:
  ///   - device: The device that sent it.
  ///   - time: When it was received.
  /// - Returns: The verdict, once there is evidence for one; after it no report needs to be noted.
  package mutating func received(_ device: UInt64, at time: Timestamp) -> Verdict? {
    let last = lastReceived[device]
    guard last != nil || lastReceived.count < Self.capacity else { return nil }
    lastReceived[device] = time
    guard let last else { return nil }
    if Self.scanInterval.contains(time - last) { scanIntervals += 1 } else { otherIntervals += 1 }
    guard scanIntervals + otherIntervals >= Self.enough else { return nil }
    if otherIntervals > scanIntervals { return .unlimited }
    return scanIntervals >= Self.enough && scanIntervals > 4 * otherIntervals ? .limited : nil
  }
}
