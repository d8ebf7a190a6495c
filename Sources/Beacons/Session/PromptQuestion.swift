// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// Asks a prompt in lines of text until one of them is an answer.
///
/// The commands ask in the same words and with the same keys.
package struct PromptQuestion {
  private let prompt: Prompt
  private let client: String

  package init(_ prompt: Prompt, of client: String) {
    self.prompt = prompt
    self.client = client
  }

  /// Asks and waits for the answer, which blocks: call it on a thread of its own.
  ///
  /// Each letter of a line is a key; other letters and lines are passed over, and what has changed is shown again.
  ///
  /// - Parameters:
  ///   - write: Shows a line.
  ///   - read: Reads a line; `nil` at the end of what can be read.
  /// - Returns: The answer; `nil` where nothing more can be read.
  package func ask(write: (String) -> Void, read: () -> String?) -> PromptAnswer? {
    var text = PromptText(prompt, of: client)
    for line in text.lines { write(line) }
    while let line = read() {
      for key in line.utf8 {
        switch text.press(key) {
        case .answer(.answer(let choice, let precise)):
          return PromptAnswer(choice, precise: precise)
        case .changed: write(text.keys)
        case .answer, .none: continue
        }
      }
    }
    return nil
  }
}
