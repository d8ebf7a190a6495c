// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconFormats

/// A prompt as lines of text, which lines of a user answer.
///
/// The commands use the same text and the same keys.
package struct PromptQuestion {
  private var text: PromptText

  package init(_ prompt: Prompt, of client: String) {
    text = PromptText(prompt, of: client)
  }

  /// The question, and the line of keys.
  package var lines: [String] { text.lines }

  /// The effect of a user's line.
  package enum Reply: Equatable {
    /// It answers.
    case answer(PromptAnswer)
    /// It does not; show this line of keys.
    case again(String)
  }

  /// Takes a line.
  ///
  /// It answers if each of its letters is a key and the last one is an answer. So no word answers that happens to hold
  /// such a letter, as the "o" of "no" would allow once.
  package mutating func take(_ line: String) -> Reply {
    var trial = text
    let keys = line.utf8.filter { $0 > UInt8(ascii: " ") }
    for (index, key) in keys.enumerated() {
      switch trial.press(key) {
      case .answer(.answer(let choice, let precise)) where index == keys.count - 1:
        return .answer(PromptAnswer(choice, precise: precise))
      case .changed: continue
      case .answer, .none: return .again(text.keys)
      }
    }
    text = trial
    return .again(text.keys)
  }

  /// Asks and waits for the answer.
  ///
  /// This blocks: call it on a separate thread. After each line that does not answer, the keys are shown again.
  ///
  /// - Parameters:
  ///   - write: Shows a line.
  ///   - read: Reads a line; `nil` at the end of the input.
  /// - Returns: The answer; `nil` if the input ended before an answer.
  package mutating func ask(write: (String) -> Void, read: () -> String?) -> PromptAnswer? {
    for line in lines { write(line) }
    while let line = read() {
      switch take(line) {
      case .answer(let answer): return answer
      case .again(let keys): write(keys)
      }
    }
    return nil
  }
}
