// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The fixed texts of the visitor's page in one language.
struct VisitorPhrases: Sendable {
  /// A heading and an explanation.
  struct Message: Sendable {
    let title: String
    let text: String
  }

  /// The language's tag.
  let language: String
  /// The language's name for itself.
  let name: String
  /// The label above the room.
  let place: String
  /// The label above the exhibit.
  let exhibit: String
  /// The label beside the confidence bar.
  let confidence: String
  /// The names of the confidence grades: guess, likely, probable, certain.
  let grades: [String]
  /// The label of the language menu.
  let languages: String
  /// Shown before the first event.
  let waiting: String
  /// Shown when the stream is lost.
  let lost: String
  /// Shown when the source has ended.
  let over: String
  /// Shown in a browser without scripts.
  let noScript: String
  /// Shown until the visitor has decided whether the guide may use the location.
  let asking: Message
  /// Shown when the guide may not use the location.
  let denied: Message
  /// Shown when the guide may know the location only roughly.
  let reduced: Message
  /// Shown while it is not known whether the visitor is in the museum.
  let looking: Message
  /// Shown when no beacon of the museum is received.
  let outside: Message
  /// Shown in a room with exhibits, when the visitor is in front of none.
  let nothingNear: Message
  /// Shown in a room without beacons.
  let emptyRoom: Message

  /// Returns the phrases of a language, or of the language it is a variety of; English if there are none.
  static func of(_ language: String) -> VisitorPhrases {
    let tag = language.lowercased()
    let stem = tag.prefix { $0 != "-" }
    return all.first { $0.language == tag } ?? all.first { $0.language == stem } ?? english
  }

  /// Returns a language's name for itself; its tag if the name is not known here.
  static func name(of language: String) -> String {
    let tag = language.lowercased()
    return all.first { $0.language == tag }?.name ?? language
  }

  /// Returns the name of a confidence grade.
  func word(_ grade: ConfidenceGrade) -> String { grades[safe: grade.rawValue - 1] ?? "" }
}
