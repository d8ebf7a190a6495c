// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats

/// Which streams are open, and what each gets of a delivery to its client.
///
/// The gate has decided already a client's permission; here it is only decided which of its streams get it.
package struct StreamTable: Sendable {
  /// A change of a client's streams, as a recording has it.
  package typealias Change = (client: String, content: RequestLine.Content)

  private var lines = StreamLines()
  private var streams: [String: [UInt32: RequestLine.Stream]] = [:]
  /// How many deliveries each client got.
  private var deliveries: [String: Int] = [:]

  /// Creates a table without streams.
  package init() {}

  /// Names the receivers, by their number.
  package mutating func name(receivers: [String]) { lines.name(receivers: receivers) }

  /// Notes which streams are open now, by their numbers, and what goes to them.
  ///
  /// - Returns: What is different now, each after so many deliveries.
  package mutating func update(
    _ open: [UInt32: (client: String, stream: RequestLine.Stream)]
  ) -> [Change] {
    var changes: [Change] = []
    for (client, old) in streams {
      for number in old.keys where open[number] == nil {
        streams[client]?[number] = nil
        let after = deliveries[client, default: 0]
        changes.append((client, .streamEnd(number: number, after: after)))
      }
      if streams[client]?.isEmpty ?? false { streams[client] = nil }
    }
    for (number, (client, stream)) in open where streams[client]?[number] != stream {
      streams[client, default: [:]][number] = stream
      changes.append((client, .stream(numbered(stream, of: client))))
    }
    return changes.sorted { Self.order($0.content) < Self.order($1.content) }
  }

  /// Notes a stream to which crossings after a number are repeated when it is opened.
  package mutating func open(
    _ stream: RequestLine.Stream,
    of client: String,
    since: UInt64
  ) -> Change {
    streams[client, default: [:]][stream.number] = stream
    var stream = numbered(stream, of: client)
    stream.since = since
    return (client, .stream(stream))
  }

  /// The numbers of a client's streams.
  func numbers(of client: String) -> [UInt32] { streams[client]?.keys.sorted() ?? [] }

  private func numbered(_ stream: RequestLine.Stream, of client: String) -> RequestLine.Stream {
    var stream = stream
    stream.after = deliveries[client, default: 0]
    return stream
  }

  /// Streams that ended come first, then those that were opened or changed, by their numbers.
  private static func order(_ content: RequestLine.Content) -> UInt64 {
    switch content {
    case .streamEnd(let number, _): UInt64(number)
    case .stream(let stream): 1 << 32 | UInt64(stream.number)
    default: .max
    }
  }

  /// Renders a delivery to a client, once for all streams that get the same.
  ///
  /// - Parameters:
  ///   - delivery: The delivery.
  ///   - client: The client's key.
  ///   - sequence: The kept number of a crossing; `nil` for anything else.
  ///   - keep: Receives the line of a crossing before any stream gets it.
  ///   - write: Receives each line with the stream that gets it.
  package mutating func deliver(
    _ delivery: Delivery,
    to client: String,
    sequence: UInt64?,
    keeping keep: ([UInt8]) -> Void = { _ in },
    writing write: (StreamText, _ stream: UInt32) -> Void
  ) {
    deliveries[client, default: 0] += 1
    var whole: [StreamText]?
    if sequence != nil {
      let texts = lines.lines(of: delivery, to: client, sequence: sequence)
      keep(texts.flatMap(\.bytes))
      whole = texts
    }
    for (number, stream) in streams[client] ?? [:] {
      let texts: [StreamText]
      switch delivery.event {
      case .ranged, .serviceDiagnostics, .notification:
        guard let own = delivery.own(in: stream.goals)?.ranged(stream.constraints) else { continue }
        texts = lines.lines(of: own, to: client)
      default:
        texts = whole ?? lines.lines(of: delivery, to: client)
        whole = texts
      }
      for text in texts { write(text, number) }
    }
  }
}

extension Delivery {
  /// Whether a region was entered or left.
  var isCrossing: Bool {
    switch event {
    case .regionEntered, .regionExited: true
    default: false
    }
  }

  /// Whether it is a region's state that follows from received beacons.
  var isOfBeacons: Bool {
    if case .regionState(_, let state, _, _) = event { return state != .unknown }
    return isCrossing
  }

  /// The delivery as a session gets it; `nil` for one that it does not get.
  ///
  /// Diagnostics of a goal go only to the session that declared it, by its own number. No session gets a notification: a
  /// program learns of it when the user taps it (row C25).
  func own(in goals: [UInt32: UInt64]) -> Delivery? {
    if case .notification = event { return nil }
    guard case .serviceDiagnostics(let id, let found) = event else { return self }
    let own = UInt32(truncatingIfNeeded: id)
    guard goals[own] == id else { return nil }
    let event = Event.serviceDiagnostics(id: UInt64(own), found)
    return Delivery(ofService: event, to: recipient, at: time)
  }

  /// The delivery without the constraints of a tick that are not ranged; `nil` if nothing is left.
  func ranged(_ constraints: [IdentityConstraint]) -> Delivery? {
    guard case .ranged(let entries) = event else { return self }
    let own = entries.filter { constraints.contains($0.constraint) }
    if own.count == entries.count { return self }
    if own.isEmpty { return nil }
    return Delivery(ofService: .ranged(own), to: recipient, at: time)
  }
}
