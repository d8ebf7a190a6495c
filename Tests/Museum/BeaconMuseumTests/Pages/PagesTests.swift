// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// The pages contain everything that the script fills, nothing inline and nothing from other sites, and names stay
/// text.
@Suite struct PagesTests {
  private func pages(_ plan: Plan) -> [String] {
    let language = plan.languages[0]
    return [
      VisitorPage(of: plan, in: language).html, OperatorPage(of: plan, in: language).html,
    ]
  }

  /// The elements that the script looks up in the page.
  private var wanted: Set<String> {
    Set(PageScript.source.matches(of: /byId\('([a-z-]+)'\)/).map { String($0.1) })
  }

  @Test func `what the script fills is on one of the pages`() throws {
    let pages = pages(try PlanTests.fixture())
    #expect(wanted.count > 10)
    for id in wanted {
      #expect(pages.contains { $0.contains("id=\"\(id)\"") }, "\(id)")
    }
  }

  @Test func `no script, style or handler is inline, and nothing is requested from elsewhere`()
    throws
  {
    for page in pages(try PlanTests.fixture()) {
      #expect(!page.contains("style="))
      #expect(!page.contains("<style"))
      #expect(!page.contains(/\son[a-z]+=/))
      #expect(!page.contains("://"))
      #expect(page.matches(of: /<script[^>]*>[^<]/).isEmpty)
    }
    #expect(!PageStyle.sheet.contains("url("))
    #expect(!PageStyle.sheet.contains("@import"))
    #expect(!PageScript.source.contains("innerHTML"))
  }

  @Test func `a page is in its language and offers the others`() throws {
    let page = VisitorPage(of: try PlanTests.fixture(), in: "de").html
    #expect(page.contains("<html lang=\"de\">"))
    #expect(page.contains("Vor Ihnen"))
    #expect(page.contains("<a href=\"/?language=en\" hreflang=\"en\" lang=\"en\">English</a>"))
    #expect(page.contains("aria-current=\"page\">Deutsch</a>"))
    #expect(page.contains("data-events=\"/events/visitor?language=de\""))
  }

