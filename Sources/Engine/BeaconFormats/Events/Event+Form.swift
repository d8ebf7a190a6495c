// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The lines of events, version 1.
///
/// A line has one constraint, so a tick of several has no form as a whole. A sighting is written by
/// ``EventRecord`` and read as an input.
extension Event: FormedCases {
  package static var caseKey: String { "type" }

  package static let cases: [FormCase<Event>] = [
    FormCase("ranged", { (form: TickForm) in form.event }, "") {
      switch $0 {
      case .ranged(let entries) where entries.count == 1:
        TickForm(constraint: entries[0].constraint, beacons: entries[0].beacons)
      case .nearby(let beacons): TickForm(constraint: nil, beacons: beacons)
      default: nil
      }
    },
    FormCase("region.enter", Event.regionEntered, "region", "reason", "why") {
      if case .regionEntered(let name, let reason, let why) = $0 {
        (name, reason, why)
      } else {
        nil
      }
    },
    FormCase("region.exit", Event.regionExited, "region", "reason", "why") {
      if case .regionExited(let name, let reason, let why) = $0 { (name, reason, why) } else { nil }
    },
    FormCase("region.state", Event.regionState, "region", "state", "origin", "reason") {
      if case .regionState(let region, let state, let origin, let reason) = $0 {
        (region, state, origin, reason)
      } else {
        nil
      }
    },
    FormCase("authorization", Event.authorization, "status", "accuracy") {
      if case .authorization(let status, let accuracy) = $0 { (status, accuracy) } else { nil }
    },
    FormCase("prompt", { (form: PromptForm) in form.event }, "") {
      switch $0 {
      case .prompt(let prompt): PromptForm(prompt: prompt)
      case .promptWithdrawn: PromptForm()
      default: nil
      }
    },
    FormCase("completion", Event.completion, "", "error") {
      if case .completion(let request, let error) = $0 { (request, error) } else { nil }
    },
    FormCase("failure", Event.failure, "code", "") {
      if case .failure(let code, let subject) = $0 { (code, subject) } else { nil }
    },
    FormCase("notification", Event.notification, "region") {
      if case .notification(let region) = $0 { region } else { nil }
    },
    FormCase("indicator", Event.indicator, "style") {
      if case .indicator(let style) = $0 { style } else { nil }
    },
    FormCase("diagnostic", { (form: DiagnosticForm) in form.event }, "") {
      switch $0 {
      case .diagnostic(let diagnostic): .engine(diagnostic)
      case .serviceDiagnostics(let id, let found): DiagnosticForm.session(id, found)
      default: nil
      }
    },
  ]

  package var formIdentity: String? {
    switch self {
    case .regionEntered(let region, let reason, _), .regionExited(let region, let reason, _),
      .regionState(let region, _, _, let reason):
      "\(caseName ?? "") \(reason) \(region)"
    default: nil
    }
  }
}

/// A second of ranging a constraint, or everything.
private struct TickForm: FormedObject {
  static var blank: TickForm { TickForm(beacons: []) }
  /// Stands for every beacon.
  private static let everything = "*"

  var constraint: IdentityConstraint?
  var beacons: [RangedBeacon]

  var event: Event {
    constraint.map { .ranged([ConstraintRanging(constraint: $0, beacons: beacons)]) }
      ?? .nearby(beacons)
  }

  mutating func form(_ form: inout Form) {
    var name = constraint?.description ?? Self.everything
    form("constraint", &name)
    if form.isReading, name != Self.everything { constraint = form.value("constraint") }
    form("beacons", &beacons)
  }
}

extension RangedBeacon: FormedObject {
  package static var blank: RangedBeacon {
    let identity = BeaconIdentity(uuid: 0, major: 0, minor: 0)
    return RangedBeacon(
      ranged: identity,
      .unknown,
      nil,
      rssi: nil,
      reports: 0,
      lastReceived: .earliest
    )
  }

  package mutating func form(_ form: inout Form) {
    form.identity(&identity)
    form("proximity", &proximity)
    var held = isHeld ? true : nil
    form("held", &held)
    var (meters, low, high) = (distance?.meters, distance?.low, distance?.high)
    form.nullable("distance", &meters)
    form.nullable("distance_low", &low)
    form.nullable("distance_high", &high)
    var level = wholeRSSI.map { Int8(clamping: $0) }
    form.nullable("rssi", &level)
    form("last_heard", &lastReceived)
    form("reports", &reports)
    var contested = isContested ? true : nil
    form("contested", &contested)
    if form.isReading {
      if let meters, let low, let high {
        distance = DistanceEstimate(meters: meters, low: low, high: high)
      }
      rssi = level.map(Double.init)
      (isContested, isHeld) = (contested ?? false, held ?? false)
    }
  }
}

