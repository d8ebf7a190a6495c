// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What the visitor's page says by itself, in one language.
struct VisitorPhrases: Sendable {
  /// A heading with what it means.
  struct Message: Sendable {
    let title: String
    let text: String
  }

  /// The language's tag.
  let language: String
  /// The language's own name.
  let name: String
  /// Above the room.
  let place: String
  /// Above the exhibit.
  let exhibit: String
  /// Beside the bar.
  let confidence: String
  /// How sure: guess, likely, probable, certain.
  let grades: [String]
  /// What the choice of languages is called.
  let languages: String
  /// Before the first event.
  let waiting: String
  /// Where the stream is lost.
  let lost: String
  /// Where the source has ended.
  let over: String
  /// For a browser without scripts.
  let noScript: String
  /// While nobody has said whether the guide may know.
  let asking: Message
  /// Where it may not.
  let denied: Message
  /// Where it may only roughly.
  let reduced: Message
  /// Where it does not know yet whether the museum is here.
  let looking: Message
  /// Where nothing of the museum is heard.
  let outside: Message
  /// In a room with exhibits, before none.
  let nothingNear: Message
  /// In a room without beacons.
  let emptyRoom: Message

  /// The phrases of a language, or of the language it is a variety of; English where there are none.
  static func of(_ language: String) -> VisitorPhrases {
    let tag = language.lowercased()
    let stem = tag.prefix { $0 != "-" }
    return all.first { $0.language == tag } ?? all.first { $0.language == stem } ?? english
  }

  /// How a language calls itself; its tag where that is not known here.
  static func name(of language: String) -> String {
    let tag = language.lowercased()
    return all.first { $0.language == tag }?.name ?? language
  }

  /// What a grade is called.
  func word(_ grade: ConfidenceGrade) -> String { grades[safe: grade.rawValue - 1] ?? "" }
}
