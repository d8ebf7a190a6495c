// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
package import BeaconTerminal
package import BeaconCore
package import BeaconFormats
package import BeaconMuseum

/// Everything that the guide's screen shows, as a value: the guide's view, the open prompt and the log.
package struct GuideScene: TerminalView {
  /// The museum.
  package let plan: Plan
  /// The visitor's language.
  package var language: String
  /// The guide's values.
  package var view: GuideView
  /// The current time on the timeline; `nil` before it starts.
  package var time: Timestamp?
  /// The authorization that the visitor granted.
  package var authorization = AuthorizationStatus.notDetermined
  /// The accuracy that the visitor granted.
  package var accuracy = AccuracyAuthorization.full
  /// The usage indicator.
  package var indicator = UsageIndicator.Style.none
  /// Whether the guide is open; if it is closed, the screen shows only a notification.
  package var isOpen = true
  /// The open question; `nil` for none.
  package var prompt: ScreenPrompt?
  /// Whether the user answers prompts here, instead of a file or a recording.
  var isAsked = false
  /// Whether the visitor allowed location once before the guide asked.
  ///
  /// Settings cannot do that, so the prompt gets the answer.
  private var allowsOnce = false
  /// The characters for drawings.
  package var glyphs = Glyphs.unicode
  /// The messages, the latest last.
  package private(set) var log: [String] = []
  /// The notification that the machine shows while the guide is closed.
  package var notification: String?
  /// The source of the visit.
  package var origin = VisitOrigin.live
  /// How the clock of the machine goes.
  package var zone = LocalZone.utc
  /// The language with which every visit starts.
  private let firstLanguage: String
  /// The number that the visitor types; empty for none.
  package private(set) var typed = ""
  /// The exhibit that the visitor opened by its number.
  package private(set) var opened: Plan.Exhibit?
  /// Whether the visit has ended, so that nothing more comes.
  private(set) var hasEnded = false

  /// The most messages to keep: as many as a large screen has lines.
  private static let logLimit = 100

  package init(_ plan: Plan, language: String, view: GuideView) {
    self.plan = plan
    self.language = language
    firstLanguage = language
    self.view = view
  }

  /// Adds a message.
  package mutating func show(_ text: String) {
    guard !text.isEmpty else { return }
    log.append(text)
    if log.count > Self.logLimit { log.removeFirst() }
  }

  package mutating func end() {
    hasEnded = true
    prompt = nil
    typed = ""
  }

  // MARK: Deliveries and notices

  /// Shows a delivery to the guide's client, and the guide's view after its answer.
  ///
  /// - Returns: The answer to a prompt, if the visitor has given it in advance.
  package mutating func show(
    _ delivery: Delivery,
    to client: String,
    _ view: GuideView
  ) -> UserAction? {
    _ = pass(to: delivery.time)
    switch delivery.event {
    case .authorization(let status, let accuracy):
      (authorization, self.accuracy, prompt) = (status, accuracy, nil)
    case .prompt(let prompt):
      self.prompt = ScreenPrompt(prompt, of: client, plan)
      return answerOnce()
    case .promptWithdrawn, .completion(.temporaryFull, _): prompt = nil
    case .ranged: self.view = view
    case .indicator(let style): indicator = style
    case .notification:
      if !isOpen { notification = phrases.welcome.filled(plan.museum[language]) }
    case .diagnostic, .failure:
      if let text = GuideSentence.text(of: delivery.event, in: language) { show(text) }
    default: break
    }
    return nil
  }

  /// Shows a notice of the guide.
  package mutating func show(_ notice: GuideEvent, _ view: GuideView) {
    self.view = view
    if case .exhibit(let showing?) = notice, !showing.isAnnounced { return }
    if notice == .returned { return beginAgain() }
    show(GuideSentence.text(of: notice, in: language))
  }

  /// Notes that time has passed on the timeline; returns whether the clock shows another second.
  package mutating func pass(to now: Timestamp) -> Bool {
    guard now > time ?? .earliest else { return false }
    defer { time = now }
    return time.map { $0.microseconds / 1_000_000 != now.microseconds / 1_000_000 } ?? true
  }

  // MARK: Keys

  package mutating func press(_ key: Key) -> TerminalRequest<UserAction>? {
    switch key {
    case .character("q"), .control("c"): return .quit
    case .escape where !typed.isEmpty || opened != nil:
      (typed, opened) = ("", nil)
      return nil
    case .enter where !typed.isEmpty:
      open()
      return nil
    case .backspace where !typed.isEmpty:
      typed.removeLast()
      return nil
    case .character(let digit) where digit.isASCII && digit.isNumber && prompt == nil:
      if typed.count < Self.longestNumber { typed.append(digit) }
      return nil
    case .control("l"): return .redraw
    case .character(let character):
      let letter = character.lowercased()
      // A question can be read in another language too.
      if letter == "l" {
        turnLanguage()
        return nil
      }
      let action = isAsked && prompt != nil ? answer(letter) : settings(letter)
      return action.map { .action($0) }
    default: return nil
    }
  }

  private mutating func answer(_ letter: String) -> UserAction? {
    guard let byte = letter.utf8.first, case .answer(let action)? = prompt?.press(byte) else {
      return nil
    }
    prompt = nil
    return action
  }

  /// The most digits of a number.
  private static let longestNumber = 5

  /// Opens the exhibit whose number was typed: of the visitor's room, if several rooms have the number.
  private mutating func open() {
    let number = Int(typed)
    let found = plan.exhibits.filter { $0.number == number }
    opened = found.first { $0.identity.major == view.room?.major } ?? found.first
    if opened == nil { show(phrases.noSuchNumber.filled(typed)) }
    typed = ""
  }

  /// The phrases in the visitor's language.
  var phrases: ScreenPhrases { ScreenPhrases.of(language) }

  /// Starts again for the next visitor: nothing of this one stays on the screen.
  private mutating func beginAgain() {
    log = []
    notification = nil
    (typed, opened) = ("", nil)
    allowsOnce = false
    language = firstLanguage
    show(phrases.nextVisitor)
  }

  private mutating func answerOnce() -> UserAction? {
    guard allowsOnce else { return nil }
    allowsOnce = false
    return isAsked ? answer("o") : nil
  }

  /// Returns the action of a key that works at any time.
  private mutating func settings(_ letter: String) -> UserAction? {
    switch letter {
    case "a": return .settings(authorization: .whileUsing)
    case "o":
      allowsOnce = true
      return .settings(authorization: .askNextTime)
    case "d": return .settings(authorization: .never)
    case "p": return .settings(precise: accuracy == .reduced)
    case "w": return accuracy == .reduced ? .press(control: Guide.placeControl) : nil
    case "b":
      isOpen.toggle()
      notification = nil
      return isOpen ? .foreground : .background
    case "n":
      guard isOpen else { return nil }
      beginAgain()
      return .nextVisitor
    default: break
    }
    return nil
  }

  /// Switches to the plan's next language.
  package mutating func turnLanguage() {
    guard let index = plan.languages.firstIndex(of: language) else { return }
    language = plan.languages[(index + 1) % plan.languages.count]
  }

  /// Returns the letter and color of a confidence, from A (almost certain) to D (hardly more than a guess).
  package static func grade(_ confidence: Double) -> (letter: String, color: CellStyle.Color) {
    switch ConfidenceGrade(confidence) {
    case .certain: ("A", .green)
    case .probable: ("B", .green)
    case .likely: ("C", .yellow)
    case .guess: ("D", .red)
    }
  }
}
