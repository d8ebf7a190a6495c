// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats
internal import DBus

// The engine's deliveries, on its way to sessions as signals. The gate has decided already a client's permission; here
// it is only decided which of the client's sessions get it.

extension ServiceMachine {
  /// Signals the engine's deliveries to a client.
  ///
  /// - Parameters:
  ///   - delivery: The delivery.
  ///   - key: The client.
  ///   - sequence: The kept number of a crossing; `nil` for anything else.
  ///   - now: The time in seconds, for what is sent to programs that do not read.
  package mutating func delivered(
    _ delivery: Delivery,
    to key: String,
    sequence: UInt64?,
    at now: Double
  ) {
    budgets.pass(to: now)
    guard let client = clients[key] else { return }
    switch delivery.event {
    case .prompt(let prompt): prompted(prompt, of: key)
    case .notification(let region): show(notificationOf: region, of: key)
    case .promptWithdrawn:
      if let question = client.question { withdraw(question) }
      clients[key]?.question = nil
    case .ranged(let entries):
      if entries.contains(where: { !$0.beacons.isEmpty }) { clients[key]?.lastUse = delivery.time }
    case .regionEntered, .regionExited:
      clients[key]?.lastUse = delivery.time
      if client.sessions.isEmpty, let wake = client.wake {
        actions.append(.wake(wake, client: key))
      }
    default: break
    }
    for number in client.sessions {
      if let session = sessions[number] { signal(delivery, sequence, to: session) }
    }
  }

  private mutating func signal(
    _ delivery: Delivery,
    _ sequence: UInt64?,
    to session: Session
  ) {
    let instant = delivery.time
    let time = DBusValue.int64(instant.microseconds)
    switch delivery.event {
    case .ranged(let entries):
      guard session.sendsSignals else { return }
      for entry in entries where session.constraints.contains(entry.constraint) {
        let beacons = entry.beacons.map(Self.wireValue)
        send(
          "Ranged",
          [time, entry.constraint.wireValue, .array(of: "(sqqsdddnxu)", beacons)],
          to: session,
          of: instant
        )
      }
    case .regionEntered(let region, let reason, _):
      crossing("enter", region, reason, sequence, instant, to: session)
    case .regionExited(let region, let reason, _):
      crossing("exit", region, reason, sequence, instant, to: session)
    case .regionState(let region, let state, let origin, let reason):
      let detail = DBusValue.properties([
        "origin": .string(origin.rawValue), "reason": .string(reason.rawValue),
      ])
      send(
        "State",
        [time, .string(region.rawValue), .string(state.description), detail],
        to: session,
        of: instant
      )
    case .diagnostic(let diagnostic):
      send("Notice", [time, .string(diagnostic.code), .properties([:])], to: session, of: instant)
    case .failure(let code, _):
      send("Notice", [time, .string("\(code)"), .properties([:])], to: session, of: instant)
    default: break
    }
  }

  private mutating func crossing(
    _ kind: String,
    _ region: RegionIdentifier,
    _ reason: RegionStateReason,
    _ sequence: UInt64?,
    _ instant: Timestamp,
    to session: Session
  ) {
    let time = DBusValue.int64(instant.microseconds)
    let why = DBusValue.properties(["reason": .string(reason.rawValue)])
    send(
      "Crossing",
      [.uint64(sequence ?? 0), time, .string(region.rawValue), .string(kind), why],
      to: session,
      of: instant
    )
  }

  /// Sends a signal, unless its receiver does not read.
  mutating func send(
    _ name: String,
    _ arguments: [DBusValue],
    to session: Session,
    of instant: Timestamp
  ) {
    let bytes = MessageSize.head + arguments.map(\.wireBytes).reduce(0, +)
    guard budgets.signals(bytes, of: instant, to: session.owner) else { return }
    actions.append(.signal(session: session.number, owner: session.owner, name, arguments))
  }

  /// Sends a notice of the service itself, at a whole second: the engine's time is that of a report (law L3).
  mutating func notice(
    _ code: String,
    at time: Timestamp,
    _ detail: [(String, DBusValue)],
    to session: Session
  ) {
    let entries = detail.map { DBusEntry(key: .string($0.0), value: .variant($0.1)) }
    send(
      "Notice",
      [.int64(time.wholeSecond.microseconds), .string(code), .dictionary(of: "sv", entries)],
      to: session,
      of: time
    )
  }

  private static func wireValue(_ beacon: RangedBeacon) -> DBusValue {
    .structure([
      .string(UUIDText.string(beacon.identity.uuid)), .uint16(beacon.identity.major),
      .uint16(beacon.identity.minor), .string(beacon.proximity.name),
      // D-Bus has no missing value: a distance that is not known is not a number.
      .double(beacon.distance?.meters ?? .nan), .double(beacon.distance?.low ?? .nan),
      .double(beacon.distance?.high ?? .nan), .int16(Int16(clamping: beacon.wholeRSSI ?? 0)),
      .int64(beacon.lastReceived.microseconds), .uint32(UInt32(clamping: beacon.reports)),
    ])
  }
}
