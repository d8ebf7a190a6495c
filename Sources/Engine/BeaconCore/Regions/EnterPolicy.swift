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
  public var sightings: Int {
    didSet { sightings = max(sightings, 1) }
  }
  /// The weakest report in dBm that counts; `nil` when any does, also one without RSSI.
  public var rssiFloor: Int8?
  /// The time within which they must be received.
  public var window: TimeSpan

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

  /// The weakest report in dBm that counts, as a whole number; the least there is when any report does.
  var countedFloor: Int {
    get { Int(rssiFloor ?? .min) }
    set { rssiFloor = newValue == Int(Int8.min) ? nil : Int8(clamping: newValue) }
  }

  /// Returns whether a report is strong enough to count.
  @inlinable
  public func counts(rssi: Int8?) -> Bool {
    guard let rssiFloor else { return true }
    guard let rssi else { return false }
    return rssi >= rssiFloor
  }
}
