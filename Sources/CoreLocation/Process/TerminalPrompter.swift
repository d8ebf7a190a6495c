// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons
internal import Dispatch
internal import Glibc

/// Asks the person at the terminal.
struct TerminalPrompter: Prompter {
  /// Whether there is a person to ask.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  func answer(_ prompt: Prompt, for client: ClientID) async -> PromptAnswer? {
    await withCheckedContinuation { continuation in
      // Reading waits for the person, which no thread of the tasks may do.
      DispatchQueue.global().async { continuation.resume(returning: Self.ask(prompt)) }
    }
  }

  private static func ask(_ prompt: Prompt) -> PromptAnswer? {
    var question = "\(ProcessFiles.name): \(title(prompt.kind))\n  “\(prompt.text)”\n"
    for (index, choice) in prompt.choices.enumerated() {
      question += "  \(index + 1) \(label(choice))\n"
    }
    if prompt.offersPrecise { question += "  (a number and '-' turns Precise off)\n" }
    while true {
      FileHandle.standardError.write(Data((question + "? ").utf8))
      guard let line = readLine() else { return nil }
      let isPrecise = !line.contains("-")
      if let number = Int(line.filter(\.isNumber)), prompt.choices.indices.contains(number - 1) {
        return PromptAnswer(prompt.choices[number - 1], precise: isPrecise)
      }
    }
  }

  private static func title(_ kind: Prompt.Kind) -> String {
    switch kind {
    case .whenInUse: "may it use your location?"
    case .always, .transition: "may it use your location even when you do not use it?"
    case .temporaryFull: "may it use your precise location this time?"
    }
  }

  private static func label(_ choice: PromptChoice) -> String {
    switch choice {
    case .whileUsing: "Allow While Using"
    case .once: "Allow Once"
    case .dontAllow: "Don't Allow"
    case .keepWhileUsing: "Keep Only While Using"
    case .changeToAlways: "Change to Always Allow"
    case .alwaysAllow: "Always Allow"
    case .allow: "Allow"
    case .untilTomorrow: "Allow While Using Until Tomorrow"
    }
  }
}
