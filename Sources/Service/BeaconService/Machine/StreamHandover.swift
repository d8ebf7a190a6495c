// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The streams whose descriptors may still wait in the bus for programs that do not read.
///
/// The bus counts these descriptors as the service's: with 64 of them dbus-daemon reads nothing more from the service, for any
/// program. So an account gets the next one when its programs have taken those of before.
package struct StreamHandover: Sendable {
  /// How many an account may leave, and all accounts together; those that leave none may leave one more.
  static let ofAccount = 4
  static let inAll = 32
  static let inAllWithFirst = 48

  private struct Given: Sendable {
    let peer: String
    let uid: UInt32
  }

  private var given: [UInt32: Given] = [:]
  /// The streams for which it is being found out whether their program took them.
  private var asked: [String: [UInt32]] = [:]

  /// Creates a handover without streams.
  package init() {}

  /// Whether a program of an account may be given one more.
  package func hasRoom(for uid: UInt32) -> Bool {
    let own = given.values.count { $0.uid == uid }
    return own < Self.ofAccount && given.count < (own == 0 ? Self.inAllWithFirst : Self.inAll)
  }

  /// Notes that the descriptor of a stream was sent to a program.
  package mutating func give(_ stream: UInt32, to peer: String, of uid: UInt32) {
    given[stream] = Given(peer: peer, uid: uid)
  }

  /// Returns the programs of which it is found out now whether they took theirs, in order, and notes that it is.
  package mutating func drainQuestions() -> [String] {
    let peers = Set(given.values.map(\.peer)).filter { asked[$0] == nil }.sorted()
    for peer in peers { asked[peer] = given.filter { $0.value.peer == peer }.map(\.key) }
    return peers
  }

  /// Notes whether a program took those for which it was asked.
  package mutating func answered(_ peer: String, hasTaken: Bool) {
    let streams = asked.removeValue(forKey: peer) ?? []
    if hasTaken { for stream in streams { given[stream] = nil } }
  }

  /// Notes that a stream ended: the other end of its descriptor is closed.
  package mutating func ended(_ stream: UInt32) { given[stream] = nil }

  /// Notes that a program left the bus.
  package mutating func left(_ peer: String) {
    asked[peer] = nil
    given = given.filter { $0.value.peer != peer }
  }
}
