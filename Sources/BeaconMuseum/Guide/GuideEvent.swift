// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something the guide has to tell its visitor.
public enum GuideEvent: Sendable, Equatable {
  /// An exhibit on show, and how it came to be.
  public struct Showing: Sendable, Equatable {
    /// The exhibit.
    public var exhibit: Plan.Exhibit
    /// Whether it is announced now: after it was shown for a while, and not where it was within the last minutes.
    public var isAnnounced: Bool
    /// Whether it was announced within the last minutes, so that the visitor has come back.
    public var isKnown: Bool
    /// How probable it is that the visitor stands before it, 0 to 1.
    public var confidence: Double

    /// Creates a showing.
    public init(exhibit: Plan.Exhibit, isAnnounced: Bool, isKnown: Bool, confidence: Double) {
      self.exhibit = exhibit
      self.isAnnounced = isAnnounced
      self.isKnown = isKnown
      self.confidence = confidence
    }
  }

  /// The guide can do something else than before; whatever it showed of room and exhibit is gone unless it is inside.
  case status(GuideStatus)
  /// The visitor is in a room; one without a major has no beacons.
  case room(Plan.Room)
  /// The visitor stands before an exhibit, or before none.
  case exhibit(Showing?)
}
