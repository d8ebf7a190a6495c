// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFleet
internal import BeaconFormats

/// The faults of a fleet, as text and as JSON.
struct FleetReport {
  private let health: FleetHealth
  private let receivers: [String]
  private let names: EventNames
  private let findings: [FleetFinding]

  init(_ health: FleetHealth, receivers: [String], _ names: EventNames, showsAll: Bool) {
    self.health = health
    self.receivers = receivers
    self.names = names
    let over = showsAll ? health.ended.sorted { $0.since < $1.since } : []
    findings = health.findings + over
  }

  // MARK: Text

  /// The lines for a person.
  var table: [String] {
    let (received, all) = health.counts
    let wrong = health.findings.count
    let number = health.receiverCount == 1 ? "1 receiver" : "\(health.receiverCount) receivers"
    var lines = ["received \(received) of \(all) beacons at \(number)"]
    if health.start != nil { lines[0] += ", until \(time(health.now))" }
    lines += findings.map {
      $0.ended == nil ? line($0) : line($0) + " (over since \(time($0.ended)))"
    }
    lines.append(
      wrong > 0
        ? "\(wrong) wrong" : received > 0 ? "nothing is wrong" : "none of your beacons was received"
    )
    return lines
  }

  private func line(_ finding: FleetFinding) -> String {
    "\(name(of: finding.subject)): \(sentence(finding)), since \(time(finding.since))"
  }

  private func name(of subject: FleetFinding.Subject) -> String {
    switch subject {
    case .beacon(let identity):
      names.book[identity].map { "\($0) (\(identity))" } ?? identity.description
    case .receiver(let number): "receiver \(receiver(number) ?? "\(number + 1)")"
    }
  }

  private func receiver(_ number: Int) -> String? {
    guard number < receivers.count, !receivers[number].isEmpty else { return nil }
    return receivers[number]
  }

  private func time(_ time: Timestamp?) -> String {
    guard let time else { return "" }
    switch names.timeStyle {
    case .none: return "-"
    case .iso: return RFC3339.string(time)
    case .utc: return Self.minutes(time) + " UTC"
    case .local: return Self.minutes(names.zone.offset(time).moved(time))
    case .relative: return DecimalText.span(time - (health.start ?? time)) + " after the start"
    }
  }

  /// A date and a time of day to the minute.
  private static func minutes(_ time: Timestamp) -> String {
    let text = RFC3339.string(time)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }

  private func sentence(_ finding: FleetFinding) -> String {
    let (before, after) = (finding.before, finding.after)
    switch finding.kind {
    case .deafReceiver:
      guard let state = finding.state else { return "listens and receives nothing" }
      return "does not listen (\(state.rawValue))"
    case .contested:
      return "two devices send it: " + finding.evidence.map(Self.words).joined(separator: ", ")
    case .missing: return health.hasReceived(finding.subject) ? "missing" : "never received"
    case .clockOff:
      guard let seconds = after else {
        return "its clock differs from those of the others, by how much is not known"
      }
      let text = DecimalText.fixed(seconds.magnitude, decimals: 1)
      return
        "its clock is \(text) s \(seconds < 0 ? "behind" : "ahead"), or more by whole intervals"
    case .battery:
      guard finding.unit == .volts else { return "its battery is at \(Self.level(after)) %" }
      let (level, former) = (Self.seconds(after), Self.seconds(before))
      // What differs by less than is printed did not change.
      let start = before == nil || former == level ? "" : ", after \(former) V"
      return "its battery is at \(level) V\(start)"
    case .unknownIdentity: return "not in the list, but has a UUID of it"
    case .powerImplausible:
      return EventSentence.implausible(Int8(clamping: Int(after ?? 0)))
    case .intervalChanged:
      return "sends every \(Self.seconds(after)) s, not \(Self.seconds(before)) s"
    case .receiverLevelDrift:
      return "receives all beacons at \(Self.level(after)) dBm, not \(Self.level(before)) dBm"
    case .levelDrift:
      return "received at \(Self.level(after)) dBm, not \(Self.level(before)) dBm"
    }
  }

  private static func seconds(_ value: Double?) -> String { DecimalText.hundredths(value) }
  private static func level(_ value: Double?) -> String { DecimalText.fixed(value, decimals: 0) }

  private static func words(_ evidence: FleetFinding.Evidence) -> String {
    switch evidence {
    case .earlyEvents: "events closer together than its interval"
    case .twoAddresses: "two addresses alternate"
    case .twoPlaces: "received where it never was, and elsewhere as before"
    case .counters: "its counters go back"
    }
  }

  // MARK: JSON

  /// One object and a line end.
  var json: [UInt8] {
    var writer = JSONLineWriter()
    let (received, all) = health.counts
    writer.beginLine("fleet")
    writer.timestamp("start", health.start)
    writer.timestamp("t", health.start == nil ? nil : health.now)
    writer.integer("beacons", all)
    writer.integer("received", received)
    writer.integer("receivers", health.receiverCount)
    writer.key("findings")
    writer.beginArray()
    for finding in findings { append(finding, to: &writer) }
    writer.endArray()
    writer.endLine()
    return writer.bytes
  }

  private func append(_ finding: FleetFinding, to writer: inout JSONLineWriter) {
    writer.beginObject()
    writer.string("kind", finding.kind.rawValue)
    switch finding.subject {
    case .beacon(let identity):
      writer.identity(identity)
      writer.string("name", names.book[identity])
    case .receiver(let number):
      writer.string("receiver", receiver(number))
    }
    writer.timestamp("since", finding.since)
    writer.timestamp("found", finding.found)
    writer.timestamp("ended", finding.ended)
    if finding.before != nil || finding.after != nil {
      writer.hundredths("before", finding.before)
      writer.hundredths("after", finding.after)
    }
    if !finding.evidence.isEmpty {
      writer.key("evidence")
      writer.beginArray()
      for evidence in finding.evidence { writer.string(evidence.rawValue) }
      writer.endArray()
    }
    if let state = finding.state {
      writer.string("state", state.rawValue)
    }
    if let unit = finding.unit {
      writer.string("unit", unit.rawValue)
    }
    writer.endObject()
  }
}
