// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// What is known of one visit: in which rooms the visitor was, as the guide told it, and before which exhibits, as is known afterwards.
///
/// Rooms and exhibits are indices into the plan.
public struct Visit: Sendable, Hashable {
  /// A time stood still before one exhibit; where the plan has no drawing, a time before it.
  public struct Stay: Sendable, Hashable {
    /// The exhibit.
    public var exhibit: Int
    /// From when.
    public var start: Timestamp
    /// To when.
    public var end: Timestamp
    /// Seconds at each proximity.
    public var nearness: Nearness

    /// Creates a stay.
    public init(
      exhibit: Int,
      start: Timestamp,
      end: Timestamp,
      nearness: Nearness = Nearness()
    ) {
      self.exhibit = exhibit
      self.start = start
      self.end = end
      self.nearness = nearness
    }

    /// How long it was, in seconds.
    public var dwell: Double { max(0, (end - start).seconds) }
  }

  /// A time in one room.
  public struct RoomStay: Sendable, Hashable {
    /// The room.
    public var room: Int
    /// From when.
    public var start: Timestamp
    /// To when.
    public var end: Timestamp

    /// Creates a stay in a room.
    public init(room: Int, start: Timestamp, end: Timestamp) {
      self.room = room
      self.start = start
      self.end = end
    }

    /// How long it was, in seconds.
    public var dwell: Double { max(0, (end - start).seconds) }
  }

  /// A time at one proximity of the exhibit that the visitor was before.
  public struct Reach: Sendable, Hashable {
    /// How near.
    public var proximity: Proximity
    /// From when.
    public var start: Timestamp
    /// To when.
    public var end: Timestamp

    /// Creates a time at a proximity.
    public init(proximity: Proximity, start: Timestamp, end: Timestamp) {
      self.proximity = proximity
      self.start = start
      self.end = end
    }
  }

  /// What was heard of a beacon that the plan does not know.
  public struct Stranger: Sendable, Hashable {
    /// What it calls itself.
    public var identity: BeaconIdentity
    /// How often it was heard.
    public var reports: Int

    /// Creates a stranger.
    public init(identity: BeaconIdentity, reports: Int) {
      self.identity = identity
      self.reports = reports
    }
  }

  /// When the recording begins.
  public var start: Timestamp
  /// When it ends.
  public var end: Timestamp
  /// The stays before exhibits, in the order of time.
  public var stays: [Stay]
  /// The stays in rooms, in the order of time.
  public var rooms: [RoomStay]
  /// How near the exhibit of the moment was, in the order of time; nothing between stays.
  public var reaches: [Reach]
  /// Beacons that the plan does not know, ordered by identity.
  public var strangers: [Stranger]

  /// Creates a visit.
  public init(
    start: Timestamp,
    end: Timestamp,
    stays: [Stay] = [],
    rooms: [RoomStay] = [],
    reaches: [Reach] = [],
    strangers: [Stranger] = []
  ) {
    self.start = start
    self.end = end
    self.stays = stays
    self.rooms = rooms
    self.reaches = reaches
    self.strangers = strangers
  }

  /// How long it was, in seconds.
  public var length: Double { max(0, (end - start).seconds) }
}
