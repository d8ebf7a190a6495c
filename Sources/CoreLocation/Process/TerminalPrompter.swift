// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import Dispatch
internal import Glibc

/// Asks the user at the terminal.
struct TerminalPrompter: Prompter {
  /// Whether there is a user to ask.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  func answer(_ prompt: Prompt, for client: ClientID) async -> PromptAnswer? {
    await withCheckedContinuation { continuation in
      // Reading waits for the user, which no thread of the tasks may do.
      DispatchQueue.global().async {
        let question = PromptQuestion(prompt, of: ProcessFiles.name)
        let answer = question.ask(
          write: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) },
          read: { readLine() }
        )
        continuation.resume(returning: answer)
      }
    }
  }
}
