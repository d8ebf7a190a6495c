// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

/// Hostile text in configurations, manifests, answers, scenarios, plans, stores, arguments and the environment.
@Suite struct HostileSettingsTests {
  private let hostile: HostileText
  private var folder: ScratchFolder { hostile.folder }
  private static let walk = CommandRun.capture("walk.btsnoop")
  private static let uuid = HostileText.uuid

  init() throws { hostile = try HostileText() }

  /// Each version of a text in which one of its quoted texts, or one of its first keys, is hostile.
  private static func mutations(of text: String, keys: Int = 12) -> [String] {
    let keys = text.matches(of: /[A-Za-z0-9]+(?=: )/).prefix(keys).map { match in
      text.replacingCharacters(in: match.range, with: "\"\(HostileText.hostileJSON)\"")
    }
    return HostileText.mutations(of: text) + keys
  }

  @Test(.slow) func `no text of a configuration reaches an output as it is`() throws {
    let text = """
      {
        profile: "default",
        set: { "ranging.filter": "kalman" },
        beacons: { "\(Self.uuid)/1/1": "Astrolabe", "\(Self.uuid)/1/2": "Clock" },
        output: { piped: "csv" },
        regions: { "lobby": { exit: 8 } },
        calibration: { beacons: { "\(Self.uuid)": -61 }, receivers: { "hci0": -3 } },
      }
      """
    for (index, text) in Self.mutations(of: text).enumerated() {
      let path = try folder.write(text, to: "config.json5")
      let about = "the configuration \(index)"
      let config = ["--config", path]
      hostile.check(["config", "check", path], about)
      for format in ["table", "json"] {
        hostile.check(["config", "show", "--format", format] + config, about)
      }
      hostile.check(["name"] + config, about)
      let out = folder.path("new.json5")
      let from = ["--from", Self.walk] + config
      hostile.check(["scan"] + from + ["--format", "table"], about)
      hostile.check(["range"] + from + ["-s", Self.uuid, "--format", "jsonl"], about)
      hostile.check(["range"] + from + ["-s", Self.uuid, "--format", "table"], about)
      hostile.check(["monitor"] + from + ["-r", "lobby=\(Self.uuid)", "--format", "table"], about)
      hostile.check(["monitor"] + from + ["-r", "lobby=\(Self.uuid)", "--format", "csv"], about)
      hostile.check(
        ["calibrate", "--from", Self.walk, "-b", "\(Self.uuid)/1/1", "--write", out],
        files: [out],
        about
      )
    }
  }

  @Test func `a beacon's name is shown without what it does to a terminal`() throws {
    let path = try folder.write(
      #"{ beacons: { "\#(Self.uuid)/1/1": "\#(HostileText.hostileJSON)" } }"#,
      to: "names.json5"
    )
    for format in ["table", "jsonl", "csv", "json"] {
      for command in ["scan", "range", "monitor"] {
        let subject = command == "monitor" ? ["-r", "a=\(Self.uuid)"] : ["-s", Self.uuid]
        hostile.check(
          [command, "--from", Self.walk, "--config", path, "--format", format] + subject,
          "a name"
        )
      }
    }
    let listed = hostile.check(["name", "--config", path], "a name")
    #expect(listed.output.contains(#"\u{1B}[31mEVIL"#), "\(listed.output)")
  }

  @Test(.slow) func `no text of a manifest or of answers reaches an output as it is`() throws {
    let manifest = """
      { whenInUse: "To guide you.", alwaysAndWhenInUse: "To greet you.", always: "Always.",
        purposes: { "Guide": "To see." }, backgroundLocation: true, profile: "default" }
      """
    let answers = """
      [ { at: 1, input: "answer", choice: "whileUsing" },
        { at: 2, input: "settings", client: "guide", authorization: "always" } ]
      """
    for (index, text) in Self.mutations(of: manifest).enumerated() {
      try checkClient(text, answers, "the manifest \(index)")
    }
    for (index, text) in Self.mutations(of: answers).enumerated() {
      try checkClient(manifest, text, "the answers \(index)")
    }
  }

