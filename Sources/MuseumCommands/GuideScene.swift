// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconTerminal
package import BeaconCore
package import BeaconFormats
package import BeaconMuseum

/// All that the guide's screen shows, as a value: what the guide knows, what the visitor is asked, what was said.
package struct GuideScene: Sendable {
  /// The museum.
  package let plan: Plan
  /// The visitor's language.
  package var language: String
  /// What the guide shows.
  package var view: GuideView
  /// Where the timeline stands; `nil` before it began.
  package var time: Timestamp?
  /// What the visitor granted.
  package var authorization = AuthorizationStatus.notDetermined
  /// How precisely.
  package var accuracy = AccuracyAuthorization.full
  /// The usage indicator.
  package var indicator = UsageIndicator.Style.none
  /// Whether the guide is open; closed it shows nothing but a notification.
  package var isOpen = true
  /// The question that is open; `nil` for none.
  package var prompt: PromptText?
  /// What happened, the latest last.
  package private(set) var log: [String] = []
  /// What the machine showed while the guide was closed.
  package var notification: String?

  /// As many lines as a large screen has.
  private static let logLimit = 100

  package init(_ plan: Plan, language: String, view: GuideView) {
    self.plan = plan
    self.language = language
    self.view = view
  }

  /// Adds a line of what happened.
  package mutating func show(_ text: String) {
    guard !text.isEmpty else { return }
    log.append(text)
    if log.count > Self.logLimit { log.removeFirst() }
  }

  /// Takes what the engine told.
  package mutating func receive(_ delivery: Delivery) {
    time = delivery.time
    switch delivery.event {
    case .authorization(let status, let accuracy):
      (authorization, self.accuracy) = (status, accuracy)
      show(EventSentence.text(of: delivery.event))
    case .indicator(let style): indicator = style
    case .notification:
      if !isOpen { notification = "Welcome to \(plan.museum[language])" }
    case .diagnostic, .failure: show(EventSentence.text(of: delivery.event))
    default: break
    }
  }

  /// Goes on to the plan's next language.
  package mutating func turnLanguage() {
    guard let index = plan.languages.firstIndex(of: language) else { return }
    language = plan.languages[(index + 1) % plan.languages.count]
  }

  /// How sure the guide is, by a letter: A almost certain, D hardly more than a guess.
  package static func grade(_ confidence: Double) -> (letter: String, color: CellStyle.Color) {
    switch ConfidenceGrade(confidence) {
    case .certain: ("A", .green)
    case .probable: ("B", .green)
    case .likely: ("C", .yellow)
    case .guess: ("D", .red)
    }
  }
}
