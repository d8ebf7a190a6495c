// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
package import BeaconFormats
package import DBus

// Regions, requests and manifests as the service's interface has them: the forms of files, as dictionaries from names to
// variants. What the service cannot honour is refused by its name: without it, the service would do another request than
// the program made.

extension DBusValue {
  /// A value of a form; `nil` for `null`, which is left out on the bus.
  package init?(_ value: FormValue) {
    switch value {
    case .null: return nil
    case .text(let text): self = .string(text)
    case .boolean(let bool): self = .boolean(bool)
    case .integer(let number): self = .int64(Int64(number))
    case .number(let number), .hundredths(let number): self = .double(number)
    case .span(let span): self = .double(span.seconds)
    case .time(let time): self = .string(RFC3339.string(time))
    case .list(let values):
      self = .array(of: "v", values.compactMap { DBusValue($0).map { .variant($0) } })
    case .object(let fields): self = .form(fields)
    }
  }

  /// An object of a form, `a{sv}`.
  package static func form(_ fields: [FormField]) -> DBusValue {
    .properties(
      fields.compactMap { field in DBusValue(field.value).map { (field.name, $0) } }
    )
  }

  /// The value as a form reads it.
  var json: JSON5Value {
    let content: JSON5Value.Content
    switch self {
    case .boolean(let bool): content = .bool(bool)
    case .string(let text): content = .string(text)
    case .double(let number): content = .number(JSON5Number(value: number))
    case .byte(let number): content = .number(JSON5Number(number))
    case .int16(let number): content = .number(JSON5Number(number))
    case .uint16(let number): content = .number(JSON5Number(number))
    case .int32(let number): content = .number(JSON5Number(number))
    case .uint32(let number): content = .number(JSON5Number(number))
    case .int64(let number): content = .number(JSON5Number(number))
    case .uint64(let number): content = .number(JSON5Number(number))
    case .array(_, let values): content = .array(values.map(\.json))
    case .dictionary(_, let entries):
      content = .object(
        entries.compactMap { entry in
          entry.key.text.map { JSON5Member(key: $0, keyPosition: .start, value: entry.value.json) }
        }
      )
    case .variant(let value): return value.json
    default: content = .null
    }
    return JSON5Value(content, at: .start)
  }
}

extension JSON5Number {
  fileprivate init(_ number: some FixedWidthInteger) {
    self.init(value: Double(number), integer: Int64(exactly: number))
  }
}

extension Region {
  /// The options of monitoring, `a{sv}`.
  package var monitoringOptions: [(String, DBusValue)] {
    // The keys that every region has are arguments and options of the call.
    let own = Region.blank.fields().map(\.name)
    let others = fields().filter { !own.contains($0.name) }
    return [
      ("entry", .boolean(notifyOnEntry)), ("exit", .boolean(notifyOnExit)),
      ("display", .boolean(notifyEntryStateOnDisplay)),
    ] + (others.isEmpty ? [] : [("region", .form(others))])
  }

  /// The names of the options that a region is made of.
  package static let monitoringOptionNames = ["entry", "exit", "display", "region"]

  /// Creates a region from the options of monitoring.
  ///
  /// - Throws: ``ServiceError`` if an option has a wrong type or value, or one that the service cannot honour.
  package init(
    _ identifier: RegionIdentifier,
    _ constraint: IdentityConstraint,
    _ options: ServiceOptions
  ) throws(ServiceError) {
    self = try options.read("region") { object in
      object.supply("region", .string(identifier.rawValue))
      object.supply("constraint", .string(constraint.description))
      return object.form { Region.read(from: &$0) }
    }
    notifyOnEntry = try options.boolean("entry") ?? notifyOnEntry
    notifyOnExit = try options.boolean("exit") ?? notifyOnExit
    notifyEntryStateOnDisplay = try options.boolean("display") ?? notifyEntryStateOnDisplay
    if let part = partsNotServed.first { throw .unknownOption(part) }
  }

  /// The parts that the service cannot honour, by their names: no service knows places.
  package var partsNotServed: [String] { place == nil ? [] : ["place"] }
}