  private func checkClient(_ manifest: String, _ answers: String, _ about: String) throws {
    let client = [
      "--client", "guide", "--manifest", try folder.write(manifest, to: "manifest.json5"),
      "--answers", try folder.write(answers, to: "answers.json5"),
    ]
    let out = folder.path("out.jsonl")
    for format in ["table", "jsonl", "csv"] {
      hostile.check(
        ["monitor", "--from", Self.walk, "-r", "a=\(Self.uuid)", "--format", format] + client,
        environment: ["XDG_STATE_HOME": folder.path("state")],
        about
      )
    }
    hostile.check(
      ["range", "--from", Self.walk, "-s", Self.uuid, "--record", out, "--summary"] + client,
      environment: ["XDG_STATE_HOME": folder.path("state")],
      files: [out],
      about
    )
  }

  @Test(.slow, arguments: ["ac10-reduced", "ac06-missing-text", "ac02-matching"])
  func `no text of a scenario reaches an output as it is`(_ name: String) throws {
    let file = ProjectFiles.fixtures.appending(path: "scenarios/\(name).json5")
    let text = try String(contentsOf: file, encoding: .utf8)
    // Of texts that are alike, the first.
    var seen: Set<Substring> = []
    let texts = text.matches(of: /"[^"\n]*"/).filter { seen.insert($0.0).inserted }
      .map { text.replacingCharacters(in: $0.range, with: "\"\(HostileText.hostileJSON)\"") }
    for (index, text) in (texts + Self.mutations(of: text).suffix(12)).enumerated() {
      let path = try folder.write(text, to: "scenario.json5")
      for format in ["table", "json"] {
        hostile.check(["rehearse", path, "--format", format], "\(name), text \(index)")
      }
    }
  }

  @Test func `a scenario that fails shows its timeline on lines of its own`() throws {
    let name = HostileText.hostileJSON
    let path = try folder.write(
      """
      { name: "\(name)", clients: { "\(name)": { manifest: { whenInUse: "\(name)" } } },
        timeline: [
          { at: 0, input: "monitor", client: "\(name)", region: "\(name)", constraint: "\(Self.uuid)" },
          { at: 1, input: "request.whenInUse", client: "\(name)" } ],
        expect: [ { at: 3, event: "completion", client: "\(name)", region: "\(name)" } ] }
      """,
      to: "fails.json5"
    )
    let run = hostile.check(["rehearse", path], "a scenario")
    #expect(run.code == .negativeVerdict, "\(run.errors)")
    #expect(run.output.contains(#"expected and not delivered: \u{1B}[31mEVIL"#), "\(run.output)")
    let lines = run.output.split(separator: "\n").dropFirst()
    #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("  ") }, "\(run.output)")
  }

  @Test(.slow) func `no text of a plan reaches an output as it is`() throws {
    let text = """
      {
        museum: { en: "Museum", de: "Museum" }, uuid: "\(Self.uuid)", languages: ["en", "de"],
        manifest: {
          whenInUse: { en: "To guide you." }, purposes: { ExhibitGuide: { en: "To see." } },
        },
        floors: [{ level: 0, name: { en: "Ground" }, entrance: [0, 3], doors: [[8, 3]] }],
        rooms: [{ major: 1, name: { en: "Time" }, outline: [[0, 0], [8, 0], [8, 6], [0, 6]] }],
        exhibits: [
          { room: 1, minor: 1, title: { en: "Clock" }, text: { en: "A clock." }, at: [2, 2] },
          { room: 1, minor: 2, title: { en: "Dial" }, text: { en: "A dial." }, at: [6, 4] },
        ],
      }
      """
    let answers = try folder.write(
      #"[ { at: 1, input: "answer", choice: "whileUsing" } ]"#,
      to: "answers.json5"
    )
    let (html, csv) = (folder.path("report.html"), folder.path("report.csv"))
    for (index, text) in Self.mutations(of: text, keys: 30).enumerated() {
      let path = try folder.write(text, to: "plan.json5")
      let (plan, about) = (["--plan", path], "the plan \(index)")
      hostile.check(["museum", "plan", "check", path], about)
      for format in ["table", "jsonl"] {
        hostile.check(
          ["museum", "--from", Self.walk, "--answers", answers, "--format", format] + plan,
          environment: ["XDG_STATE_HOME": folder.path("state")],
          about
        )
      }
      hostile.check(
        ["museum", "report", Self.walk, "--html", html, "--csv", csv] + plan,
        files: [html, csv],
        about
      )
      hostile.check(["museum", "report", Self.walk] + plan, about)
    }
  }

