// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A prompt as a person at a terminal sees it, and the keys that answer it.
package struct PromptText {
  private let prompt: Prompt
  private let client: String
  /// Whether the answer will allow precision, which only some prompts let a person turn off.
  package private(set) var isPrecise = true

  package init(_ prompt: Prompt, of client: String) {
    self.prompt = prompt
    self.client = client
  }

  /// The longest text of a client that is shown, three lines of a terminal.
  package static let longestText = 240

  /// The question, the client's own words as a quotation, and the line of keys.
  package var lines: [String] {
    let client = client.printable
    let question =
      switch prompt.kind {
      case .whenInUse: "\(client) asks to know of beacons while it is in use:"
      case .always: "\(client) asks to know of beacons at any time:"
      case .transition: "\(client) has known of beacons while in use, and asks for always:"
      case .temporaryFull: "\(client) asks for precision, for this use:"
      }
    return [question, "  in its words: \(prompt.text.quotation(upTo: Self.longestText))", keys]
  }

  /// The keys and their actions, in a line.
  package var keys: String {
    var keys = prompt.choices.map { "[\(Self.key(of: $0))] \(Self.text(of: $0))" }
    if prompt.offersPrecise { keys.append("[p] precise: \(isPrecise ? "on" : "off")") }
    return "  " + keys.joined(separator: "   ")
  }

  /// The effect of a key.
  package enum Outcome: Equatable {
    /// The prompt is answered.
    case answer(UserAction)
    /// The keys have to be shown again.
    case changed
    /// The key means nothing here.
    case none
  }

  /// Takes a key.
  package mutating func press(_ key: UInt8) -> Outcome {
    let letter = Character(Unicode.Scalar(key)).lowercased()
    if prompt.offersPrecise, letter == "p" {
      isPrecise.toggle()
      return .changed
    }
    guard let choice = prompt.choices.first(where: { Self.key(of: $0) == letter }) else {
      return .none
    }
    return .answer(.answer(choice, precise: isPrecise))
  }

  /// The key of an answer.
  package static func key(of choice: PromptChoice) -> String {
    switch choice {
    case .whileUsing: "w"
    case .once: "o"
    case .dontAllow: "d"
    case .keepWhileUsing: "k"
    case .changeToAlways: "c"
    case .alwaysAllow, .allow: "a"
    case .untilTomorrow: "t"
    }
  }

  private static func text(of choice: PromptChoice) -> String {
    switch choice {
    case .whileUsing: "allow while using"
    case .once: "allow once"
    case .dontAllow: "don't allow"
    case .keepWhileUsing: "keep while using"
    case .changeToAlways: "change to always"
    case .alwaysAllow: "always allow"
    case .allow: "allow"
    case .untilTomorrow: "allow until tomorrow"
    }
  }
}
