// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// A line of a stream.
package struct StreamText: Sendable, Equatable {
  /// The line, with its end.
  package let bytes: [UInt8]
  /// How a full stream treats it.
  package let kind: StreamLine
}

/// Writes deliveries as the lines of streams.
///
/// Clients that range the same constraint get the same beacons. Their lines differ only in the client, so the rest is
/// encoded once for all of them.
package struct StreamLines: Sendable {
  /// The rest of a tick's line, for the beacons that it shows.
  private struct Rest {
    let beacons: [RangedBeacon]
    let constraint: String
    let fragment: JSONFragment
  }

  /// The most constraints whose lines are kept during a tick; a further one is encoded again for each client.
  private static let limit = 64

  private var time = Timestamp.earliest
  private var rests: [IdentityConstraint: Rest] = [:]
  private var receivers: [String] = []
  private var writer = EventLineWriter(EventNames())
  /// How many rests of lines were encoded.
  package private(set) var encoded = 0

  /// Creates a writer that knows no receivers yet.
  package init() {}

  /// Names the receivers, by their number.
  package mutating func name(receivers: [String]) {
    self.receivers = receivers
    writer.name(receivers: receivers)
  }

  /// Writes the lines of a delivery: one, or for a tick one per constraint.
  ///
  /// - Parameters:
  ///   - delivery: The delivery.
  ///   - client: The key of the client that gets it.
  ///   - sequence: The kept number of a crossing; `nil` for anything else.
  /// - Returns: The lines, in order.
  package mutating func lines(
    of delivery: Delivery,
    to client: String,
    sequence: UInt64? = nil
  ) -> [StreamText] {
    guard case .ranged(let entries) = delivery.event else {
      return [line(of: delivery, to: client, sequence)]
    }
    if delivery.time != time {
      rests.removeAll(keepingCapacity: true)
      time = delivery.time
    }
    return entries.map { entry in
      let rest = rest(of: entry)
      writer.removeAll()
      writer.append(tickAt: delivery.time, to: client, rest.fragment)
      return StreamText(bytes: writer.bytes, kind: .tick(rest.constraint))
    }
  }

  private mutating func rest(of entry: ConstraintRanging) -> Rest {
    // A client that has just begun may get other beacons than the rest.
    if let known = rests[entry.constraint], known.beacons == entry.beacons { return known }
    let constraint = entry.constraint.description
    let rest = Rest(
      beacons: entry.beacons,
      constraint: constraint,
      fragment: writer.rest(ofTick: entry.beacons, of: constraint)
    )
    encoded += 1
    if rests.count < Self.limit || rests[entry.constraint] != nil {
      rests[entry.constraint] = rest
    }
    return rest
  }

  private func line(
    of delivery: Delivery,
    to client: String,
    _ sequence: UInt64?
  ) -> StreamText {
    var names = EventNames(receivers: receivers)
    if case .client(let id) = delivery.recipient {
      names.clients = [String](repeating: "", count: Int(id.number)) + [client]
    }
    var writer = EventLineWriter(names)
    for record in EventRecord.records(of: delivery.event, names) {
      var fields = record.fields
      if let sequence {
        fields.append(FormField("sequence", .integer(Int(clamping: sequence))))
      }
      writer.append(EventRecord(type: record.type, fields: fields), of: delivery)
    }
    return StreamText(bytes: writer.bytes, kind: delivery.isOfBeacons ? .region : .kept)
  }
}
