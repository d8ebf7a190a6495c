// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTerminal
import BeaconCore
import BeaconTestSupport
import Foundation
import Testing

@testable import BeaconCommands

/// A run on behalf of a client: its grants, its prompts, its messages about limits.
@Suite struct ClientRunTests {
  /// Someone who presses keys at a terminal.
  final class Keys: UserTerminal {
    private var keys: [UInt8]
    private(set) var taken: [Bool] = []
    var hasEnded: Bool { keys.isEmpty }

    init(_ keys: String) {
      self.keys = Array(keys.utf8)
    }

    func receiveKeys(_ isWanted: Bool) { taken.append(isWanted) }
    func key(within patience: Duration) -> UInt8? { keys.isEmpty ? nil : keys.removeFirst() }
  }

  private let folder: ScratchFolder
  private let manifest: String

  init() throws {
    folder = try ScratchFolder()
    manifest = try folder.write("{ whenInUse: \"To guide you.\" }", to: "manifest.json5")
  }

  private func run(
    _ command: String = "monitor",
    _ words: [String] = [],
    manifest: String? = nil,
    user: Keys? = nil
  ) -> CommandRun {
    let gallery = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
    return CommandRun(
      [
        command, "--from", CommandRun.capture("walk.btsnoop"), "--client", "guide",
        "--manifest", manifest ?? self.manifest, "--format", "jsonl",
      ] + (command == "range" ? ["-s", gallery] : ["-r", "gallery=" + gallery]) + words,
      environment: ["XDG_STATE_HOME": folder.url.path],
      user: user
    )
  }

  private func answers(_ text: String) throws -> [String] {
    ["--answers", try folder.write(text, to: "answers.json5")]
  }

  @discardableResult
  private func auth(_ words: String...) -> String {
    CommandRun(["auth"] + words, environment: ["XDG_STATE_HOME": folder.url.path]).output
  }

  @Test func `a recording of user actions replays to the events of its run`() throws {
    let recordings = ProjectFiles.fixtures.appending(path: "recordings")
    let run = CommandRun(
      [
        "monitor", "--from", recordings.appending(path: "user-actions.jsonl").path,
        "-r", "hall=2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", "--client", "guide",
        "--manifest",
        try folder.write(
          #"{ whenInUse: "To name what is in front of you." }"#,
          to: "guide.json5"
        ), "--format", "jsonl",
      ],
      environment: ["XDG_STATE_HOME": folder.url.path]
    )
    let events = recordings.appending(path: "user-actions.events.jsonl")
    #expect(run.code == .done)
    #expect(run.output == (try String(contentsOf: events, encoding: .utf8)))
  }

  @Test(arguments: ["range", "monitor"])
  func `without a grant and a terminal it ends, and names what grants`(_ command: String) {
    let run = run(command)
    #expect(run.code == .notPermitted)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("beaconctl auth set whenInUse --client guide"))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func `a stored grant is enough, and the client then receives what the operator receives`() {
    auth("set", "whenInUse", "--client", "guide")
    let client = run("range")
    #expect(client.code == .done && client.errors.isEmpty)
    let ranged = client.lines.filter { $0.contains("\"ranged\"") }
    let gallery = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
    let all = CommandRun([
      "range", "--from", CommandRun.capture("walk.btsnoop"), "-s", gallery, "--format", "jsonl",
    ])
    let renamed = ranged.map { String($0).replacing("guide", with: "operator") }
    #expect(renamed == all.lines.map { String($0) })
  }

