// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconMuseum
import BeaconTestSupport
import CommandTestSupport
import Foundation
import SiteCommands
import Synchronization
import Testing
import WebServer

@testable import BeaconCommands
@testable import BeaconHistory
@testable import HistoryCommands

/// The floors of plans on the operator's page, and the minutes of a history.
@Suite struct FloorPageTests {
  private static let planPath = ProjectFiles.fixtures.appending(path: "museum/plan.json5").path
  private static let carried = TestScan.beacon(7, 1)

  private static func plan() throws -> Plan {
    try Plan(reading: Array(Data(contentsOf: URL(fileURLWithPath: planPath))))
  }

  private static func page(_ board: MetricsBoard, at minute: String? = nil) -> String {
    let query = minute.map { [StatusPage.minuteKey: $0] } ?? [:]
    let answer = board.answer(WebRequest(path: "/", query: query))
    return WebCommandTests.text(answer)?.text ?? ""
  }

  private static func received(
    _ identity: BeaconIdentity,
    _ level: Int8,
    at seconds: Double
  ) -> OperatorInput {
    var second = ReceivedSecond(
      second: TestScan.at(seconds),
      identity: identity,
      receiver: "hci0",
      ReceivedSum()
    )
    second.sum.add(rssi: level, power: -59, at: TestScan.at(seconds))
    return .reports(second)
  }

  // MARK: The present

  @Test func `a beacon of a plan is drawn as it is received, and a place is a room`() throws {
    let plan = try Self.plan()
    var book = NameBook()
    book[Self.carried] = "<anna>"
    var metrics = OperatorMetrics(version: "1", book: book)
    metrics.add(.receiver("hci0", .listening, TestScan.at(0)))
    metrics.add(Self.received(plan.exhibits[2].identity, -61, at: 1))
    let room = plan.rooms[1].name["de"]
    metrics.add(.place(BeaconPlace(Self.carried, .at(room), hundredths: 97), TestScan.at(2)))
    let html = Self.page(MetricsBoard(metrics, floors: [PlanFloors(plan)]))
    #expect(html.contains("<g class=\"spot received\"><title>103 "), "\(html)")
    #expect(html.contains("<td class=\"name\">-61 dBm at hci0</td>"))
    #expect(html.contains("<td class=\"name\">not received</td>"))
    #expect(html.contains("● &lt;anna&gt;</tspan>"))
    #expect(!html.contains("<anna>"))
    #expect(html.contains("<td>97 %</td>"))
    #expect(!html.contains("id=\"time\""), "there is no history to look at")
  }

  @Test func `no name of a room touches a beacon, also as large as on a narrow screen`() throws {
    let metrics = OperatorMetrics(version: "1", book: NameBook())
    let html = Self.page(MetricsBoard(metrics, floors: [PlanFloors(try Self.plan())]))
    for figure in html.matches(of: /<figure>.*?<\/figure>/) {
      let discs = figure.0.matches(of: /<circle cx="([0-9.]+)" cy="([0-9.]+)" r="11"/).map {
        (x: Double($0.1) ?? 0, y: Double($0.2) ?? 0)
      }
      let names = figure.0.matches(of: /<text x="([0-9.]+)" y="([0-9.]+)" class="b halo">([^<]*)</)
      #expect(!discs.isEmpty && !names.isEmpty)
      for name in names {
        let (x, y, width) = (Double(name.1) ?? 0, Double(name.2) ?? 0, 12 * Double(name.3.count))
        let hidden = discs.filter {
          $0.x > x - 17 && $0.x < x + width + 17 && $0.y > y - 14 - 17 && $0.y < y + 4 + 17
        }
        #expect(hidden.isEmpty, "\(name.3)")
      }
    }
  }

  @Test func `while no radio listens nothing is reported to be not received`() throws {
    let plan = try Self.plan()
    var metrics = OperatorMetrics(version: "1", book: NameBook())
    metrics.add(.receiver("hci0", .deaf, TestScan.at(0)))
    let html = Self.page(MetricsBoard(metrics, floors: [PlanFloors(plan)]))
    #expect(html.contains("No radio listens"))
    #expect(html.contains("<td class=\"name\">unknown</td>"))
    #expect(!html.contains("<td class=\"name\">not received</td>"))
  }

