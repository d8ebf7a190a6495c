// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons
internal import Synchronization

/// A person whose answers are known beforehand.
public final class ScriptedPrompter: Prompter {
  private struct State {
    var answers: ArraySlice<PromptAnswer?>
    var prompts: [Prompt] = []
  }

  private let state: Mutex<State>

  /// Creates a person who gives these answers in turn.
  ///
  /// - Parameter answers: `nil` leaves a prompt open, as does the end of the answers.
  public init(_ answers: [PromptAnswer?]) {
    state = Mutex(State(answers: answers[...]))
  }

  /// Creates a person who makes these choices in turn and leaves precision on.
  public convenience init(_ choices: PromptChoice...) {
    self.init(choices.map { PromptAnswer($0) })
  }

  /// The prompts that were asked so far.
  public var prompts: [Prompt] { state.withLock(\.prompts) }

  /// Returns the next answer.
  public func answer(_ prompt: Prompt, for client: ClientID) async -> PromptAnswer? {
    state.withLock { state in
      state.prompts.append(prompt)
      return state.answers.popFirst() ?? nil
    }
  }
}