extension Form {
  /// The three keys of an identity.
  package mutating func identity(_ identity: inout BeaconIdentity) {
    var (uuid, major, minor) = (UUIDText.string(identity.uuid), identity.major, identity.minor)
    self("uuid", &uuid)
    self("major", &major)
    self("minor", &minor)
    guard isReading else { return }
    guard let uuid = UUIDText.parse(uuid) else {
      return addFault("uuid must be a UUID", at: "uuid")
    }
    identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
  }
}

extension Explanation: FormedObject {
  package static var blank: Explanation {
    Explanation(identity: nil, reports: 0, threshold: .reports(0), rule: .firstReport)
  }

  package mutating func form(_ form: inout Form) {
    form.nullable("identity", &identity)
    form("reports", &reports)
    form.nullable("rssi", &rssi)
    form.nullable("power", &power)
    form.nullable("distance", &distance)
    form.nullable("interval", &interval)
    form.nullable("gap", &gap)
    if form.isReading {
      form("rule", &rule)
      threshold = rule.blankThreshold
    }
    threshold.form(&form)
    form("rule", &rule)
    guard case .place = threshold else { return }
    form.nullable("place", &place)
    form.nullable("p", &probability)
  }
}

extension Explanation.Rule {
  /// A threshold of the kind that this rule has.
  fileprivate var blankThreshold: Explanation.Threshold {
    switch self {
    case .firstReport, .enoughReports: .reports(0)
    case .enterWithin, .leaveBeyond: .distance(meters: 0)
    case .fixedExit, .learnedExit, .unlearnedExit, .silentAfterUnknown: .silence(.zero)
    case .atPlace, .atOtherPlace, .nowhere: .place("")
    }
  }
}

extension Explanation.Threshold {
  fileprivate mutating func form(_ form: inout Form) {
    switch self {
    case .silence(var span):
      form("threshold", &span)
      self = .silence(span)
    case .distance(var meters):
      form("threshold", &meters)
      self = .distance(meters: meters)
    case .reports(var count):
      form("threshold", &count)
      self = .reports(count)
    case .place(var name):
      form("threshold", &name)
      self = .place(name)
    }
  }
}

/// A prompt, or that the one before was withdrawn.
private struct PromptForm: FormedObject {
  static var blank: PromptForm { PromptForm() }

  var prompt: Prompt?

  var event: Event { prompt.map(Event.prompt) ?? .promptWithdrawn }

  mutating func form(_ form: inout Form) {
    var kind = prompt?.kind
    form.nullable("kind", &kind)
    guard let kind else { return }
    var (choices, text) = (prompt?.choices ?? [], prompt?.text ?? "")
    form("choices", &choices)
    form("text", &text)
    var precise = prompt?.offersPrecise == true ? "offered" : "notOffered"
    form("precise", &precise)
    var purpose = prompt?.purpose
    form.nullable("purpose", &purpose)
    prompt = Prompt(
      kind: kind,
      choices: choices,
      text: text,
      offersPrecise: precise == "offered",
      purpose: purpose
    )
  }
}

extension CompletedRequest: FormedCases {
  package static var caseKey: String { "request" }

  package static let cases: [FormCase<CompletedRequest>] = [
    FormCase("monitor", CompletedRequest.monitor, "region") {
      if case .monitor(let region) = $0 { region } else { nil }
    },
    FormCase("temporaryFull", CompletedRequest.temporaryFull, "purpose") {
      if case .temporaryFull(let purpose) = $0 { purpose } else { nil }
    },
  ]
}

extension FailedSubject: Formed {
  package static func read(from form: inout Form) -> FailedSubject? {
    if let region: RegionIdentifier? = form.value("region"), let region { return .region(region) }
    return form.value("constraint").map { .constraint($0) }
  }

  package func write(into form: inout Form) {
    switch self {
    case .region(let region): form.write("region", region, isNullWritten: false)
    case .constraint(let constraint): form.write("constraint", constraint, isNullWritten: false)
    }
  }
}

/// An event of the type `diagnostic`: a diagnostic of the engine, or the diagnostics of a program's goal.
private enum DiagnosticForm: FormedCases {
  case engine(Diagnostic)
  case session(UInt64, [ServiceSession.Diagnostic])

  static var caseKey: String { "code" }

