// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconHistory
import BeaconPlots
import BeaconTestSupport
import BeaconViews
import CommandTestSupport
import Foundation
import Pages
import Synchronization
import Testing
import WebServer

@testable import BeaconCommands
@testable import HistoryCommands

/// The page of everything nearby, its pictures, and the names that it gives.
@Suite struct NearbyPageTests {
  /// Feeds a board, and keeps its last answers before the source ended.
  private final class Reader: RunParticipant {
    /// The answers by their paths.
    final class Last: Sendable {
      let pages = Mutex<[String: String]>([:])
      subscript(path: String) -> String { pages.withLock { $0[path] ?? "" } }
    }

    private let board: MetricsBoard
    private let feed: MetricsFeed
    private let last: Last

    init(_ board: MetricsBoard, _ feed: MetricsFeed, _ last: Last) {
      (self.board, self.feed, self.last) = (board, feed, last)
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      feed.handle(moment, &run)
      guard case .recorded = moment else { return }
      feed.show()
      last.pages.withLock { pages in
        for path in ["/", SignalsPage.path, "/metrics"] {
          let answer = board.answer(WebRequest(path: path))
          pages[path] = WebCommandTests.text(answer)?.text ?? ""
        }
      }
    }
  }

  private static func pages(
    _ capture: String,
    regions: [Region] = [],
    naming: NamingForm? = nil
  ) async throws -> (last: Reader.Last, board: MetricsBoard) {
    var options = RunOptions()
    options.captures = [capture]
    options.output.format = OutputFormat.none
    options.regions = regions
    options.names[TestScan.beacon(1, 1)] = "Globe <b>&"
    let board = MetricsBoard(
      OperatorMetrics(version: "1", book: options.names),
      names: options.names,
      naming: naming
    )
    let last = Reader.Last()
    options.participants = [{ Reader(board, MetricsFeed(board, $0, naming), last) }]
    #expect(try await EventRun.run(options, .ranging, io: .silent) == .done)
    return (last, board)
  }