  @Test func `several plans are drawn, and who is in a place stands in one of them`() throws {
    let plan = try Self.plan()
    var metrics = OperatorMetrics(version: "1", book: NameBook())
    let room = plan.rooms[0].name["en"]
    metrics.add(.place(BeaconPlace(Self.carried, .at(room), hundredths: 97), TestScan.at(2)))
    metrics.add(.place(BeaconPlace(TestScan.beacon(7, 2), .at("attic")), TestScan.at(2)))
    let html = Self.page(MetricsBoard(metrics, floors: [PlanFloors(plan), PlanFloors(plan)]))
    #expect(html.split(separator: "<section class=\"plan\">").count - 1 == 2)
    #expect(html.split(separator: "halo guest\"").count - 1 == 1)
    #expect(html.contains("<td class=\"name\">attic</td>"), "a place of no plan is in the table")
  }

  @Test func `places that a recording has are on the page, with the names of a plan`() async throws
  {
    let plan = try Self.plan()
    let folder = try ScratchFolder()
    let room = plan.rooms[3].name["en"]
    let start =
      #"{"v":1,"type":"capture","tool":"t","version":"1","receivers":["a"],"#
      + #""profile":null,"redacted":true}"#
    let place =
      #"{"v":1,"type":"place","t":"2026-05-02T10:00:01.000000Z","#
      + "\"uuid\":\"\(UUIDText.string(Self.carried.uuid))\",\"major\":7,\"minor\":1,"
      + "\"place\":\"\(room)\",\"p\":0.97,\"receivers\":{\"heard\":1,\"deaf\":0}}"
    let mark = #"{"v":1,"type":"mark","t":"2026-05-02T10:00:02.000000Z"}"#
    var options = RunOptions()
    options.captures = [
      try folder.write([start, place, mark].joined(separator: "\n") + "\n", to: "c.jsonl")
    ]
    options.output.format = OutputFormat.none
    options.names[Self.carried] = "anna"
    let board = MetricsBoard(
      OperatorMetrics(version: "1", book: options.names),
      floors: [PlanFloors(plan)]
    )
    let last = PageReader.Last()
    options.participants = [{ PageReader(board, MetricsFeed(board, $0), last) }]
    #expect(try await EventRun.run(options, .ranging, io: .silent) == .done)
    let html = last.html.withLock { $0 }
    #expect(html.contains("● anna</tspan>"), "\(html)")
    #expect(!Self.page(board).contains("● anna"), "the source has ended")
  }

  /// Feeds a board, and reads its page while the run continues.
  private final class PageReader: RunParticipant {
    private let board: MetricsBoard
    private let feed: MetricsFeed
    private let last: Last

    /// The page as it was read last.
    final class Last: Sendable {
      let html = Mutex("")
    }

