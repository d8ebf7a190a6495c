// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import BeaconTestSupport
import Testing

/// The guide asks for permission, monitors, ranges only inside the museum, and shows room and exhibit without switching
/// back and forth.
@Suite struct GuideTests {
  static let sundial = Plan.Point(2, 2.5)
  static let hourglass = Plan.Point(8, 2.5)
  static let astrolabe = Plan.Point(12, 2.5)
  static let granted = SavedAuthorization(status: .authorizedWhenInUse)

  private func visit(
    granted: SavedAuthorization? = Self.granted,
    profile: Profile = .standard
  ) throws -> GuideVisit {
    try GuideVisit(PlanTests.fixture(), profile: profile, granted: granted)
  }

  @Test func `the visitor is asked first, and nothing is shown without an answer`() throws {
    var visit = try visit(granted: nil)
    visit.stay(at: Self.sundial, for: 10)
    #expect(visit.texts == ["asking"])
    #expect(visit.requests == [.authorize(.whenInUse)])
    visit.does(.answer(.whileUsing))
    visit.stay(at: Self.sundial, for: 10)
    #expect(
      visit.texts == [
        "asking", "looking", "inside", "room Time", "show Sundial", "announce Sundial",
      ]
    )
  }

  @Test func `a refusal is shown and stays until Settings change it`() throws {
    var visit = try visit(granted: nil)
    visit.does(.answer(.dontAllow))
    visit.stay(at: Self.sundial, for: 10)
    #expect(visit.texts == ["asking", "denied"])
    visit.does(.settings(authorization: .whileUsing))
    visit.stay(at: Self.sundial, for: 10)
    #expect(
      visit.texts.suffix(4) == ["inside", "room Time", "show Sundial", "announce Sundial"]
    )
  }

  @Test func `one region with only the UUID is monitored, and ranging is requested inside`() throws
  {
    var visit = try visit()
    visit.stay(at: nil, for: 15)
    let uuid = IdentityConstraint.uuid(visit.plan.uuid)
    #expect(visit.requests.contains(.monitor(Region(Guide.region, uuid))))
    #expect(!visit.requests.contains(.range(uuid)))
    visit.stay(at: Self.sundial, for: 3)
    #expect(visit.requests.last == .range(uuid))
  }

  @Test func `if no room is received, as in the cafeteria, ranging stops`() throws {
    var visit = try visit()
    visit.stay(at: Self.sundial, for: 10)
    visit.silence(for: 60)
    #expect(visit.texts.last == "outside")
    #expect(visit.requests.last == .stopRanging(.uuid(visit.plan.uuid)))
    #expect(visit.guide.view.room == nil)
    visit.stay(at: Self.sundial, for: 10)
    // It was announced a minute ago.
    #expect(visit.texts.suffix(3) == ["inside", "room Time", "back at Sundial"])
  }

  @Test
  func `with beacons received in the cafeteria it rests, and the next room is shown immediately`()
    throws
  {
    let chair = Plan.Point(15, 10.5)
    let door = Plan.Point(10, 10.5)
    let barometer = Plan.Point(2, 10)
    var visit = try visit()
    visit.walk(from: door, to: chair)
    visit.stay(at: chair, for: 60, noise: 3)
    #expect(visit.texts.last == "room Cafeteria")
    #expect(visit.requests.last?.isMonitoring(Guide.nearer) ?? false)
    #expect(visit.requests.dropLast().last == .stopRanging(.uuid(visit.plan.uuid)))
    let before = visit.requests.count
    visit.stay(at: chair, for: 600, noise: 3)
    #expect(visit.requests.count == before)
    #expect(visit.guide.view.room?.name["en"] == "Cafeteria" && visit.guide.view.near.isEmpty)
    visit.walk(from: chair, to: door)
    let through = visit.now
    visit.walk(from: door, to: barometer)
    #expect(visit.requests.contains(.stopMonitoring(Guide.nearer)))
    let entered = try #require(visit.story.last { $0.text == "room Weather" })
    #expect(entered.seconds - through <= 3)
  }

  @Test func `a strong beacon next to a chair prevents the resting state`() throws {
    let chair = Plan.Point(15, 10.5)
    var plan = try PlanTests.fixture()
    let drawn = plan
    let index = try #require(plan.exhibits.firstIndex { $0.identity.minor == 503 })
    plan.exhibits[index].position = Plan.Point(14, 10.5)
    var visit = try GuideVisit(drawn, granted: Self.granted)
    visit.stay(at: chair, for: 120, as: plan)
    #expect(!visit.requests.contains { $0.isMonitoring(Guide.nearer) })
  }

  @Test func `a rest ends when the museum is left`() throws {
    var visit = try visit()
    visit.stay(at: Plan.Point(15, 10.5), for: 60)
    #expect(visit.requests.contains { $0.isMonitoring(Guide.nearer) })
    visit.silence(for: 60)
    #expect(visit.texts.last == "outside")
    #expect(visit.requests.last == .stopMonitoring(Guide.nearer))
  }

  @Test func `a radio that is off does not mean outside, and nothing is shown`() throws {
    var visit = try visit()
    visit.stay(at: Self.sundial, for: 10)
    visit.radio(.off)
    #expect(visit.texts.last == "looking")
    #expect(visit.requests.last == .stopRanging(.uuid(visit.plan.uuid)))
  }

  @Test func `rooms and exhibits follow each other as the visitor walks`() throws {
    var visit = try visit()
    visit.stay(at: Self.sundial, for: 8)
    visit.walk(from: Self.sundial, to: Self.hourglass)
    visit.stay(at: Self.hourglass, for: 8)
    visit.walk(from: Self.hourglass, to: Plan.Point(10, 3.5))
    visit.walk(from: Plan.Point(10, 3.5), to: Self.astrolabe)
    visit.stay(at: Self.astrolabe, for: 8)
    let announced = visit.texts.filter { $0.hasPrefix("announce") }
    #expect(announced.first == "announce Sundial")
    #expect(announced.last == "announce Astrolabe")
    #expect(announced.contains("announce Hourglass"))
    #expect(visit.texts.filter { $0.hasPrefix("room") } == ["room Time", "room Sky"])
  }

  @Test(.slow, arguments: 1...3)
  func `halfway between two exhibits it does not switch back and forth`(seed: UInt64)
    throws
  {
    var visit = try GuideVisit(PlanTests.fixture(), granted: Self.granted, seed: seed)
    visit.stay(at: Plan.Point(3.5, 1.5), for: 200, noise: 6)
    let shown = visit.texts.filter { $0.hasPrefix("show") || $0.hasPrefix("back") }
    // Noise of ±6 dB makes one or the other nearer in every second; more than four in three minutes would be noticed.
    #expect(shown.count <= 4, "\(shown)")
  }

  @Test func `an exhibit is announced once, and again only after minutes`() throws {
    var visit = try visit()
    for _ in 0..<2 {
      visit.stay(at: Self.sundial, for: 10)
      visit.stay(at: Self.hourglass, for: 10)
    }
    #expect(visit.texts.count { $0 == "announce Sundial" } == 1)
    #expect(visit.texts.contains("back at Sundial"))
    visit.stay(at: Self.hourglass, for: 300)
    visit.stay(at: Self.sundial, for: 10)
    #expect(visit.texts.last == "announce Sundial")
  }

  @Test func `under reduced accuracy it shows only that, and requests full accuracy on a wish`()
    throws
  {
    var visit = try visit()
    visit.stay(at: Self.sundial, for: 10)
    visit.does(.settings(precise: false))
    #expect(visit.texts.last == "reduced")
    visit.does(.background)
    visit.does(.foreground)
    let precise = ClientRequest.authorize(.temporaryFull(purpose: "ExhibitGuide"))
    #expect(!visit.requests.contains(precise))
    visit.does(.press(control: "another"))
    #expect(!visit.requests.contains(precise))
    visit.does(.press(control: Guide.placeControl))
    #expect(visit.requests.last == precise)
    let before = visit.texts
    visit.does(.answer(.dontAllow))
    visit.stay(at: Self.hourglass, for: 20)
    #expect(visit.texts == before)
    #expect(visit.requests.count { $0 == precise } == 1)
    let view = visit.guide.view
    #expect(view.room == nil && view.exhibit == nil && view.position == nil && view.near.isEmpty)
  }

  @Test(arguments: [Profile.standard, .coreLocation14])
  func `with full accuracy for this use it continues`(profile: Profile) throws {
    var visit = try visit(profile: profile)
    visit.stay(at: Self.sundial, for: 10)
    visit.does(.settings(precise: false))
    visit.stay(at: Self.hourglass, for: 5)
    visit.does(.press(control: Guide.placeControl))
    visit.does(.answer(.allow))
    visit.stay(at: Self.hourglass, for: 10)
    #expect(visit.texts.last == "announce Hourglass")
  }

  @Test func `after Allow Once the visitor is asked again on return`() throws {
    var visit = try visit(granted: nil)
    visit.does(.answer(.once))
    visit.stay(at: Self.sundial, for: 10)
    visit.does(.background)
    visit.stay(at: Self.sundial, for: 10)
    #expect(visit.texts.last == "asking")
    visit.does(.foreground)
    #expect(visit.requests.last == .authorize(.whenInUse))
  }

  @Test func `a visitor whose guide is closed is greeted on arrival`() throws {
    var visit = try visit()
    visit.stay(at: nil, for: 15)
    visit.does(.background)
    visit.stay(at: nil, for: 10)
    visit.stay(at: Self.sundial, for: 5)
    #expect(visit.deliveries.map(\.event).contains(.notification(Guide.arrival)))
    #expect(!visit.texts.contains("announce Sundial"))
  }

  @Test(arguments: [.foreground, .tapNotification(region: Guide.arrival.rawValue)] as [UserAction])
  func `opened in front of the museum, locked, and unlocked inside, it shows the exhibit`(
    opening: UserAction
  ) throws {
    var visit = try visit(granted: nil)
    visit.does(.answer(.whileUsing))
    visit.stay(at: nil, for: 15)
    visit.does(.background)
    visit.stay(at: nil, for: 10)
    visit.stay(at: Self.sundial, for: 60)
    #expect(visit.texts == ["asking", "looking", "outside"])
    visit.does(opening)
    visit.stay(at: Self.sundial, for: 10)
    #expect(
      visit.texts.suffix(4) == ["inside", "room Time", "show Sundial", "announce Sundial"]
    )
  }

  @Test func `locked inside and unlocked outside, it does not show the last room`() throws {
    var visit = try visit()
    visit.stay(at: Self.sundial, for: 10)
    visit.does(.background)
    visit.stay(at: Self.sundial, for: 10)
    visit.silence(for: 60)
    #expect(visit.guide.view.room?.name["en"] == "Time")
    visit.does(.foreground)
    #expect(visit.texts.last == "outside")
    #expect(visit.requests.last == .stopRanging(.uuid(visit.plan.uuid)))
    #expect(visit.guide.view.room == nil && visit.guide.view.exhibit == nil)
  }

  @Test func `locked in the cafeteria and unlocked in the next room, it shows that room`() throws {
    let chair = Plan.Point(15, 10.5)
    let barometer = Plan.Point(2, 10)
    var visit = try visit()
    visit.walk(from: Plan.Point(10, 10.5), to: chair)
    visit.stay(at: chair, for: 60, noise: 3)
    #expect(visit.requests.last?.isMonitoring(Guide.nearer) ?? false)
    visit.does(.background)
    visit.stay(at: chair, for: 10, noise: 3)
    visit.stay(at: barometer, for: 60)
    #expect(visit.guide.view.room?.name["en"] == "Cafeteria")
    visit.does(.foreground)
    visit.stay(at: barometer, for: 10)
    #expect(visit.guide.view.room?.name["en"] == "Weather")
    #expect(visit.guide.view.exhibit?.identity.major == 5)
  }

  @Test func `a look at another program for a moment changes nothing that is shown`() throws {
    var visit = try visit()
    visit.stay(at: Self.sundial, for: 10)
    let before = visit.texts
    visit.does(.background)
    visit.stay(at: Self.sundial, for: 10)
    visit.does(.foreground)
    visit.stay(at: Self.sundial, for: 10)
    #expect(visit.texts == before)
  }

  @Test func `an unknown beacon is passed to the view but not shown to visitors`() throws {
    var plan = try PlanTests.fixture()
    let stranger = plan.exhibits.removeFirst()
    var visit = try GuideVisit(plan, granted: Self.granted)
    visit.stay(at: Self.sundial, for: 3)
    #expect(visit.guide.view.strangers.isEmpty)
    var scan = TestScan()
    for second in 3..<10 { scan.report(stranger.identity, -60, at: Double(second) + 0.5) }
    visit.receive(scan.batch)
    #expect(visit.guide.view.strangers == [stranger.identity])
  }

  @Test(.slow, arguments: 1...4)
  func `it never shows an exhibit of another room, nor one far less probable than another`(
    seed: UInt64
  ) throws {
    var visit = try GuideVisit(PlanTests.fixture(), granted: Self.granted, seed: seed)
    let places = [
      Self.sundial, Self.hourglass, Plan.Point(10, 3.5), Self.astrolabe, Plan.Point(10, 3.5),
      Plan.Point(6.5, 4.5), Plan.Point(5, 7), Plan.Point(5, 9), Plan.Point(2, 10),
    ]
    var shown = 0
    for (from, to) in zip(places, places.dropFirst()) {
      for step in 1...8 {
        let part = Double(step) / 8
        let place = Plan.Point(from.x + part * (to.x - from.x), from.y + part * (to.y - from.y))
        visit.stay(at: place, for: 1, noise: 8)
        let view = visit.guide.view
        guard let exhibit = view.exhibit else { continue }
        shown += 1
        #expect(view.room?.major == exhibit.identity.major)
        let best = view.near.map(\.confidence).max() ?? 0
        #expect(best < GuideConfiguration().behind * view.confidence)
      }
      visit.stay(at: to, for: 6, noise: 8)
    }
    #expect(shown > 5)
  }

  /// A second of ranging ends at another time after the door in each case.
  @Test(arguments: [0, 0.3, 0.6, 0.9])
  func `a second after the door no exhibit of the room is shown`(phase: Double) throws {
    let door = Plan.Point(10, 3.5)
    var visit = try visit()
    visit.stay(at: Self.hourglass, for: 10 + phase)
    visit.walk(from: Self.hourglass, to: door)
    let through = visit.now
    visit.walk(from: door, to: Self.astrolabe)
    visit.stay(at: Self.astrolabe, for: 6)
    let shown = visit.story.filter { !$0.text.hasPrefix("room") }
    #expect(
      shown.suffix(4).map(\.text) == [
        "announce Hourglass", "nothing", "show Astrolabe", "announce Astrolabe",
      ]
    )
    #expect(shown.first { $0.text == "nothing" }?.seconds ?? .infinity <= through + 1)
  }

  @Test func `without reports an exhibit that was left does not stay`() throws {
    var visit = try visit()
    visit.stay(at: Self.sundial, for: 10)
    let before = visit.guide.view.confidence
    visit.silence(for: 10)
    #expect(visit.guide.view.confidence < before - 0.2)
    // It disappears below 45 %, before the region is left after 30 s.
    visit.silence(for: 18)
    #expect(visit.guide.view.status == .inside)
    #expect(visit.guide.view.exhibit == nil)
  }

  // MARK: Lent devices

  @Test func `for the next visitor consent, history and what was shown begin again`() throws {
    var visit = try visit()
    visit.stay(at: Self.sundial, for: 10)
    visit.does(.settings(precise: false))
    visit.does(.settings(precise: true))
    visit.stay(at: Self.sundial, for: 3)
    visit.does(.nextVisitor)
    #expect(visit.texts.last == "asking")
    #expect(visit.requests.last == .authorize(.whenInUse))
    let view = visit.guide.view
    #expect(view.room == nil && view.exhibit == nil && view.near.isEmpty)
    let before = visit.texts.count
    visit.stay(at: Self.sundial, for: 10)
    #expect(visit.texts.count == before)
    visit.does(.answer(.whileUsing))
    visit.stay(at: Self.sundial, for: 10)
    // It was announced seconds ago, to another visitor.
    #expect(visit.texts.last == "announce Sundial")
  }

  @Test func `a device that comes back to a desk and stays is handed in`() throws {
    var plan = try PlanTests.fixture()
    plan.rooms[0].isDesk = true
    var visit = try GuideVisit(plan, granted: Self.granted)
    // A visitor who gets it there may stay as long as they like.
    visit.stay(at: Self.sundial, for: 90)
    #expect(!visit.texts.contains("returned"))
    visit.walk(from: Self.sundial, to: Self.astrolabe)
    visit.stay(at: Self.astrolabe, for: 10)
    visit.walk(from: Self.astrolabe, to: Self.sundial)
    visit.stay(at: Self.sundial, for: 40)
    #expect(!visit.texts.contains("returned"))
    visit.stay(at: Self.sundial, for: 30)
    #expect(visit.texts.count { $0 == "returned" } == 1)
    visit.stay(at: Self.sundial, for: 90)
    #expect(visit.texts.count { $0 == "returned" } == 1)
  }

  @Test func `without a drawing the nearest exhibit is shown too`() throws {
    var plan = try PlanTests.fixture()
    let drawn = plan
    for index in plan.exhibits.indices { plan.exhibits[index].position = nil }
    var visit = try GuideVisit(plan, granted: Self.granted)
    visit.stay(at: Self.hourglass, for: 10, as: drawn)
    #expect(visit.texts.suffix(3) == ["room Time", "show Hourglass", "announce Hourglass"])
    #expect(visit.guide.view.position == nil)
  }
}

extension ClientRequest {
  /// Returns whether it asks to monitor a region with a name.
  fileprivate func isMonitoring(_ name: RegionIdentifier) -> Bool {
    if case .monitor(let region, _) = self { return region.identifier == name }
    return false
  }
}
