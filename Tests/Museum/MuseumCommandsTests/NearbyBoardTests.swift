// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommandLine
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import BeaconViews
import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands
@testable import BeaconMuseum
@testable import MuseumCommands

/// The tab of the operator's page with the beacons that the guide receives.
@Suite struct NearbyBoardTests {
  /// Feeds a board as the pages of a visit do.
  private final class Feed: RunParticipant {
    private let board: NearbyBoard
    private let isHeld: Bool

    init(_ board: NearbyBoard, isHeld: Bool = false) { (self.board, self.isHeld) = (board, isHeld) }

    func handle(_ moment: RunMoment, _ run: inout RunContext) {
      guard case .delivered(var deliveries) = moment else { return }
      for index in deliveries.indices where isHeld {
        guard case .ranged(var entries) = deliveries[index].event else { continue }
        for entry in entries.indices {
          for beacon in entries[entry].beacons.indices {
            entries[entry].beacons[beacon].isHeld = true
          }
        }
        let (recipient, time) = (deliveries[index].recipient, deliveries[index].time)
        deliveries[index] = Delivery(ofService: .ranged(entries), to: recipient, at: time)
      }
      board.receive(deliveries)
    }
  }

  private static func plan() throws -> Plan {
    try Plan(
      reading: Array(Data(contentsOf: ProjectFiles.fixtures.appending(path: "museum/plan.json5")))
    )
  }

  private static func fed(isHeld: Bool = false) async throws -> NearbyBoard {
    let board = NearbyBoard()
    var options = RunOptions()
    options.captures = [CommandRun.capture("walk.btsnoop")]
    options.output.format = OutputFormat.none
    options.constraints = [.uuid(TestScan.museum)]
    options.participants = [{ _ in Feed(board, isHeld: isHeld) }]
    #expect(try await EventRun.run(options, .ranging, io: .silent) == .done)
    return board
  }

  private static func snapshot(
    _ status: AuthorizationStatus,
    _ accuracy: AccuracyAuthorization = .full
  ) -> GuideSnapshot {
    let view = GuideView(
      status: .inside,
      room: nil,
      exhibit: nil,
      confidence: 0,
      position: nil,
      near: [],
      strangers: []
    )
    return GuideSnapshot(view, authorization: status, accuracy: accuracy)
  }

  @Test(arguments: ["en", "de", "fr", "es", "it"])
  func `the tilde of a held proximity is explained in each language`(language: String) async throws
  {
    let (plan, board) = (try Self.plan(), try await Self.fed(isHeld: true))
    board.limit(to: Self.snapshot(.authorizedWhenInUse), NameBook())
    let html = board.html(of: plan, in: language)
    #expect(html.contains(OperatorPhrases.of(language).held) && html.contains("~</b>"), "\(html)")
  }

  @Test func `the beacons of the guide are a tab of the operator's page, in its language`()
    async throws
  {
    let (plan, board) = (try Self.plan(), try await Self.fed())
    board.limit(to: Self.snapshot(.authorizedWhenInUse), NameBook())
    let html = board.html(of: plan, in: "de")
    #expect(html.contains("<html lang=\"de\">") && html.contains("In der Nähe · 3</h2>"), "\(html)")
    #expect(html.contains("aria-current=\"page\">In der Nähe</a>"))
    #expect(html.contains("<a href=\"/operator?language=de\">Der Guide</a>"))
    #expect(html.contains(" bis ") && !html.contains("Signal of"))
    let page = OperatorPage(of: plan, in: "de").html
    #expect(page.contains("aria-current=\"page\">Der Guide</a>"))
    #expect(page.contains("<a href=\"/nearby?language=de\">In der Nähe</a>"))
  }

  @Test func `the signal of each beacon is a tab, with the words of the page's language`()
    async throws
  {
    let (plan, board) = (try Self.plan(), try await Self.fed())
    board.limit(to: Self.snapshot(.authorizedWhenInUse), NameBook())
    let choices = board.signals(of: plan, in: "de", nil, .utc)
      .matches(of: /href="\/signals\?language=de&amp;of=([0-9A-F-]+\/1\/[0-9]+)"/)
    #expect(choices.count == 3)
    let last = try #require(choices.last).1
    let html = board.signals(of: plan, in: "de", String(last), .utc)
    #expect(
      html.contains("<svg class=\"plot\"") && html.contains("aria-current=\"page\">Signale</a>")
    )
    for word in ["Abstand mit seinem 90-%-Intervall", "Stille", "Die letzten Minuten", "dBm"] {
      #expect(html.contains(word), "\(word)")
    }
    for word in ["Silence", "Distance", "Region", "report", "crossing", "Receivers"] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(board.html(of: plan, in: "de").contains("/signals?language=de&amp;of="))
    // Another beacon, and one that does not exist.
    #expect(board.signals(of: plan, in: "de", "<b>", .utc).contains("<svg class=\"plot\""))
  }

  @Test(arguments: [
    (AuthorizationStatus.notDetermined, AccuracyAuthorization.full), (.denied, .full),
    (.authorizedAlways, .reduced),
  ])
  func `without the permission no beacon is on the page, also not later`(
    _ status: AuthorizationStatus,
    _ accuracy: AccuracyAuthorization
  ) async throws {
    let (plan, board) = (try Self.plan(), try await Self.fed())
    board.limit(to: Self.snapshot(status, accuracy), NameBook())
    #expect(!board.html(of: plan, in: "en").contains("F7826DA6"))
    #expect(!board.signals(of: plan, in: "en", nil, .utc).contains("F7826DA6"))
    board.limit(to: Self.snapshot(.authorizedAlways), NameBook())
    #expect(!board.html(of: plan, in: "en").contains("F7826DA6"), "it was forgotten")
    #expect(!board.signals(of: plan, in: "en", nil, .utc).contains("F7826DA6"))
  }
}
