// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Plan {
  /// A thing to look at, with a beacon on it.
  public struct Exhibit: Sendable, Hashable {
    /// The identity of its beacon: the museum's UUID, the room's major and its own minor.
    public var identity: BeaconIdentity
    /// What it is called.
    public var title: LocalizedText
    /// What the guide tells of it; `nil` where the title says all.
    public var text: LocalizedText?
    /// Where the beacon is; `nil` where the plan does not say.
    public var position: Point?
    /// The measured power of its beacon in dBm at 1 m, above −128 and below 0; `nil`: as for all beacons.
    public var power: Double?
    /// How long a visitor needs to see it, in seconds; `nil` where the curator does not say.
    public var viewingTime: Double?

    /// Creates an exhibit.
    public init(
      identity: BeaconIdentity,
      title: LocalizedText,
      text: LocalizedText? = nil,
      position: Point? = nil,
      power: Double? = nil,
      viewingTime: Double? = nil
    ) {
      self.identity = identity
      self.title = title
      self.text = text
      self.position = position
      self.power = power
      self.viewingTime = viewingTime
    }
  }
}
