// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

extension Plan {
  /// An exhibit with a beacon on it.
  public struct Exhibit: Sendable, Hashable {
    /// The identity of its beacon: the museum's UUID, the room's major and its own minor.
    public var identity: BeaconIdentity
    /// The number that stands at it, and that every page, drawing and table shows: its minor, or the one in the plan.
    public var number: Int
    /// Its title.
    public var title: LocalizedText
    /// The text that the guide shows; `nil` if the title is enough.
    public var text: LocalizedText?
    /// The position of the beacon; `nil` if the plan does not give it.
    public var position: Point?
    /// The measured power of its beacon in dBm at 1 m, above −128 and below 0; `nil` uses the power for all beacons.
    public var power: Double?
    /// How long a visitor needs to see it, in seconds; `nil` if the curator does not give it.
    public var viewingTime: Double?
    /// The name of an image in the plan's folder; `nil` for none.
    public var image: String?
    /// The names of sound files in the plan's folder, by language; `nil` for none.
    public var audio: LocalizedText?

    /// Creates an exhibit.
    public init(
      identity: BeaconIdentity,
      number: Int? = nil,
      title: LocalizedText,
      text: LocalizedText? = nil,
      position: Point? = nil,
      power: Double? = nil,
      viewingTime: Double? = nil,
      image: String? = nil,
      audio: LocalizedText? = nil
    ) {
      self.identity = identity
      self.number = number ?? Int(identity.minor)
      self.title = title
      self.text = text
      self.position = position
      self.power = power
      self.viewingTime = viewingTime
      self.image = image
      self.audio = audio
    }
  }
}
