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
  ///   - client: The client that asks, with its name.
  /// - Returns: The answer; `nil` leaves the prompt open, which a diagnostic reports.
  func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer?
}

/// Receives messages for the user who runs a program; a session calls it in any thread, and it must not wait.
public typealias SessionLog = @Sendable (_ level: LogLevel, _ message: String) -> Void

/// How important a message of a session is.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
  /// Something that was expected happened.
  case info
  /// The program gets less than it asked for, or may not see why.
  case warning
  /// The run ended because of a fault.
  case error
}

/// A prompter made of a closure.
public struct ClosurePrompter: Prompter {
  private let ask: @Sendable (Prompt, BeaconClient) async -> PromptAnswer?

  /// Creates a prompter that calls a closure for each prompt; the closure returns `nil` to leave the prompt open.
  public init(_ ask: @escaping @Sendable (Prompt, BeaconClient) async -> PromptAnswer?) {
    self.ask = ask
  }

  /// Asks the user.
  public func answer(_ prompt: Prompt, for client: BeaconClient) async -> PromptAnswer? {
    await ask(prompt, client)
  }
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
