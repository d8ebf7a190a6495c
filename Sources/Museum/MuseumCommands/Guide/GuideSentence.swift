// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
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

  /// Returns the sentence for an event of the engine in the visitor's language; `nil` for one that concerns the operator.
  static func text(of event: Event, in language: String) -> String? {
    let (screen, pages) = (ScreenPhrases.of(language), OperatorPhrases.of(language))
    switch event {
    case .authorization(let status, let accuracy):
      return "\(pages.permission): \(screen.permission(status, accuracy))"
    case .prompt(let prompt): return screen.question(prompt.kind)
    case .indicator(let style): return "\(pages.indicator): \(pages.name(style))"
    case .failure(.denied, _), .failure(.regionMonitoringDenied, _):
      return VisitorPhrases.of(language).deniedTitle
    case .failure, .completion(.monitor, .some): return screen.failed
    case .completion(.temporaryFull, .some): return screen.notOffered
    case .diagnostic(let diagnostic): return text(of: diagnostic, in: language)
    default: return nil
    }
  }

  /// Returns the sentence for a diagnostic; `nil` for one that concerns the operator.
  static func text(of diagnostic: Diagnostic, in language: String) -> String? {
    let screen = ScreenPhrases.of(language)
    let visitor = VisitorPhrases.of(language)
    switch diagnostic {
    case .timeGap: return screen.gap
    case .radio: return visitor.noRadioTitle
    case .authorization(let diagnostic):
      return switch diagnostic {
      case .usageTextMissing(let key), .purposeKeyMissing(let key): screen.noText.filled(key)
      case .authorizationDenied, .servicesOff, .authorizationRestricted: visitor.deniedTitle
      case .authorizationRequestInProgress: screen.stillAsking
      case .insufficientlyInUse: screen.notNow
      case .answerNotOffered, .settingNotOffered, .notificationNotShown: screen.notOffered
      // The guide's status shows the first; its manifest excludes the others.
      case .accuracyLimited, .backgroundModeMissing, .serviceSessionRequired: nil
      }
    default: return nil
    }
  }

  /// Returns the sentence for a status.
  static func text(of status: GuideStatus, in language: String) -> String {
    VisitorPhrases.of(language).message(status)?.title ?? ScreenPhrases.of(language).inside
  }
}