  @Test func `everything nearby is on the page, and only listed beacons in the metrics`()
    async throws
  {
    let (last, board) = try await Self.pages(CommandRun.capture("walk.btsnoop"))
    let html = last["/"]
    #expect(html.contains("Nearby · 3</h2>"), "\(html)")
    #expect(html.contains("Globe &lt;b&gt;&amp;</a></h3>") && !html.contains("<b>&"))
    #expect(html.contains("1/2 · F7826DA6</p>") && html.contains("1/3 · F7826DA6</p>"))
    #expect(
      html.contains(
        /<b>(near|far)<\/b> <span>[0-9.]+ m<\/span> <span class="soft">[0-9.]+ to [0-9.]+ m/
      )
    )
    #expect(html.contains("<rect class=\"range\"") && html.contains("<circle class=\"here\""))
    #expect(html.contains("Signal of the last two minutes: -"))
    #expect(html.contains(/-[0-9]+ dBm · [01] s ago · #0<\/p>/))
    #expect(!html.contains("data-beacon"), "without a code no beacon can be named")
    let order = html.matches(of: /<li id="b([0-9]+)">/).map { String($0.1) }
    #expect(order == ["0", "1", "2"], "a row keeps its place")
    #expect(last["/metrics"].contains("beacon=\"Globe"))
    #expect(!last["/metrics"].contains("1/2"), "no beacon without a name becomes a series")
    let end = WebCommandTests.text(board.answer(WebRequest(path: "/")))?.text ?? ""
    #expect(end.contains("<b>silent</b>") && !end.contains("class=\"here\""))
  }

  @Test func `the picture of plot is on the page of signals, without its style`()
    async throws
  {
    let third = Region(RegionIdentifier("third <i>"), .minor(TestScan.beacon(1, 3)))
    let (last, board) = try await Self.pages(
      CommandRun.capture("walk.btsnoop"),
      regions: [third]
    )
    let html = last[SignalsPage.path]
    #expect(
      html.contains("<svg class=\"plot\"") && html.contains("Distance, and its 90 % interval")
    )
    #expect(!html.contains("<style>"), "the policy of the pages forbids it")
    #expect(html.contains("<path class=\"exit assumed\" d=\"M"), "the exit time")
    #expect(
      html.contains(">RSSI at #0<") && last["/"].contains(" · #0</p>"),
      "one name of a receiver"
    )
    let end = WebCommandTests.text(board.answer(WebRequest(path: "/")))?.text ?? ""
    #expect(end.contains("This is the state at its end.") && end.contains("<td>inside</td>"))
    #expect(html.contains("<a href=\"/signals?of=third%20%3Ci%3E\" aria-current=\"true\">"))
    #expect(!html.contains("<i>"))
    #expect(html.contains("/signals?of=F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/2\">1/2</a>"))
    let query = ["of": "\(TestScan.beacon(1, 2))"]
    let other = board.answer(WebRequest(path: SignalsPage.path, query: query))
    #expect(WebCommandTests.text(other)?.text.contains(/20[0-9] reports/) == true)
    let same = ["of": "\(TestScan.beacon(1, 3))"]
    let named = board.answer(WebRequest(path: SignalsPage.path, query: same))
    #expect(WebCommandTests.text(named)?.text.contains("<h2>third &lt;i&gt;</h2>") == true)
    for name in ["Globe <b>&", "F782/1/1"] {
      let named = board.answer(WebRequest(path: SignalsPage.path, query: ["of": name]))
      #expect(WebCommandTests.text(named)?.text.contains("<h2>Globe &lt;b&gt;&amp;</h2>") == true)
    }
    let none = board.answer(WebRequest(path: SignalsPage.path, query: ["of": "<b>"]))
    #expect(WebCommandTests.text(none)?.text.contains("Nothing is known of this") == true)
  }

  // MARK: Many beacons

  /// The board of a second with so many beacons.
  private static func board(_ count: Int) -> MetricsBoard {
    let board = MetricsBoard(OperatorMetrics(version: "1", book: NameBook()), run: "7")
    var list = NearbyList(RangingConfiguration())
    var driver = EngineDriver(startingAt: TestScan.at(0))
    driver.watchNearby()
    for second in 0..<20 {
      var scan = TestScan()
      for minor in 1...count {
        let time = Double(second) + Double(minor) * 0.001
        scan.report(
          TestScan.beacon(1, UInt16(minor)),
          -50 - Int8(minor / 7),
          at: time,
          address: UInt64(minor)
        )
      }
      scan.mark(at: Double(second) + 0.9)
      driver.supply(scan.batch)
      list.receive(driver.collectDeliveries())
      list.receive(scan.batch, receivers: ["hci0"])
    }
    var signals = RecentSignals([], NameBook(), limits: (0.5, 3))
    signals.follow(list.identities)
    board.change { $0 = signals }
    board.show(OperatorMetrics(version: "1", book: NameBook()), list)
    return board
  }

  private static func text(_ board: MetricsBoard, _ query: [String: String] = [:]) -> String {
    WebCommandTests.text(board.answer(WebRequest(path: "/", query: query)))?.text ?? ""
  }

  @Test func `a page of many beacons has links to its parts, and why some are not listed`() {
    let html = Self.text(Self.board(300))
    #expect(html.contains("Nearby · 200 / 300</h2>"))
    #expect(html.contains("The nearest 200 of 300 beacons are listed."))
    for target in ["nearby-label", "regions", "radios"] {
      #expect(
        html.contains("<a href=\"#\(target)\">") && html.contains("id=\"\(target)\""),
        "\(target)"
      )
    }
    #expect(html.contains("<input id=\"find\" type=\"search\""))
    #expect(!Self.text(Self.board(3)).contains("are listed."))
  }

  @Test func `rows that a reader has and does not see are left out`() {
    let board = Self.board(300)
    let whole = Self.text(board)
    #expect(whole.utf8.count < 300_000, "\(whole.utf8.count)")
    let part = Self.text(board, ["run": "7", "last": "198", "rows": "3.4"])
    #expect(part.contains("<li id=\"b5\" data-kept></li>"))
    for wanted in ["b3", "b4", "b199"] {
      #expect(part.contains("<li id=\"\(wanted)\"><div"), "\(wanted)")
    }
    #expect(part.utf8.count < 20_000, "\(part.utf8.count)")
    #expect(
      Self.text(board, ["run": "8", "last": "198", "rows": "3"]) == whole,
      "rows of another run"
    )
    #expect(Self.text(board, ["run": "7", "last": "x"]) == whole)
  }

  @Test func `every listed beacon has a picture, and the list counts the others`() {
    let board = Self.board(300)
    for match in Self.text(board).matches(of: /<a href="\/signals\?of=([^"]+)">/) {
      let query = [SignalsPage.key: String(match.1)]
      let answer = board.answer(WebRequest(path: SignalsPage.path, query: query))
      let page = WebCommandTests.text(answer)?.text ?? ""
      #expect(page.contains("<svg class=\"plot\""), "\(match.1)")
      #expect(page.contains("100 more are received or monitored"))
    }
  }

  @Test func `a narrow screen gets a narrow picture`() {
    let query = [SignalsPage.narrowKey: ""]
    let answer = Self.board(3).answer(WebRequest(path: SignalsPage.path, query: query))
    let page = WebCommandTests.text(answer)?.text ?? ""
    #expect(page.contains("<svg class=\"plot narrow\"") && page.contains("viewBox=\"0 0 360 "))
  }

  @Test func `an empty capture is reported as empty`() async throws {
    let folder = try ScratchFolder()
    let (_, board) = try await Self.pages(try folder.write("", to: "empty.jsonl"))
    board.end()
    let html = Self.text(board)
    #expect(html.contains("The capture has ended, and contained nothing."), "\(html)")
    #expect(!html.contains("no input yet") && !html.contains("The history has"))
  }

  @Test func `a proximity that its distance has left is marked`() async throws {
    var list = NearbyList(RangingConfiguration())
    let distance = DistanceEstimate(meters: 2.6, low: 1.2, high: 5)
    let beacon = RangedBeacon(
      ranged: TestScan.beacon(1, 1),
      .far,
      distance,
      rssi: -70,
      reports: 1,
      lastReceived: TestScan.at(1),
      isHeld: true
    )
    list.receive([Delivery(ofService: .nearby([beacon]), to: .theOperator, at: TestScan.at(1))])
    let board = MetricsBoard(OperatorMetrics(version: "1", book: NameBook()))
    board.show(OperatorMetrics(version: "1", book: NameBook()), list)
    let html = Self.text(board)
    #expect(html.contains("<b>far~</b>") && html.contains("near~, far~: the distance has left"))
  }

  // MARK: Radios

  @Test(arguments: [RadioState.off, .deaf, .gone])
  func `a radio that does not listen is shown with what helps`(_ state: RadioState) {
    var metrics = OperatorMetrics(version: "1", book: NameBook())
    metrics.add(.receiver("hci0", state, TestScan.at(1)))
    var surroundings = StatusPage.Surroundings()
    surroundings.isLive = true
    let html = StatusPage(metrics, surroundings).html
    #expect(
      html.contains("<th scope=\"col\">What helps</th>") && html.contains("<code>"),
      "\(html)"
    )
    surroundings.isLive = false
    #expect(!StatusPage(metrics, surroundings).html.contains("<code>"), "a recording is not cured")
  }

  @Test func `row O12: a radio shows by how much it differs from the survey`() {
    var metrics = OperatorMetrics(version: "1", book: NameBook())
    for (name, state) in [("hall", RadioState.listening), ("loft", .deaf), ("bar", .listening)] {
      metrics.add(.receiver(name, state, TestScan.at(1)))
    }
    for isLive in [true, false] {
      let board = MetricsBoard(metrics, isLive: isLive)
      board.show(offsets: ["hall": -6, "loft": 12])
      let html = Self.text(board)
      #expect(html.contains("<td>listening, 6 dB less than in the survey</td>"), "\(html)")
      #expect(html.contains("<td>deaf, 12 dB more than in the survey</td>"))
      #expect(html.contains("<td>listening</td>"))
    }
  }

  @Test func `a region shows when it last crossed, and each crossing why`() async throws {
    let statue = Region(
      RegionIdentifier("statue"),
      .minor(TestScan.beacon(1, 2)),
      zone: try Zone(enterWithin: 3, leaveBeyond: 4.5)
    )
    var options = RunOptions()
    options.captures = [CommandRun.capture("walk.btsnoop")]
    options.output.format = OutputFormat.none
    options.regions = [statue]
    let board = MetricsBoard(OperatorMetrics(version: "1", book: NameBook()))
    options.participants = [{ MetricsFeed(board, $0) }]
    #expect(try await EventRun.run(options, .ranging, io: .silent) == .done)
    let html = WebCommandTests.text(board.answer(WebRequest(path: "/")))?.text ?? ""
    #expect(html.contains("<th scope=\"col\">Last crossing</th>"))
    #expect(html.contains("<td>2026-05-02 10:00:18 UTC</td></tr>"), "\(html)")
    #expect(html.contains("<td>left</td><td class=\"name\">beyond 4.5 m, it was at "))
  }

  // MARK: Names

  private static func form() -> NamingForm {
    var random = SplitMix64(seed: 7)
    return NamingForm(PageForms(PageCode(using: &random), FastClock()))
  }

  private static func post(
    _ form: NamingForm,
    code: String? = nil,
    token: String? = nil,
    beacon: String = "\(TestScan.beacon(1, 2))",
    name: String = "Astrolabe"
  ) -> WebResponse {
    let text =
      "{\"token\":\"\(token ?? form.forms.token)\",\"code\":\"\(code ?? form.forms.code)\",\"beacon\":\"\(beacon)\",\"name\":\"\(name)\"}"
    return form.answer(
      WebRequest(
        path: NamingForm.path,
        method: .post,
        contentType: "application/json",
        content: Array(text.utf8)
      )
    )
  }

  private static func refusal(_ response: WebResponse) -> WebRefusal? {
    if case .refused(let reason, _) = response { reason } else { nil }
  }

  @Test func `a name needs the token of the page and the printed code`() {
    let form = Self.form()
    #expect(form.answer(WebRequest(path: NamingForm.path)) == .notFound)
    #expect(Self.refusal(Self.post(form, code: "000000x")) == .invalid)
    #expect(Self.refusal(Self.post(form, token: "x")) == .forbidden)
    #expect(Self.refusal(Self.post(form, beacon: "F7826DA6")) == .malformed)
    #expect(Self.refusal(Self.post(form, name: "")) == .malformed)
    #expect(Self.refusal(Self.post(form, name: String(repeating: "x", count: 81))) == .malformed)
    #expect(Self.refusal(Self.post(form, name: "1/2")) == .malformed)
    #expect(Self.refusal(Self.post(form, name: "a\\nb")) == .malformed)
    #expect(form.drain().isEmpty)
    #expect(Self.refusal(Self.post(form)) == nil)
    let wish = NamingForm.Wish(identity: TestScan.beacon(1, 2), name: "Astrolabe")
    #expect(form.drain() == [wish] && form.drain().isEmpty)
    for _ in 0..<PageCode.attempts { _ = Self.post(form, code: "1") }
    #expect(
      Self.post(form, code: "1")
        == .refused(
          .tooMany,
          "This is not the code, and \(PageCode.attempts) before were wrong too. The command prints the right one."
        )
    )
    #expect(Self.refusal(Self.post(form, code: form.forms.code.lowercased())) == nil)
  }

  @Test func `a name that was accepted is written before the command ends, a later one is refused`()
    throws
  {
    let form = Self.form()
    let board = MetricsBoard(OperatorMetrics(version: "1", book: NameBook()), naming: form)
    let folder = try ScratchFolder()
    let file = try folder.write("{}", to: "names.json5")
    #expect(Self.refusal(Self.post(form)) == nil)
    board.close(form, file, .silent)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("Astrolabe"))
    #expect(Self.post(form, name: "Globe") == .refused(.conflict, "The run ends."))
    #expect(form.drain().isEmpty)
  }

  @Test func `a name is written into the configuration file, and shown immediately`() async throws {
    let form = Self.form()
    let (last, board) = try await Self.pages(CommandRun.capture("walk.btsnoop"), naming: form)
    #expect(last["/"].contains("data-beacon=\"\(TestScan.beacon(1, 2))\""))
    #expect(last["/"].contains("data-token=\"\(form.forms.token)\""))
    #expect(!last["/"].contains(form.forms.code))
    let folder = try ScratchFolder()
    let file = try folder.write("{ // mine\n}", to: "names.json5")
    let request = { () -> String in
      WebCommandTests.text(board.answer(WebRequest(path: "/")))?.text ?? ""
    }
    _ = Self.post(form, name: "Astro <b>")
    board.keepNames(form, file, .silent)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("// mine"))
    #expect(text.contains("\"\(TestScan.beacon(1, 2))\": \"Astro <b>\""), "\(text)")
    #expect(request().contains("Astro &lt;b&gt;</a></h3>"))
    _ = Self.post(form, beacon: "\(TestScan.beacon(1, 3))", name: "Astro <b>")
    board.keepNames(form, file, .silent)
    #expect(request().contains("No name was kept: \(TestScan.beacon(1, 2)) has the name"))
    _ = form.answer(
      WebRequest(
        path: NamingForm.path,
        method: .post,
        contentType: "application/json",
        content: Array(
          "{\"token\":\"\(form.forms.token)\",\"code\":\"\(form.forms.code)\",\"beacon\":\"\(TestScan.beacon(1, 2))\",\"remove\":true}"
            .utf8
        )
      )
    )
    board.keepNames(form, file, .silent)
    #expect(!request().contains("Astro") && request().contains(">1/2</a></h3>"))
    #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("Astro"))
    _ = Self.post(form, name: "Other")
    board.keepNames(form, file + "/no", .silent)
    #expect(request().contains("No name was kept: ") && !request().contains("Other</a>"))
  }
}
