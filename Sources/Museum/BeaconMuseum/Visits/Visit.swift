// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore
internal import BeaconFormats

/// One visit: the rooms and the exhibits as analyzed afterwards.
///
/// Rooms and exhibits are indices into the plan.
public struct Visit: Sendable, Hashable {
  /// A time during which the visitor stood in front of one exhibit; without a drawing, any time in front of it.
  public struct Stay: Sendable, Hashable {
    /// The exhibit.
    public var exhibit: Int
    /// When it started.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp
    /// The seconds at each proximity.
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

    /// Its duration in seconds.
    public var dwell: Double { max(0, (end - start).seconds) }
  }

  /// A time in one room.
  public struct RoomStay: Sendable, Hashable {
    /// The room.
    public var room: Int
    /// When it started.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp

    /// Creates a stay in a room.
    public init(room: Int, start: Timestamp, end: Timestamp) {
      self.room = room
      self.start = start
      self.end = end
    }

    /// Its duration in seconds.
    public var dwell: Double { max(0, (end - start).seconds) }
  }

  /// A time at one proximity to the exhibit in front of the visitor.
  public struct Reach: Sendable, Hashable {
    /// The proximity.
    public var proximity: Proximity
    /// When it started.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp

    /// Creates a time at a proximity.
    public init(proximity: Proximity, start: Timestamp, end: Timestamp) {
      self.proximity = proximity
      self.start = start
      self.end = end
    }
  }

  /// A time of which nothing is known.
  public struct Gap: Sendable, Hashable {
    /// Why nothing is known.
    public enum Reason: Sendable, Hashable, CaseIterable {
      /// The visitor did not allow the guide to know the place.
      case notAllowed
      /// No receiver listened, or the recording stood still.
      case unheard
    }

    /// Why nothing is known.
    public var reason: Reason
    /// When it started.
    public var start: Timestamp
    /// When it ended.
    public var end: Timestamp

    /// Creates a time of which nothing is known.
    public init(_ reason: Reason, start: Timestamp, end: Timestamp) {
      (self.reason, self.start, self.end) = (reason, start, end)
    }

    /// Its duration in seconds.
    public var length: Double { max(0, (end - start).seconds) }
  }

  /// A received beacon that the plan does not contain.
  public struct Stranger: Sendable, Hashable {
    /// The identity that it announces.
    public var identity: BeaconIdentity
    /// How many reports of it were received.
    public var reports: Int

    /// Creates a stranger.
    public init(identity: BeaconIdentity, reports: Int) {
      self.identity = identity
      self.reports = reports
    }
  }

  /// The start of the recording.
  public var start: Timestamp
  /// The end of the recording.
  public var end: Timestamp
  /// The stays in front of exhibits, in the order of time.
  public var stays: [Stay]
  /// The stays in rooms, in the order of time.
  public var rooms: [RoomStay]
  /// The proximities to the exhibit in front of the visitor, in the order of time; nothing between stays.
  public var reaches: [Reach]
  /// The beacons that the plan does not contain, ordered by identity.
  public var strangers: [Stranger]
  /// The times of which nothing is known, in the order of time; none overlaps another, nor a stay.
  public var gaps: [Gap]

  /// Creates a visit.
  public init(
    start: Timestamp,
    end: Timestamp,
    stays: [Stay] = [],
    rooms: [RoomStay] = [],
    reaches: [Reach] = [],
    strangers: [Stranger] = [],
    gaps: [Gap] = []
  ) {
    self.start = start
    self.end = end
    self.stays = stays
    self.rooms = rooms
    self.reaches = reaches
    self.strangers = strangers
    self.gaps = gaps
  }

  /// The seconds from its start to its end.
  public var span: Double { max(0, (end - start).seconds) }
  /// Its duration in seconds, without the times of which nothing is known.
  public var length: Double { max(0, span - Gap.Reason.allCases.reduce(0) { $0 + unknown($1) }) }

  /// Returns the seconds of which nothing is known for a reason.
  public func unknown(_ reason: Gap.Reason) -> Double {
    gaps.reduce(0) { $0 + ($1.reason == reason ? $1.length : 0) }
  }

  /// The times of which something is known, in order.
  var known: [(start: Timestamp, end: Timestamp)] {
    var known: [(start: Timestamp, end: Timestamp)] = []
    var now = start
    for gap in gaps {
      if gap.start > now { known.append((now, gap.start)) }
      now = max(now, gap.end)
    }
    if end > now || known.isEmpty && gaps.isEmpty { known.append((now, end)) }
    return known
  }

  /// Returns elements of the visit in parts, between which nothing is known of a time.
  func parts<Element>(
    _ elements: [Element],
    from start: (Element) -> Timestamp,
    to end: (Element) -> Timestamp
  ) -> [[Element]] {
    var parts: [[Element]] = []
    var last: Timestamp?
    for element in elements {
      let isApart = last.map { last in
        gaps.contains { $0.start >= last && $0.end <= start(element) }
      }
      if isApart ?? true { parts.append([]) }
      parts[parts.count - 1].append(element)
      last = end(element)
    }
    return parts
  }

  /// The longest visit that is not remarked on: a month, which no visit lasts.
  private static let longest = TimeSpan.seconds(31 * 86_400)

  /// A remark about a recording that spans more than a month, most likely because of one wrong time; `nil` for others.
  public var spanRemark: String? {
    guard end - start > Self.longest else { return nil }
    let days = Int(span / 86_400)
    let (first, last) = (RFC3339.string(start).prefix(10), RFC3339.string(end).prefix(10))
    return "The recording spans \(days) days, from \(first) to \(last); a time in it may be wrong"
  }
}
