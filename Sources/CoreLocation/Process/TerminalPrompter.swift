// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import Dispatch
internal import Glibc

/// Shows prompts to the user at the terminal.
struct TerminalPrompter: Prompter {
  /// Whether a terminal is there to ask the user.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  func answer(_ prompt: Prompt, for client: ClientID) async -> PromptAnswer? {
    await withCheckedContinuation { continuation in
      // Reading blocks until the user answers, and no thread of the task pool may block.
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