  static let cases: [FormCase<DiagnosticForm>] =
    [
      FormCase("serviceSession", DiagnosticForm.session, "session", "diagnostics") {
        if case .session(let id, let found) = $0 { (id, found) } else { nil }
      }
    ]
    + engine.map { form in
      form.within(DiagnosticForm.engine) {
        if case .engine(let diagnostic) = $0 { diagnostic } else { nil }
      }
    }

  var event: Event {
    switch self {
    case .engine(let diagnostic): .diagnostic(diagnostic)
    case .session(let id, let found): .serviceDiagnostics(id: id, found)
    }
  }

  private static let engine: [FormCase<Diagnostic>] =
    [
      FormCase("timeGap", Diagnostic.timeGap, "from", "to") {
        if case .timeGap(let from, let to) = $0 { (from, to) } else { nil }
      },
      FormCase("late", { .source(.late(by: $0)) }, "by") {
        if case .source(.late(let span)) = $0 { span } else { nil }
      },
      FormCase(
        "dropped",
        { (reason: DropReason, count: Int) in .source(.dropped(reason, count: count)) },
        "reason",
        "count"
      ) {
        if case .source(.dropped(let reason, let count)) = $0 { (reason, count) } else { nil }
      },
      FormCase("listensInTurns", Diagnostic.listensInTurns, "listened", "of") {
        if case .listensInTurns(let listened, let span) = $0 { (listened, span) } else { nil }
      },
      FormCase("stateContradicted", Diagnostic.stateContradicted, "reason") {
        if case .stateContradicted(let reason) = $0 { reason } else { nil }
      },
      FormCase("regionLimitExceeded", Diagnostic.regionLimitExceeded, "region") {
        if case .regionLimitExceeded(let region) = $0 { region } else { nil }
      },
      FormCase("rangingSuspended", Diagnostic.rangingSuspended, "constraint", "region", "state") {
        if case .rangingSuspended(let constraint, let region, let state) = $0 {
          (constraint, region, state)
        } else {
          nil
        }
      },
      FormCase("exitTimeTooShort", Diagnostic.exitTimeTooShort, "region", "", "longest") {
        if case .exitTimeTooShort(let region, let reception, let longest) = $0 {
          (region, reception, longest)
        } else {
          nil
        }
      },
      FormCase("identityContested", Diagnostic.identityContested, "identity", "levels") {
        if case .identityContested(let identity, let levels) = $0 {
          (identity, levels)
        } else {
          nil
        }
      },
      FormCase("powerImplausible", Diagnostic.powerImplausible, "identity", "power") {
        if case .powerImplausible(let identity, let power) = $0 { (identity, power) } else { nil }
      },
      FormCase("usageTextMissing", { .authorization(.usageTextMissing(key: $0)) }, "key") {
        if case .authorization(.usageTextMissing(let key)) = $0 { key } else { nil }
      },
      FormCase("purposeKeyMissing", { .authorization(.purposeKeyMissing(key: $0)) }, "key") {
        if case .authorization(.purposeKeyMissing(let key)) = $0 { key } else { nil }
      },
    ]
    + RegionStateReason.allCases.map { FormCase($0.rawValue, .radio($0)) }
    + plain.map { FormCase($0.code, .authorization($0)) }

  private static let plain: [AuthorizationDiagnostic] = [
    .insufficientlyInUse, .authorizationDenied, .servicesOff, .authorizationRestricted,
    .authorizationRequestInProgress, .accuracyLimited, .backgroundModeMissing, .answerNotOffered,
    .notificationNotShown, .serviceSessionRequired, .settingNotOffered,
  ]
}

extension Reception: FormedObject {
  package static var blank: Reception {
    Reception(interval: nil, share: nil, silence: .zero, advised: .zero)
  }

  package mutating func form(_ form: inout Form) {
    form("interval", &interval)
    form("received", &share)
    form("silence", &silence)
    form("advised", &advised)
    var fixed = isFixed ? true : nil
    form("fixed", &fixed)
    isFixed = fixed ?? false
    var own = isOwn ? true : nil
    form("own", &own)
    isOwn = own ?? false
    var least = isLeastInterval ? true : nil
    form("interval_at_least", &least)
    isLeastInterval = least ?? false
  }
}

extension ContestedLevels: Formed {
  package static func read(_ reader: JSON5Reader) -> ContestedLevels? {
    guard let levels = [Double].read(reader) else { return nil }
    if levels.count == 2 { return ContestedLevels(stronger: levels[0], weaker: levels[1]) }
    reader.addFault("\(reader.name) must be two numbers")
    return nil
  }
  package func written(_ context: FormContext) -> FormValue { [stronger, weaker].written(context) }
}
