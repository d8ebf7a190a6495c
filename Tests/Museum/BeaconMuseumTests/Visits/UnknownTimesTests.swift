// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// Times of which nothing is known, and what lies between them.
@Suite struct UnknownTimesTests {
  private static func at(_ seconds: Double) -> Timestamp { TestScan.at(seconds) }

  private static func estimates(_ rooms: [Int?], from start: Double = 1) -> [Smoother.Estimate] {
    rooms.enumerated().map {
      Smoother.Estimate(
        time: at(start + Double($0)),
        exhibits: [],
        reaches: [],
        point: nil,
        room: $1
      )
    }
  }

  private static func stay(_ room: Int, _ start: Double, _ end: Double) -> Visit.RoomStay {
    Visit.RoomStay(room: room, start: at(start), end: at(end))
  }

  private static func gap(_ start: Double, _ end: Double) -> Visit.Gap {
    Visit.Gap(.unheard, start: at(start), end: at(end))
  }

  @Test
  func `a room of a few seconds at the edge of a visit is left out, and one in the middle stays`() {
    let rooms = RoomTimes(
      Self.estimates(
        Array(repeating: 4, count: 3) + Array(repeating: 0, count: 20)
          + Array(repeating: 1, count: 3) + Array(repeating: 2, count: 20)
          + Array(repeating: 3, count: 2)
      ),
      named: []
    )
    let expected = [Self.stay(0, 0, 23), Self.stay(1, 23, 26), Self.stay(2, 26, 48)]
    #expect(rooms.stays(without: []) == expected)
  }

  @Test func `while the guide rests the room is the one that it named`() {
    let rooms = RoomTimes(
      Self.estimates(Array(repeating: 0, count: 10))
        + Self.estimates(Array(repeating: 1, count: 10), from: 101),
      named: [Self.stay(1, 3, 8), Self.stay(5, 8, 100), Self.stay(0, 100, 130)]
    )
    #expect(
      rooms.stays(without: []) == [
        Self.stay(0, 0, 10), Self.stay(5, 10, 100), Self.stay(1, 100, 110),
        Self.stay(0, 110, 130),
      ]
    )
  }

  @Test func `no step crosses a gap, and the seconds of both sides stay`() {
    let rooms = RoomTimes(
      Self.estimates(Array(repeating: 0, count: 30))
        + Self.estimates(Array(repeating: 1, count: 30), from: 331),
      named: [Self.stay(0, 0, 340)]
    )
    let visit = Visit(
      start: Self.at(0),
      end: Self.at(360),
      rooms: rooms.stays(without: [Self.gap(30, 330)]),
      gaps: [Self.gap(30, 330)]
    )
    #expect(visit.rooms == [Self.stay(0, 0, 30), Self.stay(1, 330, 360)])
    #expect(visit.length == 60 && visit.span == 360)
    let parts = visit.parts(visit.rooms, from: { $0.start }, to: { $0.end })
    #expect(parts.map { $0.map(\.room) } == [[0], [1]])
    #expect(visit.known.map(\.start) == [Self.at(0), Self.at(330)])
  }

  @Test func `a short silence within a room is the room's, and a long one is not`() {
    let rooms = RoomTimes([], named: [Self.stay(0, 0, 200), Self.stay(1, 200, 300)])
    #expect(rooms.bridges(Self.at(20)..<Self.at(80)))
    #expect(!rooms.bridges(Self.at(20)..<Self.at(81)))
    #expect(!rooms.bridges(Self.at(190)..<Self.at(210)))
  }

  @Test func `receivers that do not listen and a silence of more than a minute are unheard`() {
    var scan = TestScan()
    let beacon = TestScan.beacon(1, 1)
    for second in [0.0, 30, 200, 201] { scan.report(beacon, -60, at: second) }
    var unheard = UnheardTimes(TimingConfiguration())
    unheard.add(scan.inOrder)
    #expect(unheard.all(until: Self.at(201)) == [Self.at(30)..<Self.at(200)])
    unheard.add(
      ScanBatch(inputs: [
        .radio(receiver: 1, .listening, Self.at(210)), .radio(receiver: 0, .off, Self.at(211)),
        .radio(receiver: 1, .deaf, Self.at(220)), .radio(receiver: 1, .listening, Self.at(400)),
        .mark(Self.at(401)), .radio(receiver: 1, .off, Self.at(410)),
      ])
    )
    #expect(
      unheard.all(until: Self.at(420)) == [
        Self.at(30)..<Self.at(200), Self.at(220)..<Self.at(400), Self.at(410)..<Self.at(420),
      ]
    )
  }

  @Test func `times that overlap are counted once, and a refusal comes before a silence`() {
    let denied = Visit.Gap(.notAllowed, start: Self.at(10), end: Self.at(20))
    #expect(
      RoomTimes.gaps([denied, Self.gap(5, 30)]) == [Self.gap(5, 10), denied, Self.gap(20, 30)]
    )
  }

  @Test func `a report tells of the times of which nothing is known, in each language`() throws {
    let plan = try PlanTests.fixture()
    let visit = Visit(
      start: Self.at(0),
      end: Self.at(600),
      rooms: [Self.stay(0, 0, 60)],
      gaps: [Visit.Gap(.notAllowed, start: Self.at(60), end: Self.at(120)), Self.gap(120, 600)]
    )
    for language in ["en", "de", "fr", "es", "it"] {
      let phrases = ReportPhrases.of(language)
      let html = VisitReport([visit], of: plan, language: language).html
      for text in ["<dt>\(phrases.notAllowed)</dt><dd>1:00", "<dt>\(phrases.unheard)</dt><dd>8:00"]
      {
        #expect(html.contains(text), "\(text)")
      }
      // Nobody knows who was never in a room.
      #expect(!html.contains("100 %"), "\(language)")
    }
    // Of few visitors it tells nothing.
    let html = VisitReport([visit, visit], of: plan).html
    #expect(!html.contains("<dt>Not allowed</dt><dd>1") && !html.contains("8:00"))
  }
}
