// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import BeaconCore
import Beacons
import Testing

/// Prompts are answered at the time at which they are shown, or stay open and a notice says so.
@Suite(.timeLimit(.minutes(1)))
struct PromptTests {
  @Test func `the prompter's answer is there before the next input`() async throws {
    let user = ScriptedPrompter(.whileUsing)
    let session = BeaconSession(try Museum.source("-*-*-"), prompter: user)
    let client = try await session.connect(Museum.manifest)
    let changes = client.authorizationChanges
    let seconds = try await session.run {
      await client.requestAuthorization(.whenInUse)
      for await change in changes { return (Museum.seconds(change.time), change.status) }
      return (-1, .notDetermined)
    }
    #expect(seconds == (0.000_001, .authorizedWhenInUse))
    #expect(user.prompts.map(\.kind) == [.whenInUse])
    #expect(user.prompts.first?.text == "Shows the rooms.")
  }

  @Test func `without a prompter a prompt stays open, with a diagnostic`() async throws {
    let session = BeaconSession(try Museum.source("-*-*-"))
    let client = try await session.connect(Museum.manifest)
    await client.requestAuthorization(.whenInUse)
    let diagnostics = client.diagnostics
    async let delivered = diagnostics.reduce(into: [ClientDiagnostic]()) { $0.append($1) }
    try await session.run()
    let prompt = try #require(await client.snapshot?.prompt)
    #expect(await delivered == [.promptUnanswered(prompt), .nothingRequested])
  }

  @Test func `without an answer the prompt stays open too`() async throws {
    let session = BeaconSession(try Museum.source("-*-*-"), prompter: ScriptedPrompter())
    let client = try await session.connect(Museum.manifest)
    await client.requestAuthorization(.whenInUse)
    let diagnostics = client.diagnostics
    async let delivered = diagnostics.reduce(into: [ClientDiagnostic]()) { $0.append($1) }
    try await session.run()
    let prompt = try #require(await client.snapshot?.prompt)
    #expect(await delivered == [.promptUnanswered(prompt), .nothingRequested])
  }

  @Test func `who listens to prompts can answer by hand`() async throws {
    let session = BeaconSession(try Museum.source("-*-*-"))
    let client = try await session.connect(Museum.manifest)
    let prompts = client.prompts
    try await session.run {
      await client.requestAuthorization(.whenInUse)
      for await case .shown(let prompt, _) in prompts {
        #expect(prompt.choices.contains(.once))
        await client.answer(.once)
        break
      }
    }
    #expect(await client.snapshot?.status == .authorizedWhenInUse)
  }

  @Test func `a service session requests its goal and reports what prevents it`() async throws {
    let user = ScriptedPrompter(.dontAllow)
    let session = BeaconSession(try Museum.source("-*-*-"), prompter: user)
    let client = try await session.connect(Museum.manifest)
    let last = try await session.run {
      let tour = await client.serviceSession(.whenInUse)
      var last: [ServiceSession.Diagnostic] = []
      for await diagnostics in tour.diagnostics { last = diagnostics }
      return last
    }
    #expect(last == [.authorizationDenied])
    #expect(user.prompts.count == 1)
  }

  @Test func `going to the background ends use after the grace`() async throws {
    let session = BeaconSession(try Museum.source(String(repeating: "*", count: 40)))
    let client = try await session.connect(Museum.manifest, granted: .authorizedWhenInUse)
    try await session.run {
      for await tick in client.ranging(satisfying: Museum.hallRegion.constraint)
      where Museum.seconds(tick.time) == 3 { await client.enterBackground() }
    }
    #expect(await client.snapshot?.isInUse == false)
  }
}

/// A prompt that is shown as lines of text.
struct PromptQuestionTests {
  private let question = PromptQuestion(
    Prompt(
      kind: .whenInUse,
      choices: [.once, .whileUsing, .dontAllow],
      text: "Shows the rooms.",
      offersPrecise: true
    ),
    of: "guide"
  )

  @Test(
    arguments: [
      (["", "x", " w "], PromptAnswer(.whileUsing), 5),
      (["p", "O"], PromptAnswer(.once, precise: false), 4),
      (["pd"], PromptAnswer(.dontAllow, precise: false), 3), (["x"], nil, 4),
      (["no", "nope", "foo", "dw", "wx", "d"], PromptAnswer(.dontAllow), 8),
    ] as [([String], PromptAnswer?, Int)]
  )
  func `a line answers whose letters are keys, and no other word`(
    _ lines: [String],
    _ answer: PromptAnswer?,
    _ shown: Int
  ) {
    var (question, rest) = (self.question, lines[...])
    var written: [String] = []
    let result = question.ask(write: { written.append($0) }, read: { rest.popFirst() })
    #expect(result == answer)
    #expect(written.count == shown)
    #expect(
      written.prefix(2) == [
        "guide asks to know of beacons while it is in use:",
        "  in its words: \"Shows the rooms.\"",
      ]
    )
  }
}