  /// Row C37.
  @Test func `answers come at their time, and a replay keeps them only in a store named for it`()
    throws
  {
    let answers = try answers(
      "[ { at: 4, input: 'answer', choice: 'whileUsing' }, { at: 9, input: 'settings', precise: false } ]"
    )
    let run = run("range", answers)
    #expect(run.code == .done)
    let ticks = run.lines.filter { $0.contains("\"ranged\"") }
    #expect(ticks.first?.contains("10:00:05.000000Z") == true)
    #expect(ticks.last?.contains("10:00:09.000000Z") == true)
    #expect(
      run.errors
        == "beaconctl: approximate: beacons and regions are off for guide;"
        + " 'beaconctl auth precise on --client guide' changes it\n"
    )
    #expect(!FileManager.default.fileExists(atPath: folder.path("beacons")))
    #expect(self.run("range", answers).output == run.output)
  }

  @Test(arguments: [
    ("set denied --client guide", "denied: "), ("services off", "services off: "),
    ("precise off --client guide", "approximate: "),
  ])
  func `a limit is reported once, with the command that changes it`(
    _ change: String,
    _ limit: String
  ) {
    auth("set", "whenInUse", "--client", "guide")
    _ = CommandRun(
      ["auth"] + change.split(separator: " ").map(String.init),
      environment: ["XDG_STATE_HOME": folder.url.path]
    )
    let run = run()
    #expect(run.code == .done)
    #expect(run.errors.hasPrefix("beaconctl: \(limit)beacons and regions are off"))
    #expect(run.errors.contains("'beaconctl auth "))
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(run.lines.allSatisfy { !$0.contains("inside") })
    #expect(self.run("monitor", ["-q"]).errors.isEmpty)
  }

  @Test func `out of use is shown, and back in use is not`() throws {
    let run = run(
      "monitor",
      try answers(
        "[{ at: 1, input: 'answer', choice: 'whileUsing' }, { at: 3, input: 'background' },"
          + " { at: 20, input: 'foreground' }]"
      )
    )
    #expect(run.errors.split(separator: "\n").map { $0.prefix(22) } == ["beaconctl: not in use:"])
  }

  @Test(arguments: [("whenInUse", "on"), ("whenInUse", "off"), ("denied", "on")])
  func `a summary counts the client's permission`(_ grant: String, _ precise: String) {
    auth("set", grant, "--client", "guide")
    auth("precise", precise, "--client", "guide")
    let summary = run("range", ["--summary"]).errors.split(separator: "\n").last ?? ""
    let isFull = grant != "denied" && precise == "on"
    let counts = isFull ? "\"reports\":688,\"beacons\":3," : "\"reports\":null,\"beacons\":null,"
    #expect(summary.contains(counts))
    for key in ["rejected", "dropped"] { #expect(summary.contains("\"\(key)\":null") != isFull) }
  }

  @Test func `while its question is open, a client learns no counts`() throws {
    for command in ["range", "monitor"] {
      let run = run(command, try answers("[]") + ["--summary", "-v"])
      #expect(run.errors.contains(#""reports":null,"beacons":null,"#), "\(run.errors)")
      #expect(!run.errors.contains("records"), "\(run.errors)")
    }
  }

  /// A flipped byte, or a choice of a later version: the user may not have allowed it.
  @Test func `a recorded permission that is not understood counts as denied`() throws {
    let lines = try String(
      contentsOfFile: ProjectFiles.fixtures.appending(path: "clocks/right.jsonl").path,
      encoding: .utf8
    )
    .split(separator: "\n").map(String.init)
    let state =
      #"{"v":1,"type":"user","t":"2026-03-01T09:00:00.000000Z","client":"guide","input":"state","authorization":"always","until":null,"accuracy":"full","always_spent":false,"confirmation_due":false,"services":true,"restricted":false}"#
    func ticks(_ state: String) throws -> Int {
      let path = try folder.write(
        ([lines[0], state] + lines.dropFirst()).joined(separator: "\n") + "\n",
        to: "r.jsonl"
      )
      let run = CommandRun(
        [
          "range", "--from", path, "-s", "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--client",
          "guide", "--format", "jsonl",
        ],
        environment: ["XDG_STATE_HOME": folder.url.path]
      )
      return run.lines.count { $0.contains(#""type":"ranged""#) }
    }
    #expect(try ticks(state) > 10)
    #expect(try ticks(state.replacing("always\",\"until", with: "alwayz\",\"until")) == 0)
  }

  @Test func `a recording with a client reports that it keeps everything`() {
    auth("set", "denied", "--client", "guide")
    let errors = run("range", ["--record", folder.path("all.jsonl")]).errors
    #expect(
      errors.contains("--record keeps everything that is received, also if guide does not get it")
    )
    #expect(errors.split(separator: "\n").count == 2)
  }

  @Test func `a missing usage text is a diagnostic that names its key`() throws {
    let empty = try folder.write("{}", to: "empty.json5")
    let run = run("monitor", try answers("[]"), manifest: empty)
    #expect(run.code == .done)
    #expect(run.output.contains("\"code\":\"usageTextMissing\",\"key\":\"whenInUse\""))
    #expect(!run.output.contains("\"prompt\"") && !run.output.contains("inside"))
    #expect(self.run(manifest: empty).errors.contains("its manifest has no text 'whenInUse'"))
  }

  @Test func `the prompt is shown at a terminal, and one key answers`() {
    let user = Keys("xw")
    let store = ["--state", folder.path("store")]
    let run = run("monitor", store, user: user)
    #expect(run.code == .done)
    #expect(
      run.errors == """
        beaconctl: guide asks to know of beacons while it is in use:
        beaconctl:   in its words: "To guide you."
        beaconctl:   [w] allow while using   [o] allow once   [d] don't allow   [p] precise: on

        """
    )
    #expect(user.taken == [true, false])
    #expect(run.output.contains("\"authorizedWhenInUse\"") && run.output.contains("\"inside\""))
    // A user is not asked again if the replay was given a store; it changes no other.
    let second = self.run("monitor", store)
    #expect(second.code == .done && second.errors.isEmpty)
    #expect(self.run().code == .notPermitted)
    #expect(!FileManager.default.fileExists(atPath: folder.path("beacons/clients")))
  }

  @Test func `a user may refuse, give less, or leave`() {
    #expect(run(user: Keys("d")).errors.contains("denied: beacons and regions are off"))
    auth("reset", "--client", "guide")
    #expect(run(user: Keys("pw")).errors.contains("approximate: beacons and regions are off"))
    auth("reset", "--client", "guide")
    let left = run(user: Keys("x"))
    #expect(left.code == .done && !left.output.contains("inside"))
  }

  @Test func `an answer at a terminal is recorded and replayed`() throws {
    let recording = folder.path("run.jsonl")
    let first = run("range", ["--record", recording], user: Keys("o"))
    #expect(first.output.contains("\"ranged\""))
    for state in ["denied", "always"] {
      auth("set", state, "--client", "guide")
      let again = CommandRun(
        [
          "range", "--from", recording, "--client", "guide", "--manifest", manifest, "-s",
          "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "--format", "jsonl",
        ],
        environment: ["XDG_STATE_HOME": folder.url.path]
      )
      #expect(again.output == first.output)
      #expect(
        auth("status", "--client", "guide").contains(
          state == "always" ? "authorizedAlways" : "denied"
        )
      )
    }
    let copy = folder.path("copy.jsonl")
    #expect(CommandRun(["convert", recording, copy]).code == .done)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: copy))
        == Data(contentsOf: URL(fileURLWithPath: recording))
    )
  }

  @Test func `every fault of an answers file is reported with its position`() throws {
    let run = run(
      "monitor",
      try answers(
        """
        [ { at: 1, input: 'answer', choice: 'whileUsng' },
          { at: -1, input: 'foreground' },
          { at: 2, input: 'report' },
          { at: 3, input: 'background', client: 'other' } ]
        """
      )
    )
    #expect(run.code == .badData)
    let places = run.errors.split(separator: "\n").compactMap {
      $0.firstMatch(of: /answers.json5:(\d+):/)?.1
    }
    #expect(places == ["1", "2", "3", "4"])
  }

  @Test func `the operator needs no grants`() {
    for words in [["--manifest", manifest], ["--answers", manifest]] {
      let run = CommandRun(
        [
          "range", "--from", CommandRun.capture("walk.btsnoop"), "-s",
          "F7826DA6-4FA2-4E98-8024-BC5B71E0893E",
        ] + words
      )
      #expect(run.code == .usage && run.errors.contains("--client"))
    }
  }

  @Test func `an enter policy is a constant`() {
    let gallery = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
    func enters(_ words: [String]) -> [String] {
      let run = CommandRun(
        ["monitor", "--from", CommandRun.capture("walk.btsnoop"), "-r", "gallery=\(gallery)/1/1"]
          + words
      )
      #expect(run.code == .done, "\(run.errors)")
      return run.lines.filter { $0.contains("\"inside\"") || $0.contains("enter") }.map {
        String($0)
      }
    }
    let first = enters([])
    #expect(!first.isEmpty)
    #expect(enters(["--set", "region.enter.sightings=5"]) != first)
    #expect(enters(["--set", "region.enter.rssiFloor=-60"]) != first)
    #expect(enters(["--set", "region.enter.rssiFloor=-20"]).isEmpty)
    #expect(
      enters(["--set", "region.enter.sightings=1", "--set", "region.enter.rssiFloor=-128"]) == first
    )
    let list = CommandRun(["config", "list", "--format", "json"]).output
    for key in ["sightings", "rssiFloor", "window"] {
      #expect(list.contains("\"region.enter.\(key)\""))
    }
  }
}
