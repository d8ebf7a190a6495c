// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

/// A prompter with prepared answers: it answers each prompt with the first of its choices that the prompt offers.
struct PreparedAnswers: Prompter {
  private let choices: [PromptChoice]
  private let precise: Bool

  /// Reads choices such as `whileUsing,allow`, separated by commas or white space.
  ///
  /// `imprecise` turns precise location off if a prompt offers that. Text after a `#` in a line is a comment.
  ///
  /// - Throws: ``SetupError`` when a word is not a choice.
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

  func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
    choices.first { prompt.choices.contains($0) }.map { PromptAnswer($0, precise: precise) }
  }
}

/// Warns of a prompt without a possible answer, which stays open.
struct NobodyToAsk: Prompter {
  private let client: String?
  private let write: @Sendable (String) -> Void

  /// Creates a prompter.
  ///
  /// - Parameters:
  ///   - client: The program's name in the account's store; `nil` if it keeps nothing there.
  ///   - write: Writes a line for the user who runs the program.
  init(for client: String?, write: @escaping @Sendable (String) -> Void) {
    (self.client, self.write) = (client, write)
  }

  func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
    let choices = prompt.choices.map(\.rawValue).joined(separator: ", ")
    let grant = self.client.map { ", or grant with: beaconctl auth set whenInUse --client \($0)" }
    write(
      "CoreLocation: a prompt waits, and there is no terminal to answer it; "
        + "set BEACONS_ANSWERS to one of \(choices)\(grant ?? "")"
    )
    return nil
  }
}
