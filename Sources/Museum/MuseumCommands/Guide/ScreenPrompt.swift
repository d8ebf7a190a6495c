// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconCore
internal import BeaconFormats
package import BeaconMuseum

/// A question of the guide, in the language that the screen has while it is open.
package struct ScreenPrompt: Sendable {
  private let prompt: Prompt
  private let plan: Plan
  private var text: PromptText

  package init(_ prompt: Prompt, of client: String, _ plan: Plan) {
    self.prompt = prompt
    self.plan = plan
    text = PromptText(prompt, of: client)
  }

  /// The question, then the museum's own reason.
  func lines(in language: String) -> [String] {
    let phrases = ScreenPhrases.of(language)
    let question = phrases.question(prompt.kind)
    let reason = plan.manifest.reason(of: prompt, in: language)
    return [question, reason.quotation(upTo: PromptText.longestText)]
  }

  /// The keys and their actions.
  func keys(in language: String) -> [String] {
    let phrases = ScreenPhrases.of(language)
    var keys = prompt.choices.map { "[\(PromptText.key(of: $0))] \(phrases.answer($0))" }
    if prompt.offersPrecise {
      keys.append("[p] \(text.isPrecise ? phrases.preciseOn : phrases.preciseOff)")
    }
    return keys
  }

  /// Handles a key.
  ///
  /// In the guide's settings `a` allows while using. If no answer has this key, it means the same here.
  mutating func press(_ key: UInt8) -> PromptText.Outcome {
    let keys = prompt.choices.map { PromptText.key(of: $0) }
    let isAllowing = key == UInt8(ascii: "a") || key == UInt8(ascii: "A")
    guard isAllowing, !keys.contains("a"),
      let allow = prompt.choices.first(where: { [.whileUsing, .untilTomorrow].contains($0) }),
      let letter = PromptText.key(of: allow).utf8.first
    else { return text.press(key) }
    return text.press(letter)
  }
}
