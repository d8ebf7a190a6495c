// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import CommandTestSupport
import BeaconTestSupport
import Beacons
import Foundation
import Testing

@testable import BeaconCommands

/// `auth`: grants are shown and changed, a file a client, and one switch for the machine.
@Suite struct AuthCommandTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  private func auth(_ words: String...) -> CommandRun {
    CommandRun(["auth"] + words, environment: ["XDG_STATE_HOME": folder.url.path])
  }

  private var files: [String] {
    let all = try? FileManager.default.subpathsOfDirectory(atPath: folder.path("beacons"))
    return (all ?? []).filter { $0.hasSuffix(".json") }.sorted()
  }

  private func line(_ client: String) -> String {
    auth("status", "--client", client, "--format", "jsonl").output
  }

  @Test(arguments: [
    ("notDetermined", "notDetermined"), ("denied", "denied"),
    ("whenInUse", "authorizedWhenInUse"), ("always", "authorizedAlways"),
  ])
  func `a grant is set and shown`(_ grant: String, _ status: String) {
    #expect(auth("set", grant, "--client", "guide").code == .done)
    let expected =
      "{\"client\":\"guide\",\"status\":\"\(status)\",\"accuracy\":\"full\",\"grant\":\"\(grant)\","
      + "\"services\":true}\n"
    #expect(line("guide") == expected)
    #expect(files == ["clients/guide/grants.json"])
  }

  @Test(arguments: ["beacons", "beacons/clients"])
  func `clients that cannot be listed are reported`(_ name: String) throws {
    _ = auth("set", "always", "--client", "guide")
    try FileManager.default.removeItem(atPath: folder.path(name))
    #expect(mkfifo(folder.path(name), 0o600) == 0)
    let run = auth("--format", "table")
    #expect(run.code != .done && run.errors.contains("the clients cannot be read"), "\(run.errors)")
    #expect(run.output == (name == "beacons" ? "services off\n" : "services on\n"))
    #expect(line("guide").contains("\"grant\":\"denied\""))
  }

  @Test func `a switch that is not believed names the command that switches it on`() {
    let paths = ["/var/lib/beacons/machine.json", "/home/anna/.local/state/beacons/machine.json"]
    let texts = paths.map { ClientNote.text(of: .switchUnreadable(path: $0, reason: ""), "") }
    #expect(texts[0].hasSuffix(" 'sudo beaconctl auth services on --machine' switches them on"))
    #expect(texts[1].hasSuffix(" 'beaconctl auth services on' switches them on"))
  }

  @Test func `accuracy, services and reset are effective for each client on its own`() {
    _ = auth("set", "always", "--client", "guide")
    _ = auth("set", "whenInUse", "--client", "a/b %")
    #expect(
      auth("precise", "off", "--client", "guide", "--format", "json").output.contains("\"reduced\"")
    )
    #expect(line("a/b %").contains("\"accuracy\":\"full\""))
    let off = auth("services", "off", "--format", "table").output
    let rows = off.split(separator: "\n")
    #expect(rows.count == 4 && rows[0] == "services off", "\(off)")
    #expect(rows.dropFirst().map { $0.prefix(7) } == ["CLIENT ", "a/b %  ", "guide  "], "\(off)")
    #expect(off.matches(of: /denied/).count == 2)
    #expect(line("guide").contains("\"grant\":\"always\",\"services\":false"))
    _ = auth("services", "on")
    #expect(line("guide").contains("\"status\":\"authorizedAlways\",\"accuracy\":\"reduced\""))
    _ = auth("reset", "--client", "guide")
    #expect(line("guide").contains("\"status\":\"notDetermined\",\"accuracy\":\"full\""))
    #expect(files == ["clients/a%2Fb%20%25/grants.json", "machine.json"])
    #expect(auth("--format", "json").output.contains("\"clients\":[{\"client\":\"a/b %\""))
  }

  @Test(arguments: ["", "{", "{\"version\":0}", "[1]", "\u{0}\u{1}"])
  func `damaged grants are set aside, and a damaged switch counts as off`(_ damage: String) throws {
    _ = auth("set", "always", "--client", "guide")
    _ = auth("services", "off")
    _ = try folder.write(damage, to: "beacons/clients/guide/grants.json")
    _ = try folder.write(damage, to: "beacons/machine.json")
    let run = auth("status", "--client", "guide", "--format", "json")
    #expect(run.code == .done)
    #expect(run.output.contains("\"grant\":\"denied\",\"services\":false"))
    #expect(run.errors.contains("guide/grants.json.damaged-1, and guide counts as denied"))
    #expect(run.errors.contains("location services count as off"))
    let aside = try String(
      contentsOfFile: folder.path("beacons/clients/guide/grants.json.damaged-1"),
      encoding: .utf8
    )
    #expect(aside == damage)
    // The switch stays off until a user switches it.
    #expect(line("guide").contains("\"services\":false"))
    _ = auth("services", "on")
    #expect(auth("status", "--client", "guide").errors.isEmpty)
    #expect(files.contains("machine.json"))
    _ = auth("set", "denied", "--client", "guide")
    #expect(line("guide").contains("\"denied\""))
  }

  @Test(arguments: [
    ["set", "always"], ["set"], ["set", "maybe", "--client", "guide"], ["precise", "on"], ["reset"],
    ["services"], ["set", "always", "--client", "operator"], ["set", "always", "--client", ""],
    ["set", "always", "--client", String(repeating: "x", count: 81)],
  ])
  func `impossible values are refused`(_ words: [String]) {
    let run = CommandRun(["auth"] + words, environment: ["XDG_STATE_HOME": folder.url.path])
    #expect(run.code == .usage)
    #expect(files.isEmpty)
  }

  @Test func `names that differ look different`() {
    let names = [
      "guide", "guide ", " guide", "\"guide \"", "gui  de", "gui de", "gui\u{A0}de",
      "gui\u{200D}de",
      "gui\u{1B}de", "gui\\u{1B}de", "caf\u{E9}", "cafe\u{301}", "guide  denied",
    ]
    for name in names { _ = auth("set", "denied", "--client", name) }
    let lines = auth("--format", "table").lines.dropFirst(2)
    // An eye does not count blanks, and sees none at the end of a line.
    let seen = Set(lines.map { $0.split(separator: " ").joined(separator: " ") })
    #expect(lines.count == names.count && seen.count == names.count, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("guide    ") && !$0.contains("\"") })
    #expect(lines.contains { $0.hasPrefix("\"guide \"  ") })
    #expect(lines.contains { $0.hasPrefix("gui de  ") })
    let unnamed = auth("set", "denied")
    #expect(unnamed.errors.contains("guide, \"guide \""), "\(unnamed.errors)")
  }

  @Test func `an unwritable path is reported`() throws {
    let file = try folder.write("", to: "no-folder")
    let run = CommandRun(
      ["auth", "set", "always", "--client", "guide"],
      environment: ["XDG_STATE_HOME": file]
    )
    #expect(run.code != .done && run.errors.contains("no-folder"))
  }

  @Test(arguments: [["set", "denied"], ["precise", "off"], ["reset"]])
  func `another file in the place of the lock is bad data, and stays`(_ words: [String])
    throws
  {
    _ = auth("set", "always", "--client", "guide")
    let path = try folder.write("{\"mine\":1}", to: "beacons/clients/guide/lock")
    let run = CommandRun(
      ["auth"] + words + ["--client", "guide"],
      environment: ["XDG_STATE_HOME": folder.url.path]
    )
    #expect(run.code == .badData && run.errors.contains("guide/lock"))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"mine\":1}")
    #expect(line("guide").contains("\"always\""))
  }
}
