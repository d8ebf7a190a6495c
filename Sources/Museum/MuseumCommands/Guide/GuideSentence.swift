// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconMuseum

/// The guide's events as sentences for a visitor.
enum GuideSentence {
  /// Returns the sentence for an event; empty for an event without a sentence.
  static func text(of event: GuideEvent, in language: String) -> String {
    let phrases = ScreenPhrases.of(language)
    switch event {
    case .status(let status): return text(of: status, in: language)
    case .room(let room):
      return (room.major == nil ? phrases.bareRoom : phrases.room).filled(room.name[language])
    case .exhibit(nil): return ""
    case .exhibit(let showing?):
      let title = showing.exhibit.title[language]
      if showing.isAnnounced {
        return title + (showing.exhibit.text.map { ": \($0[language])" } ?? "")
      }
      return showing.isKnown ? phrases.again.filled(title) : ""
    case .returned: return phrases.nextVisitor
    }
  }

  /// Returns the sentence for a status.
  static func text(of status: GuideStatus, in language: String) -> String {
    VisitorPhrases.of(language).message(status)?.title ?? ScreenPhrases.of(language).inside
  }
}
