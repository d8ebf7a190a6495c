// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCommands
internal import BeaconTerminal
internal import BeaconCore
internal import BeaconFormats
internal import BeaconMuseum
internal import Glibc

/// The guide's screen on the terminal: the thin shell around ``GuideScene``.
///
/// It draws and reads keys whenever the run waits: between the inputs of a paced replay, while a question is open, between
/// the batches of a live source. All on the run's own thread.
final class GuideScreen: GuideDisplay, UserTerminal, PlaybackClock, ByteSink {
  /// What is shown.
  var scene: GuideScene { didSet { isStale = true } }
  /// Where the visitor's actions go, once the run has begun.
  private var userActions: RunUserActions?
  /// Whether the visitor has left.
  private(set) var hasEnded = false
  private let terminal: Terminal
  private let clock: any PlaybackClock
  private let glyphs: Glyphs
  private let hasColor: Bool
  private var isStale = true
  private var isAsking = false
  private var answers: [UInt8] = []

  /// The longest time without a look at the terminal.
  private static let patience = TimeSpan.milliseconds(500)

  /// Takes the terminal over; `nil` where there is none.
  init?(_ scene: GuideScene, io: CommandIO, hasColor: Bool) throws {
    guard io.output.isTerminal, let kind = io.environment["TERM"], !kind.isEmpty, kind != "dumb",
      let terminal = Terminal(output: STDOUT_FILENO)
    else { return nil }
    self.scene = scene
    self.terminal = terminal
    self.hasColor = hasColor
    clock = io.clock
    glyphs = Glyphs.glyphs(of: io.environment)
    try terminal.enter()
  }

  /// Gives the terminal back.
  func leave() {
    terminal.leave()
  }

  // MARK: Drawing and keys

  /// Draws what is new, and takes what happens at the terminal.
  func pump(within span: Duration) {
    draw()
    for event in terminal.next(within: span) {
      switch event {
      case .key(let key): press(key)
      case .redraw: isStale = true
      case .woken: break
      case .stop: hasEnded = true
      }
    }
    draw()
  }

  private func draw() {
    guard isStale, !hasEnded else { return }
    isStale = false
    let size = terminal.size
    terminal.draw(
      scene.screen(columns: size.columns, rows: size.rows, glyphs: glyphs),
      hasColor: hasColor
    )
  }

  private func press(_ key: Key) {
    switch key {
    case .character("q"), .control("c"): hasEnded = true
    case .character(let character):
      let letter = Character(character.lowercased())
      if isAsking {
        if let byte = letter.asciiValue { answers.append(byte) }
      } else {
        press(letter)
      }
    default: break
    }
  }

  private func press(_ letter: Character) {
    switch letter {
    case "a": userActions?.add(.settings(authorization: .whileUsing))
    case "o":
      // Settings know no "once": they let the guide ask again, and the answer is given.
      answers.append(UInt8(ascii: "o"))
      userActions?.add(.settings(authorization: .askNextTime))
    case "d": userActions?.add(.settings(authorization: .never))
    case "p": userActions?.add(.settings(precise: scene.accuracy == .reduced))
    case "b":
      scene.isOpen.toggle()
      scene.notification = nil
      userActions?.add(scene.isOpen ? .foreground : .background)
    case "l": scene.turnLanguage()
    default: break
    }
  }

  // MARK: GuideDisplay

  func begin(_ snapshot: ClientSnapshot?, _ userActions: RunUserActions) {
    self.userActions = userActions
    guard let snapshot else { return }
    scene.authorization = snapshot.status
    scene.accuracy = snapshot.accuracy
  }

  func receive(_ delivery: Delivery, to client: String, _ view: GuideView) {
    scene.receive(delivery)
    switch delivery.event {
    case .prompt(let prompt): scene.prompt = PromptText(prompt, of: client)
    case .promptWithdrawn, .authorization, .completion(.temporaryFull, _): scene.prompt = nil
    case .ranged: scene.view = view
    default: break
    }
  }

  func receive(_ event: GuideEvent, _ view: GuideView) {
    scene.view = view
    if case .exhibit(let showing?) = event, !showing.isAnnounced { return }
    scene.show(GuideSentence.text(of: event, in: scene.language))
  }

  func receive(_ batch: ScanBatch, receivers: [String]) {}

  func pump() { pump(within: .zero) }

  // MARK: UserTerminal

  func receiveKeys(_ isWanted: Bool) {
    isAsking = isWanted
    if !isWanted { scene.prompt = nil }
  }

  func key(within patience: Duration) -> UInt8? {
    if answers.isEmpty { pump(within: patience) }
    guard !answers.isEmpty else { return nil }
    let key = answers.removeFirst()
    // The switch of a prompt changes what its line of keys says.
    _ = scene.prompt?.press(key)
    return key
  }

  // MARK: PlaybackClock

  var elapsed: TimeSpan { clock.elapsed }

  func sleep(for span: TimeSpan) {
    let end = clock.elapsed + span
    while !hasEnded {
      let rest = end - clock.elapsed
      guard rest > .zero else { return }
      pump(within: min(rest, Self.patience).duration)
    }
  }

  // MARK: ByteSink

  let isTerminal = false

  /// Takes what the command says to a person while the screen has the terminal.
  func write(_ bytes: [UInt8]) {
    guard scene.prompt == nil else { return }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      scene.show(line.hasPrefix("beaconctl: ") ? String(line.dropFirst(11)) : String(line))
    }
  }
}
