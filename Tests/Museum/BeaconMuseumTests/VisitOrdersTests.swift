// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// The steps of a visitor from the street to an exhibit, in many orders.
@Suite struct VisitOrdersTests {
  private static let sundial = Plan.Point(2, 2.3)

  /// A step of a visitor on the way from the street to an exhibit.
  private enum Step: CaseIterable {
    case allow, once, lock, arrive, unlock, tap, leave, approximate, precise
  }

  /// Orders of the steps; many more than tests by hand, and the same each time.
  private static let orders: [[Step]] = {
    var random = SplitMix64(seed: 31)
    return (0..<40).map { _ in
      (0..<Int.random(in: 3...9, using: &random)).map { _ in
        Step.allCases.randomElement(using: &random) ?? .arrive
      }
    }
  }()

  @Test(.slow, arguments: 0..<4) func `in each order the guide ends at the visitor`(
    part: Int
  ) throws {
    for (index, order) in Self.orders.enumerated() where index % 4 == part {
      var visit = try GuideVisit(PlanTests.fixture())
      visit.stay(at: nil, for: 5)
      var (place, greetings): (Plan.Point?, Int) = (nil, 0)
      for step in order {
        switch step {
        case .allow: visit.does(.settings(authorization: .whileUsing))
        case .once:
          visit.does(.settings(authorization: .askNextTime))
          visit.does(.answer(.once))
        case .lock: visit.does(.background)
        case .unlock: visit.does(.foreground)
        // Only a shown notification can be tapped.
        case .tap where visit.greetings == greetings || visit.guide.isForeground: continue
        case .tap: visit.does(.tapNotification(region: Guide.arrival.rawValue))
        case .approximate: visit.does(.settings(precise: false))
        case .precise: visit.does(.settings(precise: true))
        case .arrive: place = Self.sundial
        case .leave: place = nil
        }
        if visit.guide.isForeground { greetings = visit.greetings }
        if place == nil { visit.silence(for: 45) } else { visit.stay(at: place, for: 12) }
        let view = visit.guide.view
        let isAllowed = visit.isAllowed
        // Nothing is shown without permission, and a closed guide learns nothing.
        if !isAllowed { #expect(view.room == nil && view.exhibit == nil, "\(order)") }
        if isAllowed, visit.guide.isForeground {
          #expect((view.exhibit != nil) == (place != nil), "\(order) after \(step)")
        }
      }
      visit.does(.foreground)
      visit.does(.settings(authorization: .whileUsing, precise: true))
      visit.stay(at: Self.sundial, for: 12)
      #expect(visit.guide.view.exhibit?.title["en"] == "Sundial", "\(order)")
      #expect(visit.guide.view.room?.name["en"] == "Time", "\(order)")
      visit.silence(for: 45)
      #expect(visit.guide.view.room == nil && visit.guide.view.status == .outside, "\(order)")
    }
  }
}
