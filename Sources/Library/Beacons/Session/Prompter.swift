// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Asks the user the questions of prompts and returns the answers.
public protocol Prompter: Sendable {
  /// Asks the user.
  ///
  /// On a replay the timeline waits for the answer; on a live source it continues. An answer to a prompt that is not
  /// longer shown is ignored.
  ///
  /// - Parameters:
  ///   - prompt: The prompt, with the question, the client's usage text and the choices.
  ///   - client: The client that asks.
  /// - Returns: The answer; `nil` leaves the prompt open, which a diagnostic reports.
  func answer(_ prompt: Prompt, for client: ClientID) async -> PromptAnswer?
}

/// A user's answer to a prompt.
public struct PromptAnswer: Sendable, Hashable {
  /// The choice that the user made.
  public var choice: PromptChoice
  /// Whether precise location stays on; it matters only if the prompt offers this switch.
  public var precise: Bool

  /// Creates an answer.
  public init(_ choice: PromptChoice, precise: Bool = true) {
    self.choice = choice
    self.precise = precise
  }
}
