// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// An event with its time and client: one line of [JSON Lines, version 1](json-lines.md), as `beaconctl` writes it.
///
/// ``init(parsing:)`` reads the line, and its `description` writes it. Numbers come back as the line has them: distances to a
/// hundredth of a meter, RSSI in whole dBm. Names and addresses of beacons are not read.
///
/// It is also `Codable`, as an object with the same keys and values; only the `description` keeps their order.
public struct EventLine: Sendable, Equatable {
  /// The time of the event.
  public var time: Timestamp
  /// The name of the client that received the event; `nil` in a line without a client.
  public var client: String?
  /// The event.
  public var event: Event
  /// The number of a crossing in a stream of the service, which grows with each of the client; `nil` for anything else.
  public var sequence: UInt64?

  /// Creates the line of an event.
  public init(_ event: Event, at time: Timestamp, client: String? = nil) {
    (self.event, self.time, self.client) = (event, time, client)
  }

  /// Creates the line of a delivery.
  ///
  /// - Parameters:
  ///   - delivery: An event that a client received.
  ///   - client: The client's name.
  public init(_ delivery: Delivery, client: String?) {
    self.init(delivery.event, at: delivery.time, client: client)
  }

  /// Reads a line, with or without its end.
  ///
  /// - Throws: ``EventLineError/otherType(_:)`` for a line that is not an event, or one of a later version, which a reader
  ///   skips; ``EventLineError/malformed(_:)`` for anything else.
  public init(parsing line: some StringProtocol) throws(EventLineError) {
    do {
      let limits = JSON5Limits(
        bytes: EventLineReader.longestLine,
        depth: 8,
        values: 100_000,
        faults: 1
      )
      let value = try JSON5.parse(Array(line.utf8), limits: limits)
      if case .string(let type)? = value[Event.caseKey]?.content,
        !Event.cases.contains(where: { $0.name == type })
      {
        throw EventLineError.otherType(type)
      }
      self = try Self.read(value, named: "a line")
    } catch let error as EventLineError {
      throw error
    } catch let error as JSON5Faults {
      throw .malformed(error.faults.first?.message ?? "")
    } catch {
      throw .malformed("\(error)")
    }
  }
}

/// Why a line is not an event.
public enum EventLineError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line has another type: it is a line of a capture, or of a later version.
  case otherType(String)
  /// The line is not JSON, or a key is missing or has a wrong value.
  case malformed(String)

  /// The fault.
  public var description: String {
    switch self {
    case .otherType(let type): "a line of the type '\(type)' is not an event"
    case .malformed(let fault): "the line is not an event: \(fault)"
    }
  }
}

extension EventLine: CustomStringConvertible {
  /// The line as `beaconctl` writes it, without its end; a tick of several constraints has a line for each.
  public var description: String {
    switch event {
    case .ranged, .nearby, .sighting:
      var writer = EventLineWriter(EventNames(clients: client.map { [$0] } ?? []))
      writer.append(event, to: .client(ClientID(number: 0)), at: time)
      return String(decoding: writer.bytes.dropLast(), as: UTF8.self)
    default: return EventLineWriter.json(.object(fields(.line)))
    }
  }
}

extension EventLine: FormedObject {
  package static var blank: EventLine { EventLine(.promptWithdrawn, at: .earliest) }

  package mutating func form(_ form: inout Form) {
    form.constant("v", .integer(1))
    if form.isReading {
      form("t", &time)
      form("client", &client)
      if let read = Event.read(from: &form) { event = read }
    } else {
      form.constant(Event.caseKey, .text(event.caseName ?? ""))
      form("t", &time)
      form("client", &client)
      event.writeValues(into: &form)
    }
    form("sequence", &sequence)
  }
}
