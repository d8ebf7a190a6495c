// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AuthorizationMachine {
  /// The prompt that is showing.
  package var prompt: Prompt? { question.map(prompt(asking:)) }

  /// Shows a question; the guards have been passed.
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
    if isAppClip { return [.untilTomorrow, .dontAllow] }
    if profile.hasTemporaryGrants { return [.whileUsing, .once, .dontAllow] }
    return [.allow, .dontAllow]
  }

  /// The showing prompt was answered.
  ///
  /// A temporary grant that is answered out of use has lapsed before it began.
  ///
  /// - Parameters:
  ///   - choice: The answer; one that is not offered changes nothing.
  ///   - precise: The precise switch, which counts only where the prompt offers it.
  ///   - isInUse: Whether the client is in use.
  ///   - time: When the answer came; the following morning counts from here.
  /// - Returns: What the answer brings about.
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
      if choice != .dontAllow { landAccuracy(precise: precise, offered: prompt.offersPrecise) }
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

  /// The accuracy with which a first grant lands (rows Aa, U28); what was temporary gives way to what was said now.
  private mutating func landAccuracy(precise: Bool, offered: Bool) {
    guard profile.hasAccuracyAxis else { return }
    isPrecise = offered && precise
    isTemporarilyFull = false
  }
}
