// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import SystemKit

/// A connection to a ``ProxyServer``, as one of those that share its limits.
struct ProxySeat: Equatable {
  enum Use { case silent, idle, subscribed }

  /// The result of looking for room.
  enum Room: Equatable {
    case free
    /// After this connection is closed.
    case closing(Int32)
    case none
  }

  /// How long a client that greeted may take to subscribe before it makes room for a client of any other peer.
  static let idleTime = TimeSpan.seconds(30)

  let connection: Int32
  let peer: SocketPeer
  let use: Use
  let start: Timestamp

  /// Returns where another connection of a peer has its place.
  ///
  /// Connections make room that only wait: of the same peer if that has too many, otherwise the oldest that has not greeted
  /// of the peer with the most, or one that has not subscribed for long. Of the peer with the most, also a subscriber makes
  /// room, unless that peer would then have fewer than this one: so no group of peers can take all.
  static func room(for peer: SocketPeer, among seats: [ProxySeat], at now: Timestamp) -> Room {
    var counts: [SocketPeer: Int] = [:]
    for seat in seats { counts[seat.peer, default: 0] += 1 }
    let own = counts[peer] ?? 0
    let ofPeer = seats.filter { $0.peer == peer }
    if own >= ProxyServer.Limits.connectionsPerAddress {
      return closing(waiting(ofPeer, .silent) ?? waiting(ofPeer, .idle))
    }
    guard seats.count >= ProxyServer.Limits.connections else { return .free }
    let most = counts.values.max() ?? 0
    let ofMost = most > own + 1 ? seats.filter { counts[$0.peer] == most } : []
    return closing(
      longestSilent(seats) ?? waiting(ofMost, .idle) ?? latestSubscriber(ofMost)
        ?? waiting(seats.filter { now - $0.start >= idleTime }, .idle)
    )
  }

  /// Returns the connection to close when the system has no room for another one.
  static func longestWaiting(_ seats: [ProxySeat]) -> ProxySeat? {
    longestSilent(seats) ?? waiting(seats, .idle)
  }

  /// The oldest of the connections that have not greeted, of the peer with the most: a client that greets just now is not
  /// closed by those that connect thousands of times a second.
  private static func longestSilent(_ seats: [ProxySeat]) -> ProxySeat? {
    var counts: [SocketPeer: Int] = [:]
    for seat in seats { counts[seat.peer, default: 0] += 1 }
    let silent = seats.filter { $0.use == .silent }
    let most = silent.lazy.compactMap { counts[$0.peer] }.max()
    return waiting(silent.filter { counts[$0.peer] == most }, .silent)
  }

  private static func closing(_ seat: ProxySeat?) -> Room {
    seat.map { .closing($0.connection) } ?? .none
  }

  private static func waiting(_ seats: [ProxySeat], _ use: Use) -> ProxySeat? {
    seats.filter { $0.use == use }.min { ($0.start, $0.connection) < ($1.start, $1.connection) }
  }

  private static func latestSubscriber(_ seats: [ProxySeat]) -> ProxySeat? {
    seats.filter { $0.use == .subscribed }
      .max { ($0.start, $0.connection) < ($1.start, $1.connection) }
  }
}