  @Test func `the plan is drawn with every room and every exhibit`() throws {
    let plan = try PlanTests.fixture()
    let page = OperatorPage(of: plan, in: "en").html
    for room in plan.rooms.indices { #expect(page.contains("data-room=\"\(room)\"")) }
    for exhibit in plan.exhibits.indices { #expect(page.contains("data-exhibit=\"\(exhibit)\"")) }
  }

  @Test func `a plan without a drawing has its page too`() throws {
    var plan = try PlanTests.fixture()
    for index in plan.rooms.indices { plan.rooms[index].outline = [] }
    #expect(OperatorPage(of: plan, in: "en").html.contains("The plan draws no rooms."))
    let state = OperatorState(GuideSnapshotTests.snapshot(of: plan), of: plan, in: "en").json
    #expect(state.contains(#""floor":null,"x":null,"y":null"#))
  }

  @Test func `names are escaped as text`() throws {
    var plan = try PlanTests.fixture()
    let hostile = LocalizedText("<script>alert('&\"')</script>", in: "en")
    plan.museum = hostile
    plan.rooms[0].name = hostile
    plan.exhibits[1].title = hostile
    for page in pages(plan) { #expect(!page.contains("<script>alert")) }
    let state = VisitorState(GuideSnapshotTests.snapshot(of: plan), of: plan, in: "en").json
    #expect(state.contains(#""title":"<script>alert('&\"')</script>""#))
  }

  @Test(
    arguments: [
      (nil, ["de", "en"], "de"), ("en", ["de"], "en"), (nil, ["de-ch"], "de"), (nil, ["fr"], "en"),
      ("DE", [], "de"), ("xx", ["de"], "de"), (nil, [], "en"),
    ] as [(String?, [String], String)]
  )
  func `a reader gets the requested language, otherwise the preferred one`(
    asked: String?,
    preferred: [String],
    language: String
  ) throws {
    let plan = try PlanTests.fixture()
    #expect(
      PageLanguage.choose(of: plan, asked: asked, preferred: preferred, usual: "en") == language
    )
  }

  @Test func `radios are counted, and their states are shown`() throws {
    var radios = RadioHealth()
    var scan = TestScan()
    scan.report(TestScan.beacon(1, 101), -60, at: 1)
    scan.mark(at: 3)
    radios.names = ["hci0"]
    radios.process(scan.batch)
    radios.process(ScanBatch(bytes: [], inputs: [.radio(receiver: 1, .deaf, TestScan.at(4))]))
    #expect(radios.receivers.map(\.reports) == [1, 0])
    let plan = try PlanTests.fixture()
    let state = OperatorState(
      GuideSnapshotTests.snapshot(of: plan),
      of: plan,
      in: "en",
      radios: radios,
      readers: OperatorState.Readers(streams: 2, dropped: 3, refused: 4)
    ).json
    #expect(state.contains(#"["hci0","listening","1","3.0 s ago"]"#))
    let deaf = #"["receiver 1","deaf: receives nothing although it should","0","never"]"#
    #expect(state.contains(deaf))
    #expect(state.contains(#"["Open pages","2"],["Slow readers dropped","3"]"#))
  }

  @Test(arguments: [AuthorizationStatus.notDetermined, .denied, .restricted, .authorizedWhenInUse])
  func `an operator's page tells nothing of beacons that the guide may not know`(
    status: AuthorizationStatus
  ) throws {
    let plan = try PlanTests.fixture()
    var snapshot = GuideSnapshotTests.snapshot(of: plan)
    (snapshot.authorization, snapshot.accuracy) = (status, .reduced)
    let states = [1, 7].map { count in
      var radios = RadioHealth()
      var scan = TestScan()
      radios.process(ScanBatch(inputs: [.radio(receiver: 0, .listening, TestScan.at(-1))]))
      // A receiver is deaf by its silence, and the next report ends that.
      if count == 7 {
        radios.process(ScanBatch(inputs: [.radio(receiver: 0, .deaf, TestScan.at(-0.5))]))
        scan.add(.radio(receiver: 1, .listening, TestScan.at(0)))
        scan.report(TestScan.beacon(1, 101), -60, at: 0, receiver: 1)
      }
      for second in 0..<count { scan.report(TestScan.beacon(1, 101), -60, at: Double(second) / 5) }
      scan.mark(at: 3)
      radios.names = ["hci0"]
      radios.process(scan.batch)
      return OperatorState(snapshot, of: plan, in: "en", radios: radios).json
    }
    #expect(states[0] == states[1])
    #expect(states[0].contains(#"["hci0","listening","–","–"]"#), "\(states[0])")
  }

  @Test func `a page knows of the next visitor, and the token is not in the page itself`() throws {
    let plan = try PlanTests.fixture()
    var snapshot = GuideSnapshotTests.snapshot(of: plan)
    snapshot.visit = 3
    #expect(VisitorState(snapshot, of: plan, in: "en").json.contains(#""visit":3"#))
    let state = { OperatorState(snapshot, of: plan, in: "en", token: $0).json }
    #expect(state("7f").hasSuffix(#""token":"7f"}"#))
    #expect(state(nil).hasSuffix(#""token":null}"#))
    // Without a token the form stays hidden.
    let page = OperatorPage(of: plan, in: "de").html
    #expect(page.contains("<section id=\"lent\" aria-labelledby=\"lent-label\" hidden=\"\">"))
    #expect(page.contains("data-send=\"/operator/next\"") && page.contains("Nächster Gast"))
  }

  @Test func `the operator's page is in each language, with a row for every exhibit and a scale`()
    throws
  {
    let plan = try PlanTests.fixture()
    let page = OperatorPage(of: plan, in: "de").html
    #expect(page.contains("<html lang=\"de\">") && page.contains("Wo der Guide ist"))
    #expect(page.contains("href=\"/operator?language=en\""))
    for exhibit in plan.exhibits.indices { #expect(page.contains("data-row=\"\(exhibit)\"")) }
    #expect(page.contains(">5 m</text>"))
    // The last drawing is on top: the numbers, not the guide.
    let guide = try #require(page.firstRange(of: "class=\"guide\""))
    let spot = try #require(page.firstRange(of: "class=\"spot\" data"))
    #expect(guide.lowerBound < spot.lowerBound)
    // The live facts come first on a narrow screen.
    let facts = try #require(page.firstRange(of: "id=\"facts\""))
    #expect(facts.lowerBound < guide.lowerBound)
  }

  @Test func `the operator's clock is local and names its zone, and beacons have names`() throws {
    let plan = try PlanTests.fixture()
    var snapshot = GuideSnapshotTests.snapshot(of: plan)
    snapshot.time = TestScan.at(0)
    let stranger = BeaconIdentity(uuid: plan.uuid, major: 9, minor: 1)
    snapshot.view.strangers = [
      stranger, BeaconIdentity(uuid: plan.uuid, major: 9, minor: 2),
    ]
    var names = NameBook()
    names[stranger] = "Spare beacon"
    let state = OperatorState(
      snapshot,
      of: plan,
      in: "en",
      names: names,
      zone: LocalZone { _ in .seconds(7200) }
    ).json
    #expect(state.contains("UTC+02:00"))
    #expect(state.contains("\"2: Spare beacon, 9/2\""))
    #expect(OperatorState(snapshot, of: plan, in: "en").json.contains(" UTC\""))
  }

  @Test func `a visitor can open every exhibit by its number, with its image and its sound`() throws
  {
    var plan = try PlanTests.fixture()
    plan.exhibits[0].image = "sun dial.jpg"
    plan.exhibits[0].audio = LocalizedText([
      LocalizedText.Entry(language: "en", text: "a.mp3"),
      LocalizedText.Entry(language: "de", text: "b.mp3"),
    ])
    let page = VisitorPage(of: plan, in: "de").html
    for (index, exhibit) in plan.exhibits.enumerated() {
      #expect(
        page.contains("data-open=\"\(index)\" data-number=\"\(exhibit.identity.minor)\"")
      )
    }
    #expect(page.contains("data-image=\"/media/sun%20dial.jpg\" data-audio=\"/media/b.mp3\""))
    #expect(!page.contains("a.mp3"))
  }
}
