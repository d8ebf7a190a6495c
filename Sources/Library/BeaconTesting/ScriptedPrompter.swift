// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons
internal import Synchronization

/// A prompter with scripted answers.
public final class ScriptedPrompter: Prompter {
  private struct State {
    var answers: ArraySlice<PromptAnswer?>
    var prompts: [Prompt] = []
  }

  private let state: Mutex<State>

  /// Creates a prompter that gives these answers in turn.
  ///
  /// - Parameter answers: The answers. `nil` leaves a prompt open, and so does the end of the answers.
  public init(_ answers: [PromptAnswer?]) {
    state = Mutex(State(answers: answers[...]))
  }

  /// Creates a prompter that makes these choices in turn and leaves precise location on.
  public convenience init(_ choices: PromptChoice...) {
    self.init(choices.map { PromptAnswer($0) })
  }

  /// Creates a prompter that makes these choices in turn and leaves precise location on.
  @_disfavoredOverload
  public convenience init(_ choices: [PromptChoice]) {
    self.init(choices.map { PromptAnswer($0) })
  }

  /// The prompts received so far.
  public var prompts: [Prompt] { state.withLock(\.prompts) }

  /// Returns the next answer.
  public func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
    state.withLock { state in
      state.prompts.append(prompt)
      return state.answers.popFirst() ?? nil
    }
  }
}
