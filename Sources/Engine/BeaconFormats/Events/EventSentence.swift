// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Events in words for a user.
package enum EventSentence {
  /// Returns a sentence for an event that is neither a sighting nor a tick.
  package static func text(of event: Event, _ names: NameBook = NameBook()) -> String {
    switch event {
    case .sighting, .ranged, .nearby: ""
    case .regionEntered(let region, _, let why):
      "entered \(region)" + beacon(why, " by ", names) + ": \(rule(why))"
    case .regionExited(let region, _, let why): "left \(region)" + left(why, names)
    case .regionState(let region, let state, _, let reason):
      "\(region) is \(state)" + name(reason)
    case .authorization(let status, let accuracy): text(of: status, accuracy)
    case .prompt(let prompt):
      "asked: \(prompt.text) [\(prompt.choices.map(\.rawValue).joined(separator: ", "))]"
    case .promptWithdrawn: "the question is withdrawn"
    case .completion(.monitor(let region), nil): "monitoring \(region) begins"
    case .completion(.monitor(let region), let error?):
      "monitoring \(region) failed: \(error) (\(error.rawValue))"
    case .completion(.temporaryFull, nil): "the question about precise location is settled"
    case .completion(.temporaryFull(let purpose), let error?):
      "request for precise location as \(purpose) failed: \(error) (\(error.rawValue))"
    case .failure(let code, let subject): "\(name(subject)) failed: \(code) (\(code.rawValue))"
    case .notification(let region): "notification of \(region)"
    case .indicator(let style): text(of: style)
    case .serviceDiagnostics(let id, let diagnostics):
      "session \(id): " + diagnostics.map(\.rawValue).joined(separator: ", ")
    case .diagnostic(let diagnostic): text(of: diagnostic)
    }
  }

  private static func beacon(
    _ why: Explanation,
    _ preposition: String,
    _ names: NameBook
  ) -> String {
    guard let identity = why.identity else { return "" }
    let rssi = why.rssi.map { " at \($0) dBm" } ?? ""
    let name = names[identity].map { "\($0), " } ?? ""
    return "\(preposition)\(name)\(identity.major)/\(identity.minor)\(rssi)"
  }

  private static func left(
    _ why: Explanation,
    _ names: NameBook
  ) -> String {
    let last = beacon(why, "; last ", names)
    if let gap = why.gap {
      return ", silent for \(DecimalText.fixed(gap.seconds, decimals: 1)) s: \(rule(why))" + last
    }
    return (why.rule == .leaveBeyond ? ", out of range: " : ": ") + rule(why) + last
  }

  /// The rule that decided a crossing, with its threshold.
  package static func rule(_ why: Explanation) -> String {
    let distance = why.distance.map { ", it was at \(DecimalText.hundredths($0)) m" } ?? ""
    let place = why.place.map { "it is in \($0)" } ?? "it is in no known place"
    return switch (why.rule, why.threshold) {
    case (.firstReport, _): "the first report"
    case (.enoughReports, .reports(let count)): "\(count) reports"
    case (.enoughReports, _): "enough reports"
    case (.enterWithin, .distance(let meters)): "within \(limit(meters))" + distance
    case (.enterWithin, _): "near enough" + distance
    case (.leaveBeyond, .distance(let meters)): "beyond \(limit(meters))" + distance
    case (.leaveBeyond, _): "too far" + distance
    case (.fixedExit, let threshold): "the limit is set to \(length(threshold))"
    case (.learnedExit, let threshold):
      "its usual silences are below \(length(threshold)) (learned)"
    case (.unlearnedExit, let threshold):
      "the limit is \(length(threshold)) until more is learned"
    case (.silentAfterUnknown, let threshold):
      "the limit is \(length(threshold)) after an unknown state"
    case (.atPlace, _), (.atOtherPlace, _): place
    case (.nowhere, _): "received nowhere"
    }
  }

  private static func limit(_ meters: Double) -> String {
    "\(DecimalText.fixed(meters, decimals: meters == meters.rounded() ? 0 : 1)) m"
  }

  /// An exit time: `30 s`.
  private static func length(_ threshold: Explanation.Threshold) -> String {
    guard case .silence(let span) = threshold else { return "that" }
    let tenths = span.microseconds % 1_000_000 == 0 ? 0 : 1
    return "\(DecimalText.fixed(span.seconds, decimals: tenths)) s"
  }

  /// A client's permission, as Settings would put it.
  package static func text(of status: AuthorizationStatus, _ accuracy: AccuracyAuthorization)
    -> String
  {
    let precision = accuracy == .full ? ", precise" : ", but only approximate"
    return switch status {
    case .notDetermined: "location: not asked yet"
    case .restricted: "location: not allowed by a policy of this machine"
    case .denied: "location: not allowed"
    case .authorizedAlways: "location: always allowed" + precision
    case .authorizedWhenInUse: "location: allowed while in use" + precision
    }
  }

  private static func text(of style: UsageIndicator.Style) -> String {
    switch style {
    case .none: "usage indicator off"
    case .hollow: "usage indicator ◇: may receive location"
    case .solid: "usage indicator ◆: received location"
    case .session: "usage indicator ■: in use in the background"
    }
  }

  /// Why a region has its state, without the state: `its beacons are silent`.
  package static func text(of reason: RegionStateReason) -> String {
    String(name(reason).drop { $0 == ":" || $0 == "," || $0 == " " })
  }

  /// Why a region has its state; empty if the state is enough.
  private static func name(_ reason: RegionStateReason) -> String {
    switch reason {
    case .received: ": a beacon was received"
    case .cameInRange: ": a beacon came near"
    case .allSilent: ": its beacons are silent"
    case .leftRange: ": its beacons are far"
    case .nothingReceived: ": nothing was received"
    case .distanceUnknown: ": its beacons have no distance"
    case .tooWeak: ": its beacons are too weak, or have no RSSI"
    case .tooFewReports: ": its beacons are received too seldom"
    case .cameToPlace: ": a beacon is in the place"
    case .leftPlace: ": its beacons are elsewhere"
    case .placeUnknown: ": nobody knows where a beacon is"
    case .radioOff: ": no radio listens"
    case .radioDeaf: ": the radio receives nothing"
    case .radioGone: ": there is no radio"
    case .authorization: ": location is not allowed"
    case .accuracy: ": location is approximate"
    case .serviceSession: ": an explicit service session is missing"
    case .limitExceeded: ": the client monitors as many regions as it may"
    case .unsupported: ": it cannot be monitored"
    case .notInUse: ": the client is not in use"
    case .requested: ", as asked"
    case .registeredAgain: ", as known"
    case .resumed: ", on return"
    case .notMonitored: ": it is not monitored"
    case .whileUnknown: ": while its state was unknown"
    case .assumed: ", as assumed"
    case .restored: ", as saved"
    case .shutdown: ": the run ends"
    }
  }

  private static func name(_ subject: FailedSubject) -> String {
    switch subject {
    case .region(let region): "monitoring \(region)"
    case .constraint(let constraint): "ranging \(constraint)"
    }
  }

  private static func seconds(_ span: TimeSpan) -> String {
    let tenths = (span.seconds * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }

  /// How a beacon is received that the longest exit time is too short for, and what helps.
  package static func capAdvice(_ reception: Reception) -> String {
    var text = ""
    if let interval = reception.interval {
      let way = reception.isLeastInterval ? "at intervals of at least" : "every"
      text = "sends \(way) \(seconds(interval)) s"
      if let share = reception.share {
        let percent = Int((share * 100).rounded())
        let share = (45...55).contains(percent) ? "half" : "\(percent) %"
        text += ", is received \(share) of the time,"
      }
      text += " and "
    }
    let advised = seconds(reception.advised)
    let isCapEnough = reception.advised <= ExitLearning.longestCap && !reception.isFixed
    text += "comes back after up to \(seconds(reception.silence)) s: if it never left,"
    text += " allow \(advised) s with "
    if isCapEnough { return text + "--set region.learning.cap=\(advised)" }
    return text
      + (reception.isOwn
        ? "exit: \(advised) in its own entry of 'regions'" : "--set region.exit=\(advised)")
  }

  private static func text(of diagnostic: Diagnostic) -> String {
    switch diagnostic {
    case .timeGap(let from, let to):
      "no receiver reported anything for \(DecimalText.span(to - from)); regions keep their states (timing.gap)"
    case .radio(let reason): "no receiver listens (\(reason.rawValue))"
    case .source(.late(let span)):
      "the clock was wrong: times are moved by \(DecimalText.seconds(span)) s"
    case .source(.dropped(let reason, let count)): "left out: \(count) (\(reason.name))"
    case .listensInTurns(let listened, let span):
      "receivers listen in turns, \(seconds(listened)) of every \(seconds(span)) s:"
        + " exit times count only that time (listensInTurns)"
    case .stateContradicted(let reason):
      "reports come although no receiver listens, as the source states (\(reason.rawValue)):"
        + " regions stay unknown until it states that one does (stateContradicted)"
    case .regionLimitExceeded(let region): "\(region) is one region too many"
    case .rangingSuspended(_, let region, let state):
      "ranging waits: \(region) is \(state)"
    case .exitTimeTooShort(let region, let reception, longest: _):
      "\(region): a beacon " + capAdvice(reception)
    case .identityContested(let identity, let levels):
      "\(identity) is sent from two addresses at levels that no one place explains"
        + " (\(contested(levels))): its distance counts as unknown"
    case .powerImplausible(let identity, let power):
      "\(identity) \(implausible(power))"
    case .authorization(let diagnostic): text(of: diagnostic)
    }
  }

  /// The announced power of a beacon without a distance, and the remedy.
  package static func implausible(_ power: Int8) -> String {
    "announces \(power) dBm at 1 m, which cannot be its measured power: no distance until"
      + " 'beaconctl calibrate' measures it"
  }

  /// The levels of two devices that send one identity; those of one level announce different powers.
  package static func contested(_ levels: ContestedLevels) -> String {
    let text = "\(Int(levels.stronger.rounded())) and \(Int(levels.weaker.rounded())) dBm"
    let isClose =
      levels.stronger - levels.weaker < RangingConfiguration.defaultContestedDifference / 2
    return isClose ? text + " with different announced powers" : text
  }

  /// Why nothing happened; its name in outputs follows, for looking it up.
  private static func text(of diagnostic: AuthorizationDiagnostic) -> String {
    let text =
      switch diagnostic {
      case .usageTextMissing(let key): "the manifest has no text '\(key)', so the user is not asked"
      case .purposeKeyMissing(let key):
        "the manifest has no purpose '\(key)', so the user is not asked"
      case .insufficientlyInUse: "not now: the client is not in use"
      case .authorizationDenied: "location is not allowed"
      case .servicesOff: "location services are off"
      case .authorizationRestricted: "a policy of this machine does not allow location"
      case .authorizationRequestInProgress: "another question is still open"
      case .accuracyLimited: "location is approximate: beacons and regions are withheld"
      case .backgroundModeMissing: "the manifest has no 'backgroundLocation'"
      case .answerNotOffered: "that answer was not offered"
      case .serviceSessionRequired: "the manifest demands an explicit service session"
      case .notificationNotShown: "that notification is not shown"
      case .settingNotOffered: "that setting is not offered"
      }
    return "\(text) (\(diagnostic.code))"
  }
}
