// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Events in words for a person.
enum EventSentence {
  /// Returns a sentence for an event that is neither a sighting nor a tick.
  static func text(of event: Event) -> String {
    switch event {
    case .sighting, .ranged: ""
    case .regionEntered(let region, _, let why): "entered \(region)" + heard(why, " by ")
    case .regionExited(let region, let reason, let why): "left \(region)" + left(reason, why)
    case .regionState(let region, let state, _, let reason):
      "\(region) is \(state) (\(reason.rawValue))"
    case .authorization(let status, let accuracy):
      "authorization is \(status.name), accuracy \(accuracy.name)"
    case .prompt(let prompt):
      "asked: \(prompt.text) [\(prompt.choices.map(\.rawValue).joined(separator: ", "))]"
    case .promptWithdrawn: "the question is withdrawn"
    case .completion(.monitor(let region), nil): "monitoring \(region) begins"
    case .completion(let request, let error):
      "\(request.name) " + (error.map { "failed with \($0.rawValue)" } ?? "done")
    case .failure(let code, let subject): "\(name(subject)) failed: \(code) (\(code.rawValue))"
    case .notification(let region): "notification of \(region)"
    case .indicator(let style): "usage indicator \(style.rawValue)"
    case .serviceDiagnostics(let id, let diagnostics):
      "session \(id): " + diagnostics.map(\.rawValue).joined(separator: ", ")
    case .diagnostic(let diagnostic): text(of: diagnostic)
    }
  }

  private static func heard(_ why: Why, _ preposition: String) -> String {
    guard let identity = why.identity else { return "" }
    let rssi = why.rssi.map { " at \($0) dBm" } ?? ""
    return "\(preposition)\(identity.major)/\(identity.minor)\(rssi)"
  }

  private static func left(_ reason: RegionStateReason, _ why: Why) -> String {
    if let gap = why.gap, reason == .allSilent {
      return ", silent for \(DecimalText.fixed(gap.seconds, decimals: 1)) s" + heard(why, ", last ")
    }
    return ", out of range" + heard(why, ", last ")
  }

  private static func name(_ subject: FailedSubject) -> String {
    switch subject {
    case .region(let region): "monitoring \(region)"
    case .constraint(let constraint): "ranging \(constraint)"
    }
  }

  private static func text(of diagnostic: Diagnostic) -> String {
    switch diagnostic {
    case .timeGap(let from, let to): "nothing is known of the last \(Int((to - from).seconds)) s"
    case .radio(let reason): "no receiver listens (\(reason.rawValue))"
    case .regionLimitExceeded(let region): "\(region) is one region too many"
    case .rangingSuspended(_, let region, let state):
      "ranging waits: \(region) is \(state)"
    case .authorization(let diagnostic):
      diagnostic.code + (diagnostic.key.map { ": \($0)" } ?? "")
    }
  }
}
