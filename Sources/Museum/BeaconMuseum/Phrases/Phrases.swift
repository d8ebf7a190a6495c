// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The fixed texts of one part of the museum's pages and screens, in one language.
///
/// A glossary page for each language names the form of address, the terms, and the words that no phrase may contain;
/// a test compares every phrase with it.
package protocol Phrases: Sendable {
  /// The language's tag.
  var language: String { get }
  /// Each key with its phrase, in the order of the English table.
  var entries: [(key: String, text: String)] { get }
  /// The phrases in all languages, English first.
  static var all: [Self] { get }
}

extension Phrases {
  /// Returns the phrases of a language, or of the language it is a variety of; English otherwise.
  package static func of(_ language: String) -> Self {
    let tag = language.lowercased()
    let stem = tag.prefix { $0 != "-" }
    return all.first { $0.language == tag } ?? all.first { $0.language == stem } ?? all[0]
  }
}

extension String {
  /// The phrase with values in the places of `{0}`, `{1}` and so on.
  package func filled(_ values: String...) -> String {
    filled { Int($0).flatMap { values[safe: $0] } }
  }

  /// The text with a value in the place of each name in braces, up to the first name without a value.
  package func filled(with value: (Substring) -> String?) -> String {
    var text = ""
    var rest = self[...]
    while let brace = rest.firstIndex(of: "{") {
      text += rest[..<brace]
      rest = rest[brace...]
      guard let end = rest.firstIndex(of: "}"),
        let value = value(rest[rest.index(after: brace)..<end])
      else { break }
      text += value
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }
}

/// All phrases, for whoever looks at every one of them.
package enum PhraseBook {
  /// Returns the phrases of every part in a language.
  package static func all(in language: String) -> [any Phrases] {
    [
      VisitorPhrases.of(language), ScreenPhrases.of(language), OperatorPhrases.of(language),
      ReportPhrases.of(language), EditorPhrases.of(language), FaultPhrases.of(language),
      StartPhrases.of(language),
    ]
  }
}

extension ScreenPhrases {
  /// Returns the name of a proximity; nothing for an unknown one.
  package func name(_ proximity: Proximity) -> String {
    switch proximity {
    case .immediate: immediate
    case .near: near
    case .far: far
    case .unknown: ""
    }
  }
}

extension ScreenPhrases {
  /// Returns the words for a permission.
  package func permission(
    _ status: AuthorizationStatus,
    _ accuracy: AccuracyAuthorization
  ) -> String {
    let precision = accuracy == .full ? precise : approximate
    return switch status {
    case .notDetermined: notAsked
    case .restricted: restricted
    case .denied: denied
    case .authorizedAlways: "\(always), \(precision)"
    case .authorizedWhenInUse: "\(whileUsing), \(precision)"
    }
  }
}

extension OperatorPhrases {
  /// Returns the words for a usage indicator.
  package func name(_ indicator: UsageIndicator.Style) -> String {
    switch indicator {
    case .none: indicatorOff
    case .hollow: indicatorHollow
    case .solid: indicatorSolid
    case .session: indicatorSession
    }
  }
}
