// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Foundation
import Pages
import Testing

@testable import BeaconMuseum

/// The report's page and table are well-formed and self-contained, and withhold figures about few visitors.
@Suite struct VisitReportTests {
  private static func many(_ count: Int) -> [Visit] {
    let few: [(Int, Double, Double)] = [(7, 10, 90), (0, 100, 120)]
    let usual: [(Int, Double, Double)] = [(0, 10, 40), (1, 50, 70)]
    let fewRooms: [(Int, Double, Double)] = [(1, 0, 95), (0, 95, 200)]
    let usualRooms: [(Int, Double, Double)] = [(0, 0, 200)]
    return (0..<count).map { number in
      let start = Double(60 * number)
      return VisitStatisticsTests.visit(
        number < 3 ? few : usual,
        rooms: number < 3 ? fewRooms : usualRooms,
        from: start,
        to: start + 200
      )
    }
  }

  /// Returns the fault of the order in which elements are closed; `nil` if nothing is.
  private static func fault(_ html: String) -> String? {
    let void: Set<Substring> = ["meta", "!DOCTYPE"]
    var open: [Substring] = []
    for part in html.split(separator: "<").dropFirst() {
      guard let end = part.firstIndex(of: ">") else { return "no end of \(part.prefix(40))" }
      let tag = part[..<end]
      let name = tag.prefix { !" \n/".contains($0) || (tag.first == "/" && $0 == "/") }
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return "\(tag) does not close what is open" }
      } else if !tag.hasSuffix("/"), !void.contains(name) {
        open.append(name)
      }
    }
    return open.isEmpty ? nil : "left open: \(open)"
  }

  @Test(arguments: [0, 1, 3, 20]) func `the page is well-formed and requests nothing`(count: Int)
    throws
  {
    let html = VisitReport(Self.many(count), of: try PlanTests.fixture()).html
    #expect(Self.fault(html) == nil)
    for word in ["<script", "http://", "https://", "src=", "@import", "url(//", "javascript:"] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(html.contains("default-src 'none'"))
    #expect(html.contains("prefers-color-scheme:dark"))
  }

  @Test func `every drawing has a name and a table next to it`() throws {
    let html = VisitReport(Self.many(20), of: try PlanTests.fixture()).html
    let drawings = html.components(separatedBy: "role=\"img\"").count - 1
    #expect(drawings == 4)
    #expect(html.components(separatedBy: "<svg viewBox").count - 1 >= drawings)
    for section in html.components(separatedBy: "<section").dropFirst() {
      #expect(section.contains("<table>"), "\(section.prefix(60))")
      #expect(section.contains("tabindex=\"0\" role=\"region\" aria-label="))
    }
  }

  @Test func `a color is the same number of visitors in every room, and an area the same time`()
    throws
  {
    let stays = [(0, 0.0, 100.0), (1, 100, 106)]
    let visits = (0..<20).map { number in
      VisitStatisticsTests.visit(
        stays,
        rooms: number < 10 ? [(0, 0, 100), (1, 100, 200)] : [(0, 0, 200)]
      )
    }
    let report = VisitReport(visits, of: try PlanTests.fixture(), suppression: .everything)
    let html = report.html
    let section = try #require(html.components(separatedBy: "id=\"day\"").last)
    let strengths = section.components(separatedBy: "fill-opacity=\"").dropFirst()
      .compactMap { Double($0.prefix { $0 != "\"" }) }
    #expect(strengths.contains(1) && strengths.contains { (0.55...0.6).contains($0) })
    let radii = html.components(separatedBy: " area\" ").dropFirst().compactMap {
      $0.components(separatedBy: " r=\"").dropFirst().first.flatMap {
        Double($0.prefix { $0 != "\"" })
      }
    }
    let ratio = try #require(radii.last) / #require(radii.first)
    #expect((ratio * ratio - 0.06).magnitude < 0.005, "\(radii)")
  }

  @Test func `three visitors among twenty are withheld, and shown on request`() throws {
    let plan = try PlanTests.fixture()
    let title = plan.exhibits[7].title["en"]
    func row(_ report: VisitReport) -> Substring? {
      report.csv.split(separator: "\r\n").first { $0.contains(title) }
    }
    let usual = VisitReport(Self.many(23), of: plan)
    #expect(usual.html.contains("≥ 20 visits") && !usual.html.contains("23 visits"))
    #expect(row(usual) == "203,\(title),Sky,2,203,,,,,,,,,,,,,,,,,,,,,,")
    #expect(usual.html.contains("withheld"))
    let asked = VisitReport(Self.many(20), of: plan, suppression: .everything)
    #expect(row(asked)?.hasPrefix("203,\(title),Sky,2,203,3,3,3,1.000,240.000,") == true)
  }

  @Test(arguments: [1, 23])
  func `a room without beacons that was not reached is listed like the others`(_ count: Int) throws
  {
    let plan = try PlanTests.fixture()
    let html = VisitReport(Self.many(count), of: plan).html
    let rest = try #require(html.components(separatedBy: #"<section id="rest">"#).last)
    for room in plan.rooms {
      #expect(rest.contains(#"<th scope="row">\#(room.name["en"])</th>"#), "\(room.name["en"])")
    }
  }

  @Test func `one visit is its visitor's: nothing is withheld`() throws {
    let html = VisitReport(Self.many(1), of: try PlanTests.fixture()).html
    #expect(!html.contains("class=\"few\""))
    #expect(html.contains("The visit by the clock"))
    #expect(html.contains("class=\"path\""))
  }

  @Test func `names are escaped as text`() throws {
    var plan = try PlanTests.fixture()
    plan.museum = LocalizedText("<script>alert('\"&')</script>", in: "en")
    plan.exhibits[0].title = LocalizedText("=cmd,\"x\"\u{1}", in: "en")
    let report = VisitReport(Self.many(20), of: plan)
    #expect(Self.fault(report.html) == nil)
    #expect(report.html.contains("&lt;script&gt;alert(&#39;&quot;&amp;&#39;)"))
    #expect(report.csv.contains("\"'=cmd,\"\"x\"\""))
  }

  @Test func `names are in the requested language`() throws {
    let html = VisitReport(Self.many(20), of: try PlanTests.fixture(), language: "de").html
    #expect(html.contains("Museum des Messens") && html.contains("Sonnenuhr"))
    #expect(!html.contains("Sundial"))
  }

  @Test func `a plan without a drawing has a report`() throws {
    var plan = try PlanTests.fixture()
    plan.floors = []
    for index in plan.rooms.indices { plan.rooms[index].outline = [] }
    for index in plan.exhibits.indices { plan.exhibits[index].position = nil }
    let html = VisitReport(Self.many(20), of: plan).html
    #expect(Self.fault(html) == nil)
    #expect(html.contains("The plan draws no rooms."))
  }

  @Test func `the same visits make the same page`() throws {
    let plan = try PlanTests.fixture()
    #expect(VisitReport(Self.many(30), of: plan).html == VisitReport(Self.many(30), of: plan).html)
  }

  @Test(arguments: ["de", "fr", "es", "it"])
  func `the whole page is in the language`(language: String) throws {
    var plan = try PlanTests.fixture()
    plan.languages.append(language)
    for count in [0, 1, 3, 20] {
      let html = VisitReport(Self.many(count), of: plan, language: language).html
      #expect(Self.fault(html) == nil)
      #expect(html.contains("<html lang=\"\(language)\">"))
      for phrase in [
        "To the report", "Where the time went", "minutes and seconds", "What the words mean",
        "Times of day", "withheld", "No entries",
      ] {
        #expect(!html.contains(phrase), "\(phrase)")
      }
    }
  }

  @Test func `ways of few visitors are not listed, so that their order shows nothing`() throws {
    let report = VisitReport(Self.many(20), of: try PlanTests.fixture())
    let flow = try #require(report.html.components(separatedBy: "<section id=\"flow\"").last)
      .components(separatedBy: "</section>")[0]
    // Three visitors went from the second room to the first; the others did not change rooms.
    #expect(!report.statistics.roomTransitions.isEmpty)
    #expect(!flow.contains("<th scope=\"row\">Sky</th><td>Time</td>"))
    #expect(flow.contains("fewer than 5 visitors"))
    let everything = VisitReport(
      Self.many(20),
      of: try PlanTests.fixture(),
      suppression: .everything
    )
    #expect(everything.html.contains("<th scope=\"row\">Sky</th><td>Time</td>"))
  }

  @Test func `times are local and name their zone`() throws {
    let plan = try PlanTests.fixture()
    let zone = LocalZone { _ in .seconds(5 * 3600 + 1800) }
    for count in [1, 20] {
      let html = VisitReport(Self.many(count), of: plan, zone: zone).html
      #expect(html.contains("UTC+05:30") && !html.contains(" UTC<"))
    }
  }

  @Test func `a visitor is counted in a room in every minute in which they were there`() throws {
    let plan = try PlanTests.fixture()
    // Ten seconds in the first room, which contain no full minute.
    let visits = (0..<21).map { _ in
      VisitStatisticsTests.visit([], rooms: [(0, 5, 15), (1, 15, 100)], from: 0, to: 100)
    }
    let html = VisitReport(visits, of: plan).html
    let scarf = try #require(html.components(separatedBy: "<section id=\"scarf\"").last)
    // The 21 visitors are shown as 20.
    #expect(
      scarf.contains(
        "<th scope=\"row\">0</th><td class=\"n\">20</td><td class=\"n\">20</td><td class=\"n\">20</td>"
      )
    )
    let everything = VisitReport(visits, of: plan, suppression: .everything).html
    #expect(
      everything.contains(
        "<th scope=\"row\">0</th><td class=\"n\">21</td><td class=\"n\">21</td><td class=\"n\">21</td>"
      )
    )
  }

  /// The relative luminance of a color, after WCAG 2.2.
  private static func luminance(_ color: [Double]) -> Double {
    let parts = color.map { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  private static func contrast(_ first: [Double], _ second: [Double]) -> Double {
    let (one, other) = (luminance(first), luminance(second))
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
  }

  @Test(arguments: Texts.colorsStyle.split(separator: "@media").map(String.init))
  func `every text color has a contrast of 4.5 or more to what is after it`(style: String) throws {
    var colors: [String: [Double]] = [:]
    for match in style.matches(of: /--([a-z0-9]+):#([0-9a-f]+)/) {
      let digits = match.2.count == 3 ? match.2.flatMap { [$0, $0] } : Array(match.2)
      colors[String(match.1)] = stride(from: 0, to: 6, by: 2).map {
        Double(Int(String(digits[$0...($0 + 1)]), radix: 16) ?? 0) / 255
      }
    }
    let card = try #require(colors["card"])
    for text in ["ink", "soft", "accent"] {
      for ground in ["card", "page"] {
        let ratio = Self.contrast(try #require(colors[text]), try #require(colors[ground]))
        #expect(ratio >= 4.5, "\(text) on \(ground): \(ratio)")
      }
    }
    for room in 1...Styles.roomColors {
      let color = try #require(colors["r\(room)"])
      #expect(Self.contrast(try #require(colors["on"]), color) >= 4.5, "r\(room)")
      // A room's floor is tinted by sixteen percent.
      let tint = zip(color, card).map { 0.16 * $0 + 0.84 * $1 }
      for text in ["ink", "soft"] {
        #expect(Self.contrast(try #require(colors[text]), tint) >= 4.5, "\(text) on r\(room)")
      }
    }
    #expect(!Styles.report.contains("color:var(--faint)"))
    #expect(Styles.report.contains("svg .area{fill-opacity:1}"))
  }
}
