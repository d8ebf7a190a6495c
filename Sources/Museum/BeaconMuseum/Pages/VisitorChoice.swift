// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A choice on the visitor's page: an answer to the guide's question, a setting, or to close and open the guide.
package struct VisitorChoice: Sendable, Equatable {
  /// Its name in the page's form.
  package let name: String
  /// Its words on the page.
  package let label: String
  /// The user's action.
  package let action: UserAction

  /// Returns the present choices: the answers to an open question, otherwise settings.
  package static func offered(_ snapshot: GuideSnapshot, of plan: Plan, in language: String)
    -> [VisitorChoice]
  {
    guard snapshot.isAsked, !snapshot.isOver, !snapshot.isRestricted else { return [] }
    let (phrases, words) = (VisitorPhrases.of(language), ScreenPhrases.of(language))
    guard snapshot.isOpen else {
      let tap = UserAction.tapNotification(region: Guide.arrival.rawValue)
      let welcome = words.welcome.filled(plan.museum[language])
      return (snapshot.isGreeted ? [VisitorChoice("tap", welcome, tap)] : []) + [
        VisitorChoice("open", phrases.openGuide, .foreground)
      ]
    }
    if let prompt = snapshot.prompt {
      return prompt.choices.map { choice in
        VisitorChoice("answer.\(choice.rawValue)", words.answer(choice), .answer(choice))
      }
    }
    let close = VisitorChoice("close", phrases.closeGuide, .background)
    let deny = VisitorChoice("never", words.dontAllow, .settings(authorization: .never))
    let again = VisitorChoice("again", phrases.askAgain, .settings(authorization: .askNextTime))
    switch snapshot.permitted.status {
    case .asking: return []
    case .denied:
      let allow = UserAction.settings(authorization: .whileUsing)
      let name = plan.manifest.appClip ? words.untilTomorrow : words.allowWhileUsing
      return [VisitorChoice("allow", name, allow), again]
    case .reduced:
      // The upgrade for this use needs the museum's reason.
      let place = VisitorChoice("place", phrases.showPlace, .press(control: Guide.placeControl))
      return (plan.manifest.purposes.isEmpty ? [] : [place]) + [
        VisitorChoice("precise", phrases.precise, .settings(precise: true)), deny,
      ]
    case .looking, .outside, .inside:
      return [
        close, VisitorChoice("approximate", phrases.approximate, .settings(precise: false)), deny,
        again,
      ]
    }
  }

  private init(_ name: String, _ label: String, _ action: UserAction) {
    (self.name, self.label, self.action) = (name, label, action)
  }

  /// Returns the action with the switch of a question, which only an answer has.
  package func action(isPrecise: Bool) -> UserAction {
    guard case .answer(let choice, _) = action else { return action }
    return .answer(choice, precise: isPrecise)
  }
}

extension ScreenPhrases {
  /// Returns what an answer is called.
  package func answer(_ choice: PromptChoice) -> String {
    switch choice {
    case .whileUsing: allowWhileUsing
    case .once: allowOnce
    case .dontAllow: dontAllow
    case .keepWhileUsing: keepWhileUsing
    case .changeToAlways: changeToAlways
    case .alwaysAllow: alwaysAllow
    case .allow: allow
    case .untilTomorrow: untilTomorrow
    }
  }

  /// Returns the question of a prompt.
  package func question(_ kind: Prompt.Kind) -> String {
    switch kind {
    case .whenInUse: askWhenInUse
    case .always, .transition: askAlways
    case .temporaryFull: askPrecise
    }
  }
}

extension Plan.ManifestTexts {
  /// Returns the reason of a prompt in a language, since the engine has it only in the language of the start.
  package func reason(of prompt: Prompt, in language: String) -> String {
    let manifest = manifest(in: language)
    return switch prompt.kind {
    case .whenInUse: manifest.whenInUse ?? prompt.text
    case .always, .transition: manifest.alwaysAndWhenInUse ?? prompt.text
    case .temporaryFull: prompt.purpose.flatMap(manifest.purposeText) ?? prompt.text
    }
  }
}