    init(_ board: MetricsBoard, _ feed: MetricsFeed, _ last: Last) {
      (self.board, self.feed, self.last) = (board, feed, last)
    }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      if case .delivered = moment { return }
      feed.handle(moment, &run)
      guard case .recorded = moment else { return }
      // No time passes in a replay at full speed, so others are not shown.
      feed.show()
      last.html.withLock { $0 = FloorPageTests.page(board) }
    }
  }

  // MARK: A minute of a history

  private static let minute = 29_384_924
  private static var start: Timestamp { PastMinutes.start(of: minute) }

  /// A folder with a history: a beacon of the plan is near in a minute, and a stay lasts from before to after it.
  private static func history(_ plan: Plan, hasEnd: Bool = true) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    let writer = try HistoryWriter(folder.path("days"))
    let room = plan.rooms[1].name["en"]
    let why = #"{"identity":"\#(carried)","rule":"atPlace","place":"\#(room)","p":0.97}"#
    writer.submit([
      .receiver(
        HistoryReceiverState(time: start - .seconds(600), receiver: "hci0", state: .listening)
      ),
      .crossing(
        HistoryCrossing(
          time: start - .seconds(60),
          client: "operator",
          region: "hall",
          kind: .enter,
          reason: "received",
          why: why
        )
      ),
      .visit(
        HistoryVisit(
          entered: start - .seconds(60),
          client: "operator",
          region: "hall",
          left: start + .seconds(120),
          quality: .whole
        )
      ),
      .minute(
        HistoryMinute(
          minute: start,
          identity: plan.exhibits[0].identity,
          receiver: "hci0",
          reports: 31,
          rssiTenths: -612,
          weakest: -70,
          strongest: -55,
          centimeters: 140,
          nearSeconds: 12
        )
      ),
      .crossing(
        HistoryCrossing(
          time: start + .seconds(120),
          client: "operator",
          region: "hall",
          kind: .exit,
          reason: "silent",
          why: why
        )
      ),
    ])
    let end = HistoryReceiverState(time: start + .seconds(600), receiver: "hci0", state: .ended)
    if hasEnd { writer.submit([.receiver(end)]) }
    #expect(writer.finish() == nil)
    return folder
  }

  private static func board(_ plan: Plan, _ folder: String) -> MetricsBoard {
    var live = OperatorMetrics(version: "1", book: NameBook())
    live.add(.reached(TestScan.at(5)))
    return MetricsBoard(
      live,
      floors: [PlanFloors(plan)],
      past: PastMinutes(folder, version: "1", book: NameBook())
    )
  }

  @Test func `a minute of the history shows the reports, and which regions were inside`()
    throws
  {
    let plan = try Self.plan()
    let folder = try Self.history(plan)
    let board = Self.board(plan, folder.path("days"))
    let html = Self.page(board, at: "\(Self.minute)")
    #expect(html.contains("data-minute=\"\(Self.minute)\" data-past"))
    #expect(html.contains(" UTC · from the history"))
    #expect(html.contains("<g class=\"spot shown\"><title>101 "), "\(html)")
    #expect(html.contains("<td class=\"name\">near, 1.4 m, -61 dBm at hci0</td>"))
    #expect(html.contains("<td>in this minute</td>"))
    #expect(html.contains("<td>inside</td>"))
    #expect(html.contains("● \(Self.carried)".prefix(20)), "who was where is known, too")
    #expect(html.contains("<td>entered</td>") && !html.contains("<td>left</td>"))
    let later = Self.page(board, at: "\(Self.minute + 3)")
    #expect(later.contains("<td>outside</td>") && later.contains("<td>left</td>"))
    #expect(!later.contains("spot shown") && !later.contains("halo guest\""))
    #expect(later.contains("<td class=\"name\">not received</td>"))
    let after = Self.page(board, at: "\(Self.minute + 30)")
    #expect(after.contains("No radio listens"))
    #expect(!after.contains("<td>outside</td>"), "nobody listened: unknown is not outside")
  }

  @Test func `around a minute of the history the signals are drawn as plot draws them`() throws {
    let plan = try Self.plan()
    let folder = try Self.history(plan)
    let writer = try HistoryWriter(folder.path("days"))
    let beacon = plan.exhibits[0].identity
    let why =
      #"{"identity":"\#(beacon)","reports":9,"rssi":-78,"power":-59,"gap":30,"threshold":30,"rule":"unlearnedExit"}"#
    writer.submit([
      .crossing(
        HistoryCrossing(
          time: Self.start + .seconds(700),
          client: "operator",
          region: "first <i>",
          kind: .exit,
          reason: "allSilent",
          why: why
        )
      )
    ])
    #expect(writer.finish() == nil)
    let board = Self.board(plan, folder.path("days"))
    func signals(_ of: String?) -> String {
      var query = [StatusPage.minuteKey: "\(Self.minute)"]
      query[SignalsPage.key] = of
      let answer = board.answer(WebRequest(path: SignalsPage.path, query: query))
      return WebCommandTests.text(answer)?.text ?? ""
    }
    let html = signals(nil)
    #expect(html.contains("<svg class=\"plot\"") && html.contains("31 reports"), "\(html)")
    #expect(
      html.contains(
        "left first &lt;i&gt;, silent for 30.0 s: the limit is 30 s until more is learned"
      )
    )
    #expect(html.contains("data-minute=\"\(Self.minute)\" data-past"))
    #expect(html.contains("<a href=\"/?at=\(Self.minute)\">Nearby</a>"))
    #expect(html.contains("/signals?at=\(Self.minute)&amp;of=\(beacon)"))
    #expect(signals("<b>").contains("Nothing is known of this beacon"))
  }

  @Test func `a minute of the history shows in which place a beacon was, also without a region`()
    throws
  {
    let plan = try Self.plan()
    let folder = try Self.history(plan, hasEnd: false)
    let writer = try HistoryWriter(folder.path("days"))
    let other = TestScan.beacon(7, 2)
    let room = plan.rooms[0].name["en"]
    writer.submit([
      .receiver(
        HistoryReceiverState(time: Self.start - .seconds(30), receiver: "hci1", state: .listening)
      ),
      .place(
        HistoryPlace(
          entered: Self.start - .seconds(30),
          identity: other,
          state: .known,
          place: room,
          percent: 93,
          left: Self.start + .seconds(90)
        )
      ),
      .place(
        HistoryPlace(entered: Self.start + .seconds(90), identity: other, state: .unknown)
      ),
      .notice(HistoryNotice(time: Self.start + .seconds(900), code: "late", detail: "{}")),
    ])
    #expect(writer.finish() == nil)
    let board = Self.board(plan, folder.path("days"))
    let html = Self.page(board, at: "\(Self.minute)")
    #expect(html.contains("<td>93 %</td>"), "\(html)")
    let later = Self.page(board, at: "\(Self.minute + 1)")
    #expect(!later.contains("<td>93 %</td>"))
    #expect(later.contains("<td class=\"name\">unknown</td>"))
  }

  @Test func `after the last row of a run that wrote no end nothing is known`() throws {
    let plan = try Self.plan()
    let folder = try Self.history(plan, hasEnd: false)
    let board = Self.board(plan, folder.path("days"))
    let before = Self.page(board, at: "\(Self.minute + 2)")
    #expect(before.contains("<td>listening</td>") && before.contains("<td>outside</td>"))
    let after = Self.page(board, at: "\(Self.minute + 3)")
    #expect(after.contains("No radio listens"), "\(after)")
    #expect(after.contains("<td class=\"name\">unknown</td>"))
    #expect(!after.contains("<td>outside</td>"))
  }

  @Test func `the page offers the days of the history, and its present is the present`() throws {
    let plan = try Self.plan()
    let folder = try Self.history(plan)
    let month = String(RFC3339.string(Self.start).prefix(7))
    for asked in [nil, "", "x", "-1", "1e9", "99999999999", "<b>"] {
      let html = Self.page(Self.board(plan, folder.path("days")), at: asked)
      #expect(html.contains(" min=\"\(month)-01\" max=\"\(month)-3"), "\(html.prefix(900))")
      #expect(html.contains("<input id=\"minute\" type=\"range\""))
      #expect(!html.contains("data-past"))
      #expect(!html.contains("<b>"))
    }
  }

  @Test func `a history that cannot be read is reported to be so, and the present is not a past`()
    throws
  {
    let plan = try Self.plan()
    let folder = try ScratchFolder()
    let board = Self.board(plan, folder.path("none"))
    #expect(Self.page(board).contains("The history cannot be read"))
    _ = try folder.write("no database", to: "history-2026-05.db")
    let damaged = Self.board(plan, folder.path(""))
    let may = try #require(RFC3339.parse("2026-05-02T10:00:00Z")).microseconds / 60_000_000
    let html = Self.page(damaged, at: "\(may)")
    #expect(html.contains("The history cannot be read"))
    #expect(html.contains("no input yet"))
  }

  // MARK: The command

  @Test func `plans and a history are checked before anything is served`() throws {
    let folder = try ScratchFolder()
    let capture = CommandRun.capture("walk.btsnoop")
    func run(_ arguments: [String]) -> CommandRun {
      CommandRun(
        of: .withHistory,
        ["web", "--from", capture, "--port", "0", "--once"] + arguments
      )
    }
    #expect(run(["--plan", Self.planPath, "--plan", Self.planPath]).code == .done)
    let bad = run(["--plan", try folder.write("{", to: "bad.json5")])
    #expect(bad.code == .badData)
    #expect(bad.errors.contains("bad.json5:1:"), "\(bad.errors)")
    #expect(run(["--plan", folder.path("none")]).code == .noInput)
    let many = run(Array(repeating: ["--plan", Self.planPath], count: 17).flatMap { $0 })
    #expect(many.code == .usage)
    let past = run(["--past", folder.path("none")])
    #expect(past.code == .noInput)
    #expect(past.output.isEmpty)
    #expect(run(["--past", folder.path(""), "--history", folder.path("h")]).code == .usage)
    #expect(run(["--model", folder.path("none")]).code == .noInput)
  }
}
