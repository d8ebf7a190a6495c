// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// Shows a prompt as lines of text and reads lines until one of them is an answer.
///
/// The commands use the same text and the same keys.
package struct PromptQuestion {
  private let prompt: Prompt
  private let client: String

  package init(_ prompt: Prompt, of client: String) {
    self.prompt = prompt
    self.client = client
  }

  /// Asks and waits for the answer.
  ///
  /// This blocks: call it on a separate thread.
  ///
  /// Each letter of a line is a key; letters without a meaning are ignored. When a key changes a choice, the keys are
  /// shown again.
  ///
  /// - Parameters:
  ///   - write: Shows a line.
  ///   - read: Reads a line; `nil` at the end of the input.
  /// - Returns: The answer; `nil` if the input ended before an answer.
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
