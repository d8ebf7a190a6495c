// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension VisitorPhrases {
  /// A heading and an explanation.
  package struct Message: Sendable {
    package let title: String
    package let text: String
  }

  /// The names of the confidence grades, the lowest first.
  private var grades: [String] { [guess, likely, probable, certain] }
  /// Shown in a room with exhibits, when the visitor is in front of none.
  package var nothingNear: Message { Message(title: nothingNearTitle, text: nothingNearText) }
  /// Shown in a room without beacons.
  package var emptyRoom: Message { Message(title: emptyRoomTitle, text: emptyRoomText) }

  /// Shown when the visitor cannot allow location.
  package var restricted: Message { Message(title: deniedTitle, text: restrictedText) }

  /// Shown while no receiver works.
  package var noRadio: Message { Message(title: noRadioTitle, text: noRadioText) }

  /// Returns what to show in a status in which the guide shows no place; `nil` for the one in which it does.
  package func message(_ status: GuideStatus) -> Message? {
    switch status {
    case .asking: Message(title: askingTitle, text: askingText)
    case .denied: Message(title: deniedTitle, text: deniedText)
    case .reduced: Message(title: reducedTitle, text: reducedText)
    case .looking: Message(title: lookingTitle, text: lookingText)
    case .outside: Message(title: outsideTitle, text: outsideText)
    case .inside: nil
    }
  }

  /// Returns the note about the source of a visit; `nil` for a live one.
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

/// The source of a visit.
package enum VisitOrigin: Sendable {
  /// From the receivers of this machine.
  case live
  /// From a simulated visitor.
  case simulated
  /// From a recording.
  case recording
}