  @Test func `no text of a store reaches an output as it is`() throws {
    let grants = """
      {"version":1,"authorization":"whenInUse","until":null,"accuracy":"full","always_spent":false,\
      "confirmation_due":false,"services":true,"restricted":false,"note":"x"}
      """
    let state = folder.path("state")
    let environment = ["XDG_STATE_HOME": state]
    for (index, text) in Self.mutations(of: grants, keys: 0).enumerated() {
      let client = "\(state)/beacons/clients/guide"
      try FileManager.default.createDirectory(atPath: client, withIntermediateDirectories: true)
      for file in ["clients/guide/grants.json", "clients/guide/state.json", "machine.json"] {
        try Data(text.utf8).write(to: URL(filePath: "\(state)/beacons/\(file)"))
        for format in ["table", "json"] {
          hostile.check(
            ["auth", "--format", format],
            environment: environment,
            "the store's \(file), text \(index)"
          )
        }
        hostile.check(
          ["monitor", "--from", Self.walk, "-r", "a=\(Self.uuid)", "--client", "guide", "-v"],
          environment: environment,
          "the store's \(file), text \(index)"
        )
        try? FileManager.default.removeItem(atPath: state + "/beacons")
        try FileManager.default.createDirectory(atPath: client, withIntermediateDirectories: true)
      }
    }
  }

  /// Commands that would listen live, or change the machine.
  private static let live: Set = [
    "record", "doctor", "config edit", "museum serve", "museum plan edit",
  ]

  @Test(.slow) func `no argument and no value of an option reaches an output as it is`() {
    let text = HostileText.hostile
    let path = folder.path(text)
    hostile.check([text], "an argument")
    hostile.check(["--\(text)"], "an option")
    hostile.check(["-\(text)"], "an option")
    for called in CommandPath(Program.withMuseum.root).all where called.command.run != nil {
      guard !Self.live.contains(called.names.joined(separator: " ")) else { continue }
      let names = called.names
      if called.options.contains(where: { $0.name == "region" }) {
        let region = "\(text)=\(Self.uuid)"
        hostile.check(names + ["--from", Self.walk, "-r", region], "a region")
        hostile.check(names + ["--from", Self.walk, "-r", region, "-r", region], "a region")
      }
      let count = max(1, called.command.arguments.count)
      hostile.check(names + Array(repeating: text, count: count), "arguments")
      hostile.check(names + ["--\(text)"], "an option")
      for option in called.options {
        hostile.check(names + ["\(option.longName)=\(text)"], "a value of \(option.longName)")
        guard option.kind != nil, !["adapter", "via"].contains(option.name) else { continue }
        let hasSource = called.options.contains { $0.name == "from" } && option.name != "from"
        let source = hasSource ? ["--from", Self.walk] : []
        hostile.check(names + source + [option.longName, path], "a value of \(option.longName)")
      }
    }
  }

  @Test func `no environment variable reaches an output as it is`() {
    let text = HostileText.hostile
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "BEACONS_CONFIG", "COLUMNS", "LANG"] {
      for value in [text, folder.path(text)] {
        for arguments in [
          ["auth"], ["config", "path"], ["config", "show"], ["name"],
          ["auth", "set", "always", "--client", "guide"],
          ["name", "\(Self.uuid)/1/1", text],
          ["range", "--from", Self.walk, "-s", Self.uuid, "--client", "guide"],
        ] {
          hostile.check(arguments, environment: [name: value], "\(name)")
        }
      }
    }
  }
}
