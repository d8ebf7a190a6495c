// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Reads the JSON Lines that ``EventLineWriter`` writes, such as the service's stream of a client.
///
/// Numbers come back as the line has them: distances to a hundredth of a meter, RSSI in whole dBm.
package struct EventLineReader: Sendable {
  /// A line that was read.
  package struct Line: Sendable, Equatable {
    /// The time of the event.
    package let time: Timestamp
    /// The event.
    package let event: Event
    /// The number of a crossing, which grows with each of the client; `nil` for anything else.
    package let sequence: UInt64?
  }

  /// The longest line that is read: a tick of 5,000 beacons.
  package static let longestLine = 1 << 20

  private let object: JSON5Value

  /// Reads a line without its end.
  ///
  /// - Returns: The line; `nil` if it is no event, or one that this version does not know.
  package static func read(_ bytes: [UInt8]) -> Line? {
    let limits = JSON5Limits(bytes: longestLine, depth: 8, values: 100_000, faults: 1)
    guard let object = try? JSON5.parse(bytes, limits: limits) else { return nil }
    let reader = EventLineReader(object: object)
    guard let time = reader.time("t"), let event = reader.event else { return nil }
    let number = reader.integer("sequence").flatMap { UInt64(exactly: $0) }
    return Line(time: time, event: event, sequence: number)
  }

  /// Reads the explanation of a crossing, the value of its `why`.
  ///
  /// - Returns: The explanation; `nil` for anything else.
  package static func explanation(_ text: String) -> Explanation? {
    (try? JSON5.parse(text)).flatMap { EventLineReader(object: $0).explanation }
  }

  private init(object: JSON5Value) {
    self.object = object
  }

  // MARK: Fields

  private func text(_ key: String) -> String? {
    if case .string(let text)? = object[key]?.content { text } else { nil }
  }

  private func number(_ key: String) -> Double? {
    guard case .number(let number)? = object[key]?.content, number.value.isFinite else {
      return nil
    }
    return number.value
  }

  private func integer(_ key: String) -> Int64? {
    if case .number(let number)? = object[key]?.content { number.integer } else { nil }
  }

  private func time(_ key: String) -> Timestamp? { text(key).flatMap { RFC3339.parse($0) } }

  /// A time span, which a line has in seconds; the writer gives all six decimals that there are.
  private func span(_ key: String) -> TimeSpan? {
    guard let seconds = number(key), abs(seconds) < 1e9 else { return nil }
    return TimeSpan(microseconds: Int64((seconds * 1e6).rounded()))
  }

  private func choice<Choice: RawRepresentable<String>>(_ key: String) -> Choice? {
    text(key).flatMap { Choice(rawValue: $0) }
  }

  private func list(_ key: String) -> [JSON5Value] {
    if case .array(let values)? = object[key]?.content { values } else { [] }
  }

  private var region: RegionIdentifier? { text("region").map { RegionIdentifier($0) } }

  private func identity(_ key: String) -> BeaconIdentity? {
    guard let text = text(key), let constraint = try? IdentityConstraint(parsing: text),
      let major = constraint.major, let minor = constraint.minor
    else { return nil }
    return BeaconIdentity(uuid: constraint.uuid, major: major, minor: minor)
  }

  private func state(_ key: String) -> RegionState? {
    let text = text(key)
    return RegionState.allCases.first { $0.description == text }
  }

  // MARK: Events

  private var event: Event? {
    switch text("type") {
    case "ranged": ranged
    case "region.enter": crossing.map { .regionEntered($0.region, $0.reason, $0.why) }
    case "region.exit": crossing.map { .regionExited($0.region, $0.reason, $0.why) }
    case "region.state": regionState
    case "authorization": authorization
    case "prompt": prompt
    case "completion": completion
    case "failure": failure
    case "notification": region.map { .notification($0) }
    case "indicator": choice("style").map { .indicator($0) }
    case "diagnostic": diagnostic
    default: nil
    }
  }

  private var ranged: Event? {
    guard let text = text("constraint"), let constraint = try? IdentityConstraint(parsing: text)
    else { return nil }
    let beacons = list("beacons").compactMap { EventLineReader(object: $0).beacon }
    return .ranged([ConstraintRanging(constraint: constraint, beacons: beacons)])
  }

  private var beacon: RangedBeacon? {
    guard let uuid = text("uuid").flatMap({ UUIDText.parse($0) }),
      let major = integer("major").flatMap({ UInt16(exactly: $0) }),
      let minor = integer("minor").flatMap({ UInt16(exactly: $0) }),
      let proximity = Proximity.allCases.first(where: { $0.name == text("proximity") }),
      let lastReceived = time("last_heard"), let reports = integer("reports")
    else { return nil }
    var distance: DistanceEstimate?
    if let meters = number("distance"), let low = number("distance_low"),
      let high = number("distance_high")
    {
      distance = DistanceEstimate(meters: meters, low: low, high: high)
    }
    return RangedBeacon(
      ranged: BeaconIdentity(uuid: uuid, major: major, minor: minor),
      proximity,
      distance,
      rssi: integer("rssi").flatMap { Int8(exactly: $0) }.map(Int.init),
      reports: Int(clamping: reports),
      lastReceived: lastReceived,
      isContested: object["contested"]?.content == .bool(true)
    )
  }

  private var crossing: (region: RegionIdentifier, reason: RegionStateReason, why: Explanation)? {
    guard let region, let reason: RegionStateReason = choice("reason"),
      let why = object["why"].flatMap({ EventLineReader(object: $0).explanation })
    else { return nil }
    return (region, reason, why)
  }

  private var explanation: Explanation? {
    guard let rule: Explanation.Rule = choice("rule"), let reports = integer("reports") else {
      return nil
    }
    let threshold: Explanation.Threshold
    switch rule {
    case .firstReport, .enoughReports:
      guard let count = integer("threshold") else { return nil }
      threshold = .reports(Int(clamping: count))
    case .enterWithin, .leaveBeyond:
      guard let meters = number("threshold") else { return nil }
      threshold = .distance(meters: meters)
    case .fixedExit, .learnedExit, .unlearnedExit, .silentAfterUnknown:
      guard let silence = span("threshold") else { return nil }
      threshold = .silence(silence)
    case .atPlace, .atOtherPlace, .nowhere:
      guard let place = text("threshold") else { return nil }
      threshold = .place(place)
    }
    return Explanation(
      identity: identity("identity"),
      reports: Int(clamping: reports),
      rssi: integer("rssi").flatMap { Int8(exactly: $0) },
      power: integer("power").flatMap { Int8(exactly: $0) },
      distance: number("distance"),
      interval: span("interval"),
      gap: span("gap"),
      threshold: threshold,
      rule: rule,
      place: text("place"),
      probability: number("p")
    )
  }

  private var regionState: Event? {
    guard let region, let state = state("state"), let origin: RegionStateOrigin = choice("origin"),
      let reason: RegionStateReason = choice("reason")
    else { return nil }
    return .regionState(region, state, origin, reason)
  }

  private var authorization: Event? {
    let (name, accuracy) = (text("status"), text("accuracy"))
    guard let status = AuthorizationStatus.allCases.first(where: { $0.name == name }),
      let accuracy = [.full, .reduced].first(where: { (value: AccuracyAuthorization) in
        value.name == accuracy
      })
    else { return nil }
    return .authorization(status, accuracy)
  }

  private var prompt: Event? {
    if object["kind"]?.content == .null { return .promptWithdrawn }
    guard let kind: Prompt.Kind = choice("kind"), let text = text("text") else { return nil }
    let choices = list("choices").compactMap { value -> PromptChoice? in
      if case .string(let name) = value.content { PromptChoice(rawValue: name) } else { nil }
    }
    return .prompt(
      Prompt(
        kind: kind,
        choices: choices,
        text: text,
        offersPrecise: self.text("precise") == "offered",
        purpose: self.text("purpose")
      )
    )
  }

  private func code(_ key: String) -> LocationErrorCode? {
    integer(key).flatMap { LocationErrorCode(rawValue: Int(clamping: $0)) }
  }

  private var completion: Event? {
    switch text("request") {
    case "monitor": region.map { .completion(.monitor($0), error: code("error")) }
    case "temporaryFull":
      text("purpose").map { .completion(.temporaryFull(purpose: $0), error: code("error")) }
    default: nil
    }
  }

  private var failure: Event? {
    guard let code = code("code") else { return nil }
    if let region { return .failure(code, .region(region)) }
    guard let text = text("constraint"), let constraint = try? IdentityConstraint(parsing: text)
    else { return nil }
    return .failure(code, .constraint(constraint))
  }

  private var diagnostic: Event? {
    guard let code = text("code") else { return nil }
    if code == "serviceSession" {
      guard let id = integer("session").flatMap({ UInt64(exactly: $0) }) else { return nil }
      let found = list("diagnostics").compactMap { value -> ServiceSession.Diagnostic? in
        guard case .string(let name) = value.content else { return nil }
        return ServiceSession.Diagnostic(rawValue: name)
      }
      return .serviceDiagnostics(id: id, found)
    }
    return (condition(code) ?? authorizationDiagnostic(code)).map { .diagnostic($0) }
  }

  private func condition(_ code: String) -> Diagnostic? {
    switch code {
    case "timeGap":
      guard let from = time("from"), let to = time("to") else { return nil }
      return .timeGap(from: from, to: to)
    case "late": return span("by").map { .source(.late(by: $0)) }
    case "dropped":
      let name = text("reason")
      guard let reason = DropReason.allCases.first(where: { $0.name == name }),
        let count = integer("count")
      else { return nil }
      return .source(.dropped(reason, count: Int(clamping: count)))
    case "regionLimitExceeded": return region.map { .regionLimitExceeded($0) }
    case "rangingSuspended":
      guard let region, let state = state("state"),
        let constraint = try? IdentityConstraint(parsing: text("constraint") ?? "")
      else { return nil }
      return .rangingSuspended(constraint, while: region, state)
    case "exitTimeTooShort":
      guard let region, let interval = span("interval"), let share = number("received"),
        let longest = span("longest")
      else { return nil }
      let reception = Reception(interval: interval, share: share)
      return .exitTimeTooShort(region, reception, longest: longest)
    default: return RegionStateReason(rawValue: code).map { .radio($0) }
    }
  }

  private func authorizationDiagnostic(_ code: String) -> Diagnostic? {
    if let key = text("key") {
      switch code {
      case "usageTextMissing": return .authorization(.usageTextMissing(key: key))
      case "purposeKeyMissing": return .authorization(.purposeKeyMissing(key: key))
      default: return nil
      }
    }
    let plain: [AuthorizationDiagnostic] = [
      .insufficientlyInUse, .authorizationDenied, .servicesOff, .authorizationRestricted,
      .authorizationRequestInProgress, .accuracyLimited, .backgroundModeMissing, .answerNotOffered,
      .settingNotOffered,
    ]
    return plain.first { $0.code == code }.map { .authorization($0) }
  }
}
