// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The fixed texts of the visitor's page in one language.
package struct VisitorPhrases: Phrases {
  /// A heading and an explanation.
  package struct Message: Sendable {
    package let title: String
    package let text: String
  }

  /// The language's tag.
  package let language: String
  /// The language's name for itself.
  package let name: String
  /// The label above the room.
  package let place: String
  /// The label above the exhibit.
  package let exhibit: String
  /// The label beside the confidence bar.
  package let confidence: String
  /// The names of the confidence grades: guess, likely, probable, certain.
  package let grades: [String]
  /// The label of the language menu.
  package let languages: String
  /// Shown before the first event.
  package let waiting: String
  /// Shown when the stream is lost.
  package let lost: String
  /// Shown when the source has ended.
  package let over: String
  /// Shown in a browser without scripts.
  package let noScript: String
  /// Shown until the visitor has decided whether the guide may use the location.
  package let asking: Message
  /// Shown when the guide may not use the location.
  package let denied: Message
  /// Shown when the guide may know the location only roughly.
  package let reduced: Message
  /// Shown while it is not known whether the visitor is in the museum.
  package let looking: Message
  /// Shown when no beacon of the museum is received.
  package let outside: Message
  /// Shown in a room with exhibits, when the visitor is in front of none.
  package let nothingNear: Message
  /// Shown in a room without beacons.
  package let emptyRoom: Message

  /// Shown where a simulated visitor walks through the museum.
  package let simulated: String
  /// Shown where a recording is played.
  package let replayed: String
  /// The heading of the exhibits that a visitor can open.
  package let others: String
  /// The label of the field for an exhibit's number.
  package let number: String
  /// Opens the exhibit with the number.
  package let open: String
  /// Shown for a number that no exhibit has.
  package let noSuchNumber: String
  /// Shown above an exhibit that the visitor opened.
  package let opened: String
  /// Closes the exhibit that the visitor opened.
  package let follow: String

  /// Returns what to show in a status in which the guide shows no place; `nil` for the one in which it does.
  package func message(_ status: GuideStatus) -> Message? {
    switch status {
    case .asking: asking
    case .denied: denied
    case .reduced: reduced
    case .looking: looking
    case .outside: outside
    case .inside: nil
    }
  }

  /// Returns the note about where a visit comes from; `nil` for a live one.
  package func note(of origin: VisitOrigin) -> String? {
    switch origin {
    case .live: nil
    case .simulated: simulated
    case .recording: replayed
    }
  }

  /// Returns a language's name for itself; its tag if the name is not known here.
  package static func name(of language: String) -> String {
    let tag = language.lowercased()
    return all.first { $0.language == tag }?.name ?? language
  }

  /// Returns the name of a confidence grade.
  package func word(_ grade: ConfidenceGrade) -> String { grades[safe: grade.rawValue - 1] ?? "" }
}

/// Where a visit comes from.
package enum VisitOrigin: Sendable {
  /// From the receivers of this machine.
  case live
  /// From a simulated visitor.
  case simulated
  /// From a recording.
  case recording
}
