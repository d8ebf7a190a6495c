// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// An event as every output shows it: a type, and named fields in a fixed order behind the time and the client.
package struct EventRecord: Sendable, Equatable {
  /// The name of the event's type.
  package let type: String
  /// The fields behind `t` and `client`.
  package private(set) var fields: [EventField]

  /// The most beacons that a line about everything nearby holds; the others are counted.
  package static let nearbyLimit = 500

  /// Creates a record.
  package init(type: String, fields: [EventField]) {
    self.type = type
    self.fields = fields
  }

  /// The value of a field; `nil` where the event has no such field.
  package subscript(_ name: String) -> EventValue? {
    fields.first { $0.name == name }?.value
  }

  /// Returns the records of a delivery: one, or for a tick one per constraint.
  package static func records(of event: Event, _ names: EventNames) -> [EventRecord] {
    if case .ranged(let entries) = event {
      return entries.map { ranged($0.constraint.description, $0.beacons, names) }
    }
    if case .nearby(let beacons) = event {
      var record = ranged("*", Array(beacons.prefix(nearbyLimit)), names)
      let further = beacons.count - nearbyLimit
      if further > 0 { record.fields.append(EventField("more", .integer(further))) }
      return [record]
    }
    return [single(event, names)]
  }

  private static func single(_ event: Event, _ names: EventNames) -> EventRecord {
    switch event {
    case .sighting(let sighting): sightingRecord(sighting, names)
    case .ranged, .nearby: EventRecord(type: "ranged", fields: [])
    case .regionEntered(let region, let reason, let why):
      crossing("region.enter", region, reason, why)
    case .regionExited(let region, let reason, let why):
      crossing("region.exit", region, reason, why)
    case .regionState(let region, let state, let origin, let reason):
      EventRecord(
        "region.state",
        [
          ("region", .text(region.rawValue)),
          ("state", .text(state.description)),
          ("origin", .text(origin.rawValue)),
          ("reason", .text(reason.rawValue)),
        ]
      )
    case .authorization(let status, let accuracy):
      EventRecord(
        "authorization",
        [
          ("status", .text(status.name)),
          ("accuracy", .text(accuracy.name)),
        ]
      )
    case .prompt(let prompt): promptRecord(prompt)
    case .promptWithdrawn: EventRecord("prompt", [("kind", .null)])
    case .completion(let request, let error): completion(request, error)
    case .failure(let code, let subject): failure(code, subject)
    case .notification(let region):
      EventRecord("notification", [("region", .text(region.rawValue))])
    case .indicator(let style): EventRecord("indicator", [("style", .text(style.rawValue))])
    case .serviceDiagnostics(let id, let diagnostics):
      EventRecord(
        "diagnostic",
        [
          ("code", .text("serviceSession")),
          ("session", .integer(Int(clamping: id))),
          ("diagnostics", .list(diagnostics.map { .text($0.rawValue) })),
        ]
      )
    case .diagnostic(let diagnostic): diagnosticRecord(diagnostic)
    }
  }

  private static func sightingRecord(_ sighting: Sighting, _ names: EventNames) -> EventRecord {
    EventRecord(
      "sighting",
      [
        ("uuid", .text(UUIDText.string(sighting.identity.uuid))),
        ("major", .integer(Int(sighting.identity.major))),
        ("minor", .integer(Int(sighting.identity.minor))),
        ("power", .integer(Int(sighting.measuredPower))),
        ("rssi", .optional(sighting.rssi.map(Int.init))),
        ("receiver", .optional(names.receiver(sighting.receiver))),
        ("address", .optional(names.showsAddresses ? sighting.address?.text : nil)),
      ] + name(of: sighting.identity, names)
    )
  }

  /// The name of a beacon, where it has one.
  private static func name(
    of identity: BeaconIdentity,
    _ names: EventNames
  ) -> [(String, EventValue)] {
    names.book[identity].map { [("name", .text($0))] } ?? []
  }

  private static func ranged(
    _ constraint: String,
    _ beacons: [RangedBeacon],
    _ names: EventNames
  ) -> EventRecord {
    EventRecord(
      "ranged",
      [
        ("constraint", .text(constraint)),
        ("beacons", .list(beacons.map { .object(beacon($0, names)) })),
      ]
    )
  }

  private static func beacon(_ beacon: RangedBeacon, _ names: EventNames) -> [EventField] {
    let address: [(String, EventValue)] =
      names.showsAddresses ? [("address", .optional(beacon.address?.text))] : []
    let contested: [(String, EventValue)] =
      beacon.isContested ? [("contested", .boolean(true))] : []
    return EventRecord(
      "",
      [
        ("uuid", .text(UUIDText.string(beacon.identity.uuid))),
        ("major", .integer(Int(beacon.identity.major))),
        ("minor", .integer(Int(beacon.identity.minor))),
        ("proximity", .text(beacon.proximity.name)),
        ("distance", .optional(beacon.distance?.meters)),
        ("distance_low", .optional(beacon.distance?.low)),
        ("distance_high", .optional(beacon.distance?.high)),
        ("rssi", .optional(beacon.wholeRSSI)),
        ("last_heard", .time(beacon.lastReceived)),
        ("reports", .integer(beacon.reports)),
      ] + contested + address + name(of: beacon.identity, names)
    ).fields
  }

  private static func crossing(
    _ type: String,
    _ region: RegionIdentifier,
    _ reason: RegionStateReason,
    _ why: Explanation
  ) -> EventRecord {
    EventRecord(
      type,
      [
        ("region", .text(region.rawValue)),
        ("reason", .text(reason.rawValue)),
        ("why", .object(fields(of: why))),
      ]
    )
  }

  /// Returns the fields of an explanation, as in a crossing's `why`.
  package static func fields(of why: Explanation) -> [EventField] {
    let threshold: EventValue =
      switch why.threshold {
      case .silence(let span): .span(span)
      case .distance(let meters): .hundredths(meters)
      case .reports(let count): .integer(count)
      case .place(let name): .text(name)
      }
    var explanation: [(String, EventValue)] = [
      ("identity", .optional(why.identity?.description)),
      ("reports", .integer(why.reports)),
      ("rssi", .optional(why.rssi.map(Int.init))),
      ("power", .optional(why.power.map(Int.init))),
      ("distance", .optional(why.distance)),
      ("interval", .optional(why.interval)),
      ("gap", .optional(why.gap)),
      ("threshold", threshold),
      ("rule", .text(why.rule.rawValue)),
    ]
    if case .place = why.threshold {
      explanation += [("place", .optional(why.place)), ("p", .optional(why.probability))]
    }
    return explanation.map { EventField($0.0, $0.1) }
  }

  private static func promptRecord(_ prompt: Prompt) -> EventRecord {
    EventRecord(
      "prompt",
      [
        ("kind", .text(prompt.kind.rawValue)),
        ("choices", .list(prompt.choices.map { .text($0.rawValue) })),
        ("text", .text(prompt.text)),
        ("precise", .text(prompt.offersPrecise ? "offered" : "notOffered")),
        ("purpose", .optional(prompt.purpose)),
      ]
    )
  }

  private static func completion(
    _ request: CompletedRequest,
    _ error: LocationErrorCode?
  ) -> EventRecord {
    let subject: (String, EventValue) =
      switch request {
      case .monitor(let region): ("region", .text(region.rawValue))
      case .temporaryFull(let purpose): ("purpose", .text(purpose))
      }
    return EventRecord(
      "completion",
      [
        ("request", .text(request.name)),
        subject,
        ("error", .optional(error?.rawValue)),
      ]
    )
  }

  private static func failure(_ code: LocationErrorCode, _ subject: FailedSubject) -> EventRecord {
    let subject: (String, EventValue) =
      switch subject {
      case .region(let region): ("region", .text(region.rawValue))
      case .constraint(let constraint): ("constraint", .text(constraint.description))
      }
    return EventRecord(
      "failure",
      [
        ("code", .integer(code.rawValue)),
        subject,
      ]
    )
  }

  private static func diagnosticRecord(_ diagnostic: Diagnostic) -> EventRecord {
    EventRecord("diagnostic", [("code", .text(diagnostic.code))] + details(of: diagnostic))
  }

  /// The fields behind a diagnostic's code.
  private static func details(of diagnostic: Diagnostic) -> [(String, EventValue)] {
    switch diagnostic {
    case .timeGap(let from, let to): [("from", .time(from)), ("to", .time(to))]
    case .radio: []
    case .source(.late(let span)): [("by", .span(span))]
    case .source(.dropped(let reason, let count)):
      [("reason", .text(reason.name)), ("count", .integer(count))]
    case .regionLimitExceeded(let region): [("region", .text(region.rawValue))]
    case .rangingSuspended(let constraint, let region, let state):
      [
        ("constraint", .text(constraint.description)),
        ("region", .text(region.rawValue)),
        ("state", .text(state.description)),
      ]
    case .exitTimeTooShort(let region, let reception, let longest):
      [
        ("region", .text(region.rawValue)),
        ("interval", .span(reception.interval)),
        ("received", .hundredths(reception.share)),
        ("longest", .span(longest)),
      ]
    case .identityContested(let identity, let levels):
      [
        ("identity", .text(identity.description)),
        ("levels", .list([.hundredths(levels.stronger), .hundredths(levels.weaker)])),
      ]
    case .authorization(let diagnostic): diagnostic.key.map { [("key", .text($0))] } ?? []
    }
  }
}

extension EventRecord {
  init(_ type: String, _ fields: [(String, EventValue)]) {
    self.init(type: type, fields: fields.map { EventField($0.0, $0.1) })
  }
}
