// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCommands
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

/// Hostile text, and commands that must write nothing of it as it is.
struct HostileText {
  let folder: ScratchFolder
  static let uuid = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  /// Colors, a window title, a bell, line ends, C1 controls, a change of direction, a deletion and an invisible tag.
  static let hostile =
    "\u{1B}[31mEVIL\u{1B}]0;t\u{7}\r\n\u{9B}31m\u{85}\u{202E}\u{2066}\u{2028}\u{FEFF}\u{7F}\u{8}\u{E0041}"
  /// The same as JSON writes it, and after it the characters that JSON5 allows as they are.
  static let hostileJSON =
    #"\u001b[31mEVIL\u001b]0;t\u0007\r\n\u009b31m\u0085\u202e\u2066\u2028\ufeff\u007f\b\udb40\udc41"#
    + "\u{1B}[2J\u{7}\u{9B}1m\u{202E}\u{7F}"

  init() throws { folder = try ScratchFolder() }

  /// The characters of a text that do something else than to be seen; line ends of files may have a carriage return.
  static func controls(in text: String, ofPage isPage: Bool = false) -> [String] {
    var text = text
    text.replace("\r\n", with: "\n")
    return text.unicodeScalars.compactMap { scalar in
      switch scalar.properties.generalCategory {
      case .control: scalar == "\n" ? nil : "\(scalar.escaped(asASCII: true))"
      // Flags need the tags, so a page keeps them.
      case .format where isPage && scalar.value >= 0xE0000: nil
      case .format, .lineSeparator, .paragraphSeparator: "\(scalar.escaped(asASCII: true))"
      default: nil
      }
    }
  }

  /// Runs a command line, and checks its output to streams and files.
  @discardableResult
  func check(
    _ arguments: [String],
    environment: [String: String] = [:],
    files: [String] = [],
    _ about: String
  ) -> CommandRun {
    // Nothing of this account is read or written.
    let own = ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"].map { ($0, folder.path($0)) }
    let merged = environment.merging(own) { given, _ in given }
    let run = CommandRun(of: .withMuseum, arguments, environment: merged)
    let what = "\(arguments.joined(separator: " ").debugDescription) of \(about.debugDescription)"
    #expect(run.code != .software, "\(what): \(run.errors)")
    let (output, errors) = (Self.controls(in: run.output), Self.controls(in: run.errors))
    #expect(output.isEmpty, "output of \(what): \(output) in \(run.output.debugDescription)")
    #expect(errors.isEmpty, "errors of \(what): \(errors) in \(run.errors.debugDescription)")
    let foreign = run.errors.split(separator: "\n").filter {
      !$0.hasPrefix("beaconctl: ") && !$0.hasPrefix("{\"v\":1,\"type\":\"summary\"")
    }
    #expect(foreign.isEmpty, "lines of \(what): \(foreign)")
    for file in files {
      guard let data = try? Data(contentsOf: URL(filePath: file)) else { continue }
      let text = String(decoding: data, as: UTF8.self)
      let found = Self.controls(in: text, ofPage: file.hasSuffix(".html"))
      #expect(found.isEmpty, "file of \(what): \(found)")
      try? FileManager.default.removeItem(atPath: file)
    }
    return run
  }

  /// Each version of a text in which one of its quoted texts is hostile.
  static func mutations(of text: String) -> [String] {
    text.matches(of: /"[^"\n]*"/)
      .map { text.replacingCharacters(in: $0.range, with: "\"\(hostileJSON)\"") }
  }

  static let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path

  /// Runs everything that reads a capture.
  func checkCapture(_ path: String, _ about: String, withMuseum: Bool = false) throws {
    let (out, csv) = (folder.path("out.jsonl"), folder.path("out.csv"))
    let from = ["--from", path]
    check(
      ["scan"] + from + ["--format", "table", "-v", "--summary", "-o", "csv:\(csv)"],
      files: [csv],
      about
    )
    check(["scan"] + from + ["--format", "json", "--include-addresses"], about)
    check(
      ["range"] + from + ["-s", Self.uuid, "--format", "table", "--record", out, "--time", "iso"],
      files: [out],
      about
    )
    check(["range"] + from + ["-s", Self.uuid, "--format", "jsonl", "--client", "guide"], about)
    check(["monitor"] + from + ["-r", "a=\(Self.uuid)", "--format", "table", "-v"], about)
    check(["inspect", path, "--format", "table"], about)
    check(["inspect", path, "--format", "json"], about)
    check(["convert", path, out], files: [out], about)
    check(["convert", path, "-", "--to", "jsonl"], about)
    check(["calibrate"] + from + ["-b", "\(Self.uuid)/1/1", "--format", "table"], about)
    guard withMuseum else { return }
    let html = folder.path("out.html")
    let visit = ["museum", "--plan", Self.plan, "--from", path]
    check(visit + ["--format", "table", "-v", "--summary"], about)
    check(visit + ["--format", "jsonl"], about)
    check(
      ["museum", "report", path, "--plan", Self.plan, "--html", html, "--csv", csv],
      files: [html, csv],
      about
    )
    check(
      ["museum", "plan", "new", folder.path("new.json5")] + from,
      files: [folder.path("new.json5")],
      about
    )
  }
}