extension RegionNotification {
  /// The options of a notification, `a{sv}`.
  package var options: [(String, DBusValue)] {
    [
      ("entry", .boolean(region.notifyOnEntry)), ("exit", .boolean(region.notifyOnExit)),
      ("repeats", .boolean(repeats)), ("text", .string(text)),
    ]
  }

  /// The names of the options of a notification.
  package static let optionNames = ["entry", "exit", "repeats", "text"]

  /// Creates a notification from its options.
  ///
  /// - Throws: ``ServiceError`` if an option has a wrong type.
  package init(
    _ identifier: RegionIdentifier,
    _ constraint: IdentityConstraint,
    _ options: ServiceOptions
  ) throws(ServiceError) {
    self.init(
      Region(
        identifier,
        constraint,
        notifyOnEntry: try options.boolean("entry") ?? true,
        notifyOnExit: try options.boolean("exit") ?? true
      ),
      repeats: try options.boolean("repeats") ?? true,
      text: try options.text("text")?.printable ?? ""
    )
  }

  /// Why the service cannot show it as it is; `nil` if it can: its region has only a constraint and sides.
  fileprivate var refusal: String? {
    var plain = Region(region.identifier, region.constraint)
    (plain.notifyOnEntry, plain.notifyOnExit) = (region.notifyOnEntry, region.notifyOnExit)
    plain.notifyEntryStateOnDisplay = region.notifyEntryStateOnDisplay
    let what = "the service cannot show the notification of region '\(region.identifier)'"
    if region != plain { return what + " with a zone, a place, an enter policy or an exit time" }
    return text.isEmpty ? what + " without a text" : nil
  }
}

extension ClientRequest {
  /// Why the service cannot do the request as it is; `nil` if it can.
  package var refusal: String? {
    switch self {
    case .monitor(let region, _):
      let parts = region.partsNotServed
      return parts.isEmpty
        ? nil
        : "the service cannot monitor region '\(region.identifier)' with its own"
          + " \(parts.joined(separator: ", "))"
    case .notify(let notification): return notification.refusal
    case .range, .stopRanging, .stopMonitoring, .requestState, .authorize, .stopNotifying:
      return nil
    }
  }

  /// The names of requests on the bus, by those of their forms.
  private static let kinds: KeyValuePairs = [
    "request.whenInUse": "whenInUse", "request.always": "always",
    "request.temporaryFull": "temporaryFull", "session.start": "startSession",
    "session.stop": "stopSession", "service.begin": "beginService", "service.end": "endService",
  ]

  /// A request for authorization as the interface has it: its kind and its options.
  package static func served(
    _ request: AuthorizationRequest
  ) -> (kind: String, options: DBusValue) {
    let request = ClientRequest.authorize(request)
    let kind = kinds.first { $0.key == request.caseName }?.value ?? ""
    return (kind, .form(Array(request.fields().dropFirst())))
  }

  /// Reads a request for authorization.
  ///
  /// - Throws: ``ServiceError`` if there is no such request, or an option has a wrong type or value.
  package init(kind: String, _ options: ServiceOptions) throws(ServiceError) {
    guard let name = Self.kinds.first(where: { $0.value == kind })?.key else {
      throw .invalidOption
    }
    self = try options.read(nil) { object in
      object.form { ClientRequest.read(name, from: &$0) }
    }
  }
}

extension Manifest {
  /// The option `manifest` of a session, `a{ss}`.
  package var servedValue: DBusValue {
    var texts: [DBusEntry] = []
    func add(_ key: String, _ text: String?) {
      if let text { texts.append(DBusEntry(key: .string(key), value: .string(text))) }
    }
    func add(_ key: String, _ isDeclared: Bool) { add(key, isDeclared ? "true" : nil) }
    add("whenInUse", whenInUse)
    add("alwaysAndWhenInUse", alwaysAndWhenInUse)
    add("defaultAccuracyReduced", defaultAccuracyReduced)
    add("backgroundLocation", backgroundLocation)
    add("appClip", appClip)
    add("explicitServiceSession", explicitServiceSession)
    for purpose in purposes { add("purpose.\(purpose.key)", purpose.text) }
    return .dictionary(of: "ss", texts)
  }
}
