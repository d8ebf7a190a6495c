// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconMuseum
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Testing

/// `museum plan show`: a plan in characters and as a picture.
@Suite struct PlanShowTests {
  private static let plan = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path

  private static func show(_ columns: Int, _ locale: String, _ more: [String] = []) -> CommandRun {
    CommandRun(
      of: .withMuseum,
      ["museum", "plan", "show", plan] + more,
      environment: ["COLUMNS": "\(columns)", "BEACONS_CONFIG": "none", "LC_ALL": locale]
    )
  }

  @Test(arguments: [60, 80, 120, 200], ["C", "C.UTF-8"])
  func `a plan fits the terminal, in both kinds of characters`(_ columns: Int, _ locale: String)
    throws
  {
    let run = Self.show(columns, locale)
    #expect(run.code == .done, "\(run.errors)")
    for line in run.output.split(separator: "\n") { #expect(line.count <= columns, "\(line)") }
    if locale == "C" { #expect(run.output.utf8.allSatisfy { $0 < 0x80 }) }
    try Golden.expect(run.output, "command-line/plan-show.\(columns).\(locale).txt")
  }

  @Test func `names are in the language that is asked for`() {
    let run = Self.show(80, "C.UTF-8", ["--language", "de"])
    #expect(run.output.contains("Sonnenuhr (1/101)") && run.output.contains("Erdgeschoss"))
    #expect(Self.show(80, "C", ["--language", "xx"]).code == .usage)
  }

  @Test func `the picture is an SVG file of its own, and is not overwritten`() throws {
    let folder = try ScratchFolder()
    let path = folder.path("plan.svg")
    #expect(Self.show(80, "C", ["--svg", path]).code == .done)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(Elements(text).areClosed, "\(text.prefix(200))")
    #expect(text.matches(of: /<g class="spot">/).count == 24)
    #expect(text.matches(of: /<path class="room"/).count == 6)
    #expect(text.contains("Ground floor") && text.contains(">504  "))
    #expect(!text.contains("href") && !text.contains("url("))
    #expect(Self.show(80, "C", ["--svg", path]).code == .usage)
    #expect(Self.show(80, "C", ["--svg", Self.plan, "--force"]).code == .usage)
    #expect(Self.show(80, "C", ["--svg", "-"]).output == text)
  }

  @Test func `labels have each exhibit's number, its title in all languages, and its beacon`()
    throws
  {
    let folder = try ScratchFolder()
    let path = folder.path("labels.html")
    #expect(Self.show(80, "C", ["--labels", path]).code == .done)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.matches(of: /<section>/).count == 24)
    let label = #"<h2>101</h2><p lang="en">Sundial</p><p lang="de">Sonnenuhr</p>"#
    #expect(text.contains(label) && text.contains("Time · 1/101"))
    #expect(!text.contains("href") && !text.contains("url(") && !text.contains("<script"))
    #expect(Self.show(80, "C", ["--labels", path]).code == .usage)
    #expect(Self.show(80, "C", ["--labels", "-", "--svg", "-"]).code == .usage)
    let plan = try String(contentsOfFile: Self.plan, encoding: .utf8)
    let hostile = try folder.write(plan.replacing("Sundial", with: "<b>&"), to: "hostile.json5")
    let line = ["museum", "plan", "show", hostile, "--labels", "-"]
    #expect(CommandRun(of: .withMuseum, line).output.contains("&lt;b&gt;&amp;"))
  }

  @Test func `texts of the plan are not markup, and a plan without a drawing has no picture`()
    throws
  {
    let folder = try ScratchFolder()
    let plan = try String(contentsOfFile: Self.plan, encoding: .utf8)
    let hostile = try folder.write(
      plan.replacing("\"Sundial\"", with: "\"</text><script>alert(1)</script>\\u001b[2J\""),
      to: "hostile.json5"
    )
    let arguments = ["museum", "plan", "show", hostile]
    let picture = CommandRun(of: .withMuseum, arguments + ["--svg", "-"])
    #expect(picture.code == .done && !picture.output.contains("<script>"))
    #expect(!CommandRun(of: .withMuseum, arguments).output.contains("\u{1B}"))
    let plain = try folder.write(
      plan.replacing(/, outline: \[\[.*\]\]/, with: "").replacing(/, at: \[[^\]]*\]/, with: ""),
      to: "plain.json5"
    )
    let listed = CommandRun(of: .withMuseum, ["museum", "plan", "show", plain])
    #expect(listed.code == .done && listed.output.contains("no room of it has an outline"))
    #expect(listed.output.contains("Sundial (1/101, without a position)"))
    let none = CommandRun(of: .withMuseum, ["museum", "plan", "show", plain, "--svg", "-"])
    #expect(none.code == .badData && none.errors.contains("draws no rooms"))
  }
}

/// Whether a text is well-formed XML, as far as elements go: each that begins ends, in order.
private struct Elements {
  let areClosed: Bool

  init(_ text: String) {
    var open: [Substring] = []
    var areClosed = text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"")
    for tag in text.matches(of: /<(\/?)([a-z]+)([^>]*?)(\/?)>/) {
      if !tag.1.isEmpty {
        if open.popLast() != tag.2 { areClosed = false }
      } else if tag.4.isEmpty {
        open.append(tag.2)
      }
    }
    self.areClosed = areClosed && open.isEmpty
  }
}
