// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import CommandTestSupport
import Foundation
import Pages
import Testing
import WebServer

@testable import BeaconCommands
@testable import HistoryCommands

@Suite struct WebCommandTests {
  static func text(_ response: WebResponse) -> (text: String, type: String)? {
    guard case .content(let bytes, let type) = response else { return nil }
    return (String(decoding: bytes, as: UTF8.self), type)
  }

  @Test func `metrics are given in the format that is asked for`() {
    let board = MetricsBoard(OperatorMetrics(version: "1", book: NameBook()))
    let plain = Self.text(board.answer(WebRequest(path: "/metrics")))
    #expect(plain?.type == "text/plain; version=0.0.4; charset=utf-8")
    #expect(plain?.text.contains("# EOF") == false)
    let open = Self.text(
      board.answer(
        WebRequest(path: "/metrics", query: ["format": "openmetrics"])
      )
    )
    #expect(open?.type == "application/openmetrics-text; version=1.0.0; charset=utf-8")
    #expect(open?.text.hasSuffix("# EOF\n") == true)
    #expect(board.answer(WebRequest(path: "/elsewhere")) == .notFound)
  }

  @Test func `text from outside is escaped on the page`() {
    var metrics = OperatorMetrics(version: "1", book: NameBook())
    metrics.add(.receiver("<script>\u{1B}'\"&", .listening, TestScan.at(1)))
    metrics.cross("<b>", "<i>", isEntry: true, at: TestScan.at(2))
    let html = StatusPage(metrics).html
    #expect(!html.contains("<script>"))
    #expect(!html.contains("<b>"))
    #expect(!html.contains("\u{1B}"))
    #expect(html.contains("&lt;script&gt;\\u{1B}&#39;&quot;&amp;"))
  }

  @Test func `a table scrolls on its own if it is wider than the page, and breaks between words`() {
    var metrics = OperatorMetrics(version: "1", book: NameBook())
    metrics.cross("operator", "hall", isEntry: true, at: TestScan.at(2), why: "2 reports")
    let html = StatusPage(metrics).html
    #expect(html.contains("<section class=\"wide\" aria-label=\"Regions\"><table>"), "\(html)")
    #expect(html.contains("<td class=\"name\">2 reports</td>"))
    #expect(html.contains(" UTC · 0 reports"))
    #expect(Styles.status.contains("th, td { white-space: nowrap;"))
    #expect(
      !Styles.status.contains("anywhere"),
      "a word is broken only if it is longer than a line"
    )
  }

  @Test func `after the end of the source no radio is reported to listen`() {
    var metrics = OperatorMetrics(version: "1", book: NameBook())
    metrics.add(.receiver("hci0", .listening, TestScan.at(1)))
    #expect(StatusPage(metrics).html.contains("<td>listening</td>"))
    #expect(!StatusPage(metrics).html.contains("has ended"))
    metrics.end()
    #expect(!StatusPage(metrics).html.contains("listening"))
    #expect(StatusPage(metrics).html.contains("<td>ended</td>"))
    #expect(StatusPage(metrics).html.contains("The source has ended."))
  }

  @Test func `if it serves is reported only if there is something to serve`() {
    let none = CommandRun(of: .withHistory, ["web", "--from", "/no/file", "--port", "0"])
    #expect(none.code == .noInput)
    #expect(none.output.isEmpty, "\(none.output)")
    #expect(none.errors.contains("cannot open /no/file"))
    let walk = CommandRun(
      of: .withHistory,
      ["web", "--from", CommandRun.capture("walk.btsnoop"), "--port", "0", "--once"]
    )
    #expect(walk.code == .done, "\(walk.errors)")
    #expect(walk.output.hasPrefix("page     http://127.0.0.1:"))
    let everybody = CommandRun(
      of: .withHistory,
      ["web", "--from", CommandRun.capture("walk.btsnoop"), "--port", "0", "--once", "--public"]
    )
    #expect(!everybody.output.contains("127.0.0.1"), "\(everybody.output)")
  }

  @Test func `a run feeds the board`() async throws {
    let board = MetricsBoard(OperatorMetrics(version: "1", book: NameBook()))
    var options = RunOptions()
    options.captures = [CommandRun.capture("walk.btsnoop")]
    options.output.format = OutputFormat.none
    options.constraints = [.uuid(TestScan.museum)]
    options.regions = [Region(RegionIdentifier("all"), .uuid(TestScan.museum))]
    options.participants = [{ MetricsFeed(board, $0) }]
    let code = try await EventRun.run(options, .ranging, io: .silent)
    #expect(code == .done)
    let text = Self.text(board.answer(WebRequest(path: "/metrics")))?.text ?? ""
    #expect(text.contains("beacons_crossings_total{client=\"operator\",region=\"all\""), "\(text)")
    #expect(!text.contains("beacons_region_inside{"), "the source has ended: \(text)")
  }
}
