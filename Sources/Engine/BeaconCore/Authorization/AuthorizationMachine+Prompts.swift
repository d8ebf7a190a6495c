// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AuthorizationMachine {
  /// The prompt that is showing.
  package var prompt: Prompt? { question.map(prompt(asking:)) }

  /// Shows a prompt, after all checks have passed.
  mutating func show(_ question: Question, _ effects: inout AuthorizationEffects) {
    self.question = question
    effects.shown = prompt(asking: question)
  }

  private func prompt(asking question: Question) -> Prompt {
    switch question {
    case .whenInUse:
      Prompt(
        kind: .whenInUse,
        choices: firstChoices,
        text: manifest.whenInUse ?? "",
        offersPrecise: profile.hasAccuracyAxis && !manifest.defaultAccuracyReduced
      )
    case .threeOptions:
      Prompt(
        kind: .always,
        choices: [.whileUsing, .alwaysAllow, .dontAllow],
        text: manifest.alwaysAndWhenInUse ?? ""
      )
    case .upgrade where profile == .iOS12:
      Prompt(
        kind: .transition,
        choices: [.keepWhileUsing, .alwaysAllow],
        text: manifest.alwaysAndWhenInUse ?? ""
      )
    case .upgrade, .confirmation:
      Prompt(
        kind: .always,
        choices: [.keepWhileUsing, .changeToAlways],
        text: manifest.alwaysAndWhenInUse ?? ""
      )
    case .temporaryFull(let purpose, _):
      Prompt(
        kind: .temporaryFull,
        choices: [.allow, .dontAllow],
        text: manifest.purposeText(purpose) ?? "",
        purpose: purpose
      )
    }
  }

  private var firstChoices: [PromptChoice] {
    if isAppClip { return [.untilTomorrow, .once, .dontAllow] }
    if profile.hasTemporaryGrants { return [.whileUsing, .once, .dontAllow] }
    return [.allow, .dontAllow]
  }

  /// Processes the answer to the current prompt.
  ///
  /// A temporary grant that is given while the client is not in use has already ended.
  ///
  /// - Parameters:
  ///   - choice: The answer; an answer that is not offered changes nothing.
  ///   - precise: The Precise switch, which counts only if the prompt offers it.
  ///   - isInUse: Whether the client is in use.
  ///   - time: The time of the answer, from which the following morning is computed.
  /// - Returns: The effects of the answer.
  package mutating func answered(
    _ choice: PromptChoice,
    precise: Bool,
    isInUse: Bool,
    at time: Timestamp
  ) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard let question, let prompt, prompt.choices.contains(choice) else {
      effects.diagnostics.append(.answerNotOffered)
      return effects
    }
    self.question = nil
    switch question {
    case .whenInUse, .threeOptions:
      if choice != .dontAllow { setAccuracy(precise: precise, offered: prompt.offersPrecise) }
      grant = firstGrant(for: choice, of: question, isInUse: isInUse, at: time)
    case .upgrade:
      grant = choice == .keepWhileUsing ? .whenInUse : .always
    case .confirmation:
      conclude(as: choice == .keepWhileUsing ? .whenInUse : .always, &effects)
    case .temporaryFull(let purpose, let service):
      // A refusal completes without an error: the prompt was shown and answered (row U25).
      isTemporarilyFull = choice == .allow && isInUse
      if service == nil { effects.completions.append(.init(purpose: purpose, error: nil)) }
      if choice == .allow && !isInUse { effects.temporaryFullLapsed = true }
    }
    settle(&effects)
    return effects
  }

  /// The grant of a first prompt (rows A3 to A6, A26, E2 to E7).
  private mutating func firstGrant(
    for choice: PromptChoice,
    of question: Question,
    isInUse: Bool,
    at time: Timestamp
  ) -> Grant {
    switch choice {
    case .dontAllow: return .denied
    case .allow: return .whenInUse
    case .whileUsing:
      return question == .whenInUse(alwaysWanted: true) ? .provisional(Provisional()) : .whenInUse
    case .once:
      guard isInUse else {
        isAlwaysSpent = false
        return .notDetermined
      }
      return .once
    case .untilTomorrow:
      return .untilMorning(timing.nextMorning(after: time, utcOffset: utcOffset))
    case .alwaysAllow, .changeToAlways: return .always
    case .keepWhileUsing: return .whenInUse
    }
  }

  /// Sets the accuracy of a first grant (rows Aa, U28); this answer replaces a temporary accuracy.
  private mutating func setAccuracy(precise: Bool, offered: Bool) {
    guard profile.hasAccuracyAxis else { return }
    isPrecise = offered && precise
    isTemporarilyFull = false
  }
}
