// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CommandTestSupport
import BeaconCore
import BeaconFormats
import Testing

import Beacons

@testable import BeaconCommands

/// What persons are shown, and the meaning of other commands' changes to a run.
@Suite struct UserTextTests {
  private static func prompt(_ choices: [PromptChoice], offersPrecise: Bool = false) -> PromptText {
    PromptText(
      Prompt(
        kind: .whenInUse,
        choices: choices,
        text: "To guide you.",
        offersPrecise: offersPrecise
      ),
      of: "guide"
    )
  }

  /// The choices of every prompt there is, by scenarios.md.
  @Test(arguments: [
    [PromptChoice.whileUsing, .once, .dontAllow], [.keepWhileUsing, .changeToAlways],
    [.allow, .dontAllow], [.whileUsing, .alwaysAllow, .dontAllow], [.keepWhileUsing, .alwaysAllow],
    [.untilTomorrow, .dontAllow],
  ])
  func `each choice has a separate key`(_ choices: [PromptChoice]) {
    let text = Self.prompt(choices)
    let keys = text.keys.matches(of: /\[(\w)\]/).map { String($0.1) }
    #expect(keys.count == choices.count && Set(keys).count == keys.count)
    for (key, choice) in zip(keys, choices) {
      for letter in [key, key.uppercased()] {
        var prompt = text
        #expect(prompt.press(letter.utf8.first ?? 0) == .answer(.answer(choice, precise: true)))
      }
    }
  }

  @Test func `precision is switched before the answer, if it is offered`() {
    var text = Self.prompt([.once, .dontAllow], offersPrecise: true)
    #expect(text.press(UInt8(ascii: "p")) == .changed)
    #expect(text.keys.hasSuffix("precise: off"))
    #expect(text.press(UInt8(ascii: "o")) == .answer(.answer(.once, precise: false)))
    var plain = Self.prompt([.once, .dontAllow])
    for key in [UInt8(ascii: "p"), 0, 4, 27, 255] { #expect(plain.press(key) == .none) }
  }

  @Test func `a change of the file is a user's actions in Settings`() {
    let old = SavedAuthorization(grant: .whenInUse)
    var new = old
    #expect(GrantChange.inputs(from: old, to: new).isEmpty)
    new.alwaysSpent = true
    #expect(GrantChange.inputs(from: old, to: new).isEmpty)
    new.grant = .always
    new.accuracy = .reduced
    new.servicesOn = false
    #expect(
      GrantChange.inputs(from: old, to: new)
        == [.services(on: false), .settings(authorization: .always, precise: false)]
    )
    // What only a prompt can give is never made more of than it is.
    new = SavedAuthorization(grant: .provisionalAlways)
    #expect(
      GrantChange.inputs(from: SavedAuthorization(), to: new) == [
        .settings(authorization: .whileUsing)
      ]
    )
  }

  /// The users of two clients, of which the run has one.
  private final class TwoUsers: RunParticipant {
    private(set) var client: ClientID?
    private(set) var performed: [ClientID?] = []

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      switch moment {
      case .begins:
        client = run.driver?.connect()
        run.client = client
        for name in ["guide", "other", nil] {
          let action = RecordedUserAction(time: .earliest, client: name, input: .background)
          run.schedule(action, of: "guide")
        }
      case .recordedAction(let action): performed.append(action.client)
      default: break
      }
    }
  }

  @Test func `what another client's user does is not performed, and nothing is performed twice`()
    throws
  {
    let user = TwoUsers()
    var run = RunCore(RunEngine(EngineDriver(startingAt: .earliest)), participants: [user])
    try run.begin()
    while try run.advance() != .batch(until: nil) {}
    #expect(user.performed == [user.client, nil])
  }

  @Test func `the status line shows the indicator next to what was read`() {
    let errors = MemorySink(isTerminal: true)
    let clock = FastClock()
    let io = CommandIO(output: MemorySink(), errors: errors, clock: clock)
    let line = StatusLine(io, isWanted: true)
    line.show(.solid, of: "guide")
    #expect(errors.text.isEmpty)
    for style in UsageIndicator.Style.allCases {
      clock.sleep(for: .seconds(2))
      line.show(style, of: "guide")
    }
    line.clear()
    let erased = "\r\u{1B}[K"
    let shown = ["\u{25C7} guide", "\u{25C6} guide", "\u{25C6} guide in the background", ""]
    #expect(errors.text == shown.map { erased + $0 }.joined())
  }
}
