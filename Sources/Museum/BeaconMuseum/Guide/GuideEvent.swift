// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something the guide shows to its visitor.
public enum GuideEvent: Sendable, Equatable {
  /// An exhibit on show, with how it was chosen.
  public struct Showing: Sendable, Equatable {
    /// The exhibit.
    public var exhibit: Plan.Exhibit
    /// Whether it is announced now: it has been shown for a while and was not announced in the last minutes.
    public var isAnnounced: Bool
    /// Whether it was announced in the last minutes, which means that the visitor has come back.
    public var isKnown: Bool
    /// How probable it is that the visitor is in front of it, 0 to 1.
    public var confidence: Double

    /// Creates a showing.
    public init(exhibit: Plan.Exhibit, isAnnounced: Bool, isKnown: Bool, confidence: Double) {
      self.exhibit = exhibit
      self.isAnnounced = isAnnounced
      self.isKnown = isKnown
      self.confidence = confidence
    }
  }

  /// The status changed; unless it is inside, the room and exhibit shown before no longer apply.
  case status(GuideStatus)
  /// The visitor is in a room; a room without a major has no beacons.
  case room(Plan.Room)
  /// The visitor is in front of an exhibit, or of none.
  case exhibit(Showing?)
  /// A lent device was brought back to a desk and stayed there; its visit is over.
  case returned
}
