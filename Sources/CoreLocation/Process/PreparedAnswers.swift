// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// A person whose mind is made up: of the words given, a prompt gets the first that it offers.
struct PreparedAnswers: Prompter {
  private let choices: [PromptChoice]
  private let precise: Bool

  /// Reads choices such as `whileUsing,allow`, between commas or white space.
  ///
  /// `imprecise` turns precision off where a prompt offers that. What follows a `#` in a line is a remark.
  ///
  /// - Throws: ``SetupError`` when a word is no choice.
  init(_ text: String) throws {
    var choices: [PromptChoice] = []
    var precise = true
    let words = text.split(whereSeparator: \.isNewline)
      .flatMap { $0.prefix { $0 != "#" }.split { $0 == "," || $0.isWhitespace } }
    for word in words {
      if word == "imprecise" {
        precise = false
      } else if let choice = PromptChoice(rawValue: String(word)) {
        choices.append(choice)
      } else {
        let names = PromptChoice.allCases.map(\.rawValue).joined(separator: ", ")
        throw SetupError("BEACONS_ANSWERS: '\(word)' is none of \(names), imprecise")
      }
    }
    (self.choices, self.precise) = (choices, precise)
  }

  func answer(_ prompt: Prompt, for client: ClientID) async -> PromptAnswer? {
    choices.first { prompt.choices.contains($0) }.map { PromptAnswer($0, precise: precise) }
  }
}
