// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reports that are required to enter a region.
///
/// It prevents false entries: a packet that passed two walls is not a visit. Inside the region every report counts,
/// however weak; the exit time decides when the region is left.
public struct EnterPolicy: Sendable, Hashable {
  /// The first matching report enters, as in Core Location.
  public static let immediate = EnterPolicy()

  /// How many matching reports are required; at least 1.
  public let sightings: Int
  /// The weakest report in dBm that counts; `nil` when any does, also one without RSSI.
  public let rssiFloor: Int8?
  /// The time within which they must be received.
  public let window: TimeSpan

  /// Creates a policy; a number below 1 is taken as 1.
  public init(
    sightings: Int = 1,
    rssiFloor: Int8? = nil,
    window: TimeSpan = RegionConstants.enterWindow
  ) {
    self.sightings = max(sightings, 1)
    self.rssiFloor = rssiFloor
    self.window = window
  }

  /// Returns whether a report is strong enough to count.
  @inlinable
  public func counts(rssi: Int8?) -> Bool {
    guard let rssiFloor else { return true }
    guard let rssi else { return false }
    return rssi >= rssiFloor
  }
}
