// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Puts prompts to a person and brings back the answers.
public protocol Prompter: Sendable {
  /// Asks a person.
  ///
  /// On a replay the timeline waits for the answer; live it goes on. An answer to a prompt that no longer shows is
  /// dropped.
  ///
  /// - Parameters:
  ///   - prompt: The question, the client's words and the choices.
  ///   - client: Who asks.
  /// - Returns: The answer; `nil` leaves the prompt open, and a diagnostic says so.
  func answer(_ prompt: Prompt, for client: ClientID) async -> PromptAnswer?
}

/// A person's answer to a prompt.
public struct PromptAnswer: Sendable, Hashable {
  /// The choice.
  public var choice: PromptChoice
  /// Whether precision is left on; it counts only where the prompt offers the switch.
  public var precise: Bool

  /// Creates an answer.
  public init(_ choice: PromptChoice, precise: Bool = true) {
    self.choice = choice
    self.precise = precise
  }
}
