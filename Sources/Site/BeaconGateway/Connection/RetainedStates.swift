// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The retained topics of a gateway, their contents, and which of an earlier configuration are to be deleted.
package struct RetainedStates: Sendable {
  /// The most topics that a list of earlier ones names; a gateway with a thousand beacons has three thousand.
  package static let topicLimit = 20_000
  /// The most messages that wait for the broker's acknowledgment: the library keeps each of them.
  package static let inFlightLimit = 1000

  /// What each topic holds, in the order in which they came.
  private var payloads: [String: [UInt8]] = [:]
  private var order: [String] = []
  private var declared: Set<String>
  /// The topics of an earlier configuration that the broker still has.
  package private(set) var obsolete: [String]
  private var inFlight: [Int32: String] = [:]
  /// The topics that are still to be sent on this connection, from ``first`` on, each once.
  private var queue: [String] = []
  private var first = 0
  private var queued: Set<String> = []

  /// - Parameters:
  ///   - earlier: The topics that an earlier run retained.
  ///   - declared: The topics that this one retains.
  package init(earlier: [String], declared: [String]) {
    self.declared = Set(declared)
    obsolete = Set(earlier).subtracting(declared).sorted()
  }

  /// The topics that the broker may hold, for the next run.
  package var topics: [String] { declared.union(obsolete).sorted() }

  /// The newest payload of a topic.
  package mutating func set(_ topic: String, _ payload: [UInt8]) {
    if payloads.updateValue(payload, forKey: topic) == nil { order.append(topic) }
    declared.insert(topic)
    obsolete.removeAll { $0 == topic }
  }

  /// Everything to send after a connection was made: deletions first.
  package var all: [(topic: String, payload: [UInt8])] {
    obsolete.map { (topic: $0, payload: []) }
      + order.map { (topic: $0, payload: payloads[$0] ?? []) }
  }

  /// A topic's state is to be sent on this connection; the newest counts when its turn comes.
  package mutating func queue(_ topic: String) {
    if queued.insert(topic).inserted { queue.append(topic) }
  }

  /// Everything is to be sent: the connection was made.
  package mutating func queueAll() { for (topic, _) in all { queue(topic) } }

  /// Returns the next one to send; `nil` without one, and while the broker acknowledges nothing.
  package mutating func next() -> (topic: String, payload: [UInt8])? {
    guard first < queue.count, inFlight.count < Self.inFlightLimit else { return nil }
    let topic = queue[first]
    first += 1
    if first == queue.count { (queue, first) = ([], 0) }
    queued.remove(topic)
    return (topic, payloads[topic] ?? [])
  }

  /// A topic's state, or its deletion, was handed to the connection.
  package mutating func sending(_ topic: String, as message: Int32) { inFlight[message] = topic }

  /// Whether the broker has everything.
  package var areSettled: Bool { inFlight.isEmpty && queue.isEmpty }

  /// The broker has a message; returns whether the list of topics has changed.
  package mutating func acknowledged(_ message: Int32) -> Bool {
    guard let topic = inFlight.removeValue(forKey: message) else { return false }
    let count = obsolete.count
    obsolete.removeAll { $0 == topic }
    return obsolete.count != count
  }

  /// The connection ended.
  package mutating func disconnected() { (inFlight, queue, first, queued) = ([:], [], 0, []) }

  /// The list as a file holds it: a topic a line.
  package static func bytes(of topics: [String]) -> [UInt8] {
    Array(topics.map { $0 + "\n" }.joined().utf8)
  }

  /// The topics of a file; lines that no gateway wrote are left out.
  ///
  /// A topic that is not ours must not be deleted, whatever a damaged file contains.
  package static func topics(in bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n")).prefix(topicLimit).compactMap { line in
      let topic = String(decoding: line, as: UTF8.self)
      let isOurs = topic.hasPrefix("beacons/\(SiteTopics.version)/") || topic.hasSuffix("/config")
      let isPlain = line.allSatisfy { (0x21..<0x7F).contains($0) && !"#+".utf8.contains($0) }
      return isOurs && isPlain ? topic : nil
    }
  }
}
