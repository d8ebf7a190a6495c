// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconMuseum

/// The guide's events as sentences for a visitor.
enum GuideSentence {
  /// Returns the sentence for an event; empty for an event without a sentence.
  static func text(of event: GuideEvent, in language: String) -> String {
    switch event {
    case .status(let status): text(of: status)
    case .room(let room):
      "you are in \(room.name[language])" + (room.major == nil ? "; there are no beacons here" : "")
    case .exhibit(nil): ""
    case .exhibit(let showing?):
      if showing.isAnnounced {
        showing.exhibit.title[language] + (showing.exhibit.text.map { ": \($0[language])" } ?? "")
      } else if showing.isKnown {
        "\(showing.exhibit.title[language]) again"
      } else {
        ""
      }
    }
  }

  /// Returns the sentence for a status.
  static func text(of status: GuideStatus) -> String {
    switch status {
    case .asking: "the guide waits for your permission"
    case .denied: "the guide may not know where you are, and shows nothing"
    case .reduced:
      "location is approximate: the guide shows nothing until precise location is allowed"
    case .looking: "the guide looks for the museum"
    case .outside: "no beacon of the museum is received; the guide rests"
    case .inside: "you are in the museum"
    }
  }
}
