// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit

/// The connections of a server: which may be added, which has to make room, and which has taken too long.
///
/// It holds no socket and reads no clock. Times count from any fixed point.
struct ConnectionTable {
  /// The activity of a connection.
  enum Phase: Equatable {
    /// It waits for a request, or for the rest of one.
    case request
    /// Its answer is being sent.
    case answer
    /// It is a stream of events.
    case stream
    /// It was answered and is being closed.
    case end
  }

  private struct Entry {
    let peer: SocketPeer
    var phase = Phase.request
    /// When the phase began.
    var since: Duration
    /// When the connection has taken too long; `nil` for never.
    var deadline: Duration?
  }

  /// How long an answer is sent before its connection may have to make room: a page takes a fraction of a second.
  static let answerProtection = Duration.seconds(2)
  /// How long the end of a connection may take: until the reader has closed it as well.
  static let endTime = Duration.seconds(2)

  private let limits: WebLimits
  private var entries: [Int32: Entry] = [:]

  init(_ limits: WebLimits) {
    self.limits = limits
  }

  /// The earliest deadline.
  var nextDeadline: Duration? { entries.values.compactMap(\.deadline).min() }
  /// How many connections there are.
  var count: Int { entries.count }

  /// Returns the activity of a connection, if any.
  func phase(of connection: Int32) -> Phase? { entries[connection]?.phase }

  // MARK: Adding

  /// The result of adding a connection.
  enum Admission: Equatable {
    /// It was added; another one, if any, must be closed for it.
    case added(closing: Int32?)
    /// It must be closed, because all others are in use.
    case refused
  }

  /// Adds a connection of a peer.
  ///
  /// If there are too many, the one makes room that has waited longest: of the same peer, if that peer has too
  /// many, otherwise of the peer with the most.
  mutating func add(_ connection: Int32, of peer: SocketPeer, at now: Duration) -> Admission {
    var victim: Int32?
    let ofPeer = entries.values.count { $0.peer == peer }
    if ofPeer >= limits.connectionsPerAddress {
      victim = longestWaiting(at: now) { $0 == peer }
      guard victim != nil else { return .refused }
    } else if entries.count >= limits.connections {
      victim = longestWaitingOfMost(at: now)
      guard victim != nil else { return .refused }
    }
    if let victim { entries[victim] = nil }
    entries[connection] = Entry(peer: peer, since: now, deadline: now + limits.requestTime)
    return .added(closing: victim)
  }

  /// Returns the peer of a connection.
  func peer(of connection: Int32) -> SocketPeer? { entries[connection]?.peer }

  /// Removes a connection that was closed.
  mutating func remove(_ connection: Int32) {
    entries[connection] = nil
  }

  /// Returns the connection to close when the system has no room for another one.
  mutating func removeLongestWaiting(at now: Duration) -> Int32? {
    let victim = longestWaitingOfMost(at: now)
    if let victim { entries[victim] = nil }
    return victim
  }

  private func mayClose(_ entry: Entry, at now: Duration) -> Bool {
    switch entry.phase {
    case .request, .end: true
    case .answer: now - entry.since >= Self.answerProtection
    case .stream: false
    }
  }

  private func longestWaiting(at now: Duration, of isWanted: (SocketPeer) -> Bool) -> Int32? {
    // The number decides between equals, so that the choice does not depend on the order of a dictionary.
    entries.filter { isWanted($0.value.peer) && mayClose($0.value, at: now) }
      .min { ($0.value.since, $0.key) < ($1.value.since, $1.key) }?.key
  }

  private func longestWaitingOfMost(at now: Duration) -> Int32? {
    var counts: [SocketPeer: Int] = [:]
    for entry in entries.values where mayClose(entry, at: now) {
      counts[entry.peer, default: 0] += 1
    }
    guard let most = counts.values.max() else { return nil }
    return longestWaiting(at: now) { counts[$0] == most }
  }

  // MARK: Changing

  /// Notes that the first byte of a request was received on a connection that was idle.
  mutating func begin(_ connection: Int32, at now: Duration) {
    entries[connection]?.deadline = now + limits.requestTime
  }

  /// Notes that an answer is being sent.
  mutating func answer(_ connection: Int32, at now: Duration) {
    change(connection, to: .answer, at: now, deadline: now + limits.answerTime)
  }

  /// Notes that an answer was sent and that the connection may be used again.
  mutating func answered(_ connection: Int32, at now: Duration) {
    change(connection, to: .request, at: now, deadline: now + limits.idleTime)
  }

  /// Notes that an answer was sent after which the connection ends.
  mutating func end(_ connection: Int32, at now: Duration) {
    change(connection, to: .end, at: now, deadline: now + Self.endTime)
  }

  /// Makes a connection a stream.
  ///
  /// A peer may have only so many. If all are taken, the last stream of the peer with the most makes room,
  /// unless that peer would then have fewer than this one: so no group of peers can take all.
  mutating func stream(_ connection: Int32, at now: Duration) -> Admission {
    guard let peer = entries[connection]?.peer else { return .refused }
    let streams = entries.filter { $0.value.phase == .stream }
    var counts: [SocketPeer: Int] = [:]
    for stream in streams.values { counts[stream.peer, default: 0] += 1 }
    let own = counts[peer] ?? 0
    guard own < limits.streamsPerAddress else { return .refused }
    var victim: Int32?
    if streams.count >= limits.streams {
      guard let most = counts.values.max(), most > own + 1 else { return .refused }
      victim =
        streams.filter { counts[$0.value.peer] == most }
        .max { ($0.value.since, $0.key) < ($1.value.since, $1.key) }?.key
      if let victim { entries[victim] = nil }
    }
    change(connection, to: .stream, at: now, deadline: nil)
    return .added(closing: victim)
  }

  /// Notes whether bytes wait that a stream's reader has not received, and that it has just received some or none.
  mutating func wait(_ connection: Int32, isWaiting: Bool, hasReceived: Bool, at now: Duration) {
    guard let entry = entries[connection], entry.phase == .stream else { return }
    let isLonger = isWaiting && !hasReceived && entry.deadline != nil
    if !isLonger { entries[connection]?.deadline = isWaiting ? now + limits.answerTime : nil }
  }

  private mutating func change(
    _ connection: Int32,
    to phase: Phase,
    at now: Duration,
    deadline: Duration?
  ) {
    guard let entry = entries[connection] else { return }
    entries[connection] = Entry(
      peer: entry.peer,
      phase: phase,
      since: now,
      deadline: deadline
    )
  }

  /// Returns the connections that have taken too long.
  func overdue(at now: Duration) -> [Int32] {
    entries.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted()
  }
}
