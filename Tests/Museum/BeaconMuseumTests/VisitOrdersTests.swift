// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Testing

@testable import BeaconMuseum

/// The steps of a visitor from the street to an exhibit, in each order.
@Suite struct VisitOrdersTests {
  private static let sundial = Plan.Point(2, 2.3)

  /// A step of a visitor on the way from the street to an exhibit.
  private enum Step: CaseIterable {
    case open, allow, once, again, lock, arrive, unlock, tap, leave, approximate, precise
  }

  /// The state after some steps, as far as it decides which next ones are possible and change something.
  private struct Way {
    /// The visitor's last answer; a permission for once may have ended since.
    enum Answer { case nothing, allowed, once }

    var (isOpened, isForeground, isInside, isPrecise) = (false, false, false, true)
    var answer = Answer.nothing

    /// Takes a step; returns whether it was possible.
    mutating func take(_ step: Step) -> Bool {
      let isPossible =
        switch step {
        case .open: !isOpened
        case .arrive: !isInside
        case .leave: isInside
        case .allow: isOpened && answer != .allowed
        case .once: isOpened && answer != .once
        case .again: isOpened && answer != .nothing
        case .lock: isForeground
        case .unlock, .tap: isOpened && !isForeground
        case .approximate: isOpened && isPrecise
        case .precise: isOpened && !isPrecise
        }
      guard isPossible else { return false }
      switch step {
      case .open: (isOpened, isForeground) = (true, true)
      case .arrive, .leave: isInside.toggle()
      case .allow: answer = .allowed
      // A closed guide asks nothing.
      case .once: answer = isForeground ? .once : .nothing
      case .again: answer = .nothing
      case .lock, .unlock, .tap: isForeground.toggle()
      case .approximate, .precise: isPrecise.toggle()
      }
      return true
    }
  }

  /// Every order of a number of steps after some first ones.
  private static func orders(of count: Int, after start: [Step] = []) -> [[Step]] {
    var way = Way()
    guard start.allSatisfy({ way.take($0) }) else { return [] }
    guard count > 0 else { return [start] }
    return Step.allCases.flatMap { step in
      var next = way
      return next.take(step) ? orders(of: count - 1, after: start + [step]) : []
    }
  }

  /// Long orders; the same each time.
  private static let long: [[Step]] = {
    var random = SplitMix64(seed: 31)
    return (0..<12).map { _ in
      var (way, order) = (Way(), [Step]())
      for _ in 0..<Int.random(in: 8...14, using: &random) {
        let possible = Step.allCases.filter { step in
          var next = way
          return next.take(step)
        }
        guard let step = possible.randomElement(using: &random), way.take(step) else { break }
        order.append(step)
      }
      return order
    }
  }()

  /// Two rooms of the museum without a drawing, with four of its exhibits: a second of it takes little time.
  private static func small() throws -> Plan {
    var plan = try PlanTests.fixture()
    plan.exhibits.removeAll { ![101, 103, 104, 201].contains($0.identity.minor) }
    plan.rooms.removeAll { ![1, 2].contains($0.major) }
    for index in plan.rooms.indices { plan.rooms[index].outline = [] }
    return plan
  }

  @Test(.slow, arguments: 0..<4) func `in each order the guide ends at the visitor`(
    part: Int
  ) throws {
    let plan = try Self.small()
    let all = Self.orders(of: 5) + Self.orders(of: 3, after: [.open, .allow, .arrive])
    #expect(all.count > 1000)
    for (index, order) in all.enumerated() where index % 4 == part {
      var visitor = try Visitor(plan, seconds: 6)
      visitor.follow(order)
    }
  }

  @Test(.slow, arguments: 0..<4) func `in long orders too, among all exhibits`(part: Int) throws {
    let plan = try PlanTests.fixture()
    for (index, order) in Self.long.enumerated() where index % 4 == part {
      var visitor = try Visitor(plan, seconds: 12)
      visitor.follow(order)
    }
  }

  /// A visitor who takes steps, and looks at the guide after each.
  private struct Visitor {
    private var visit: GuideVisit
    private var way = Way()
    private let seconds: Double
    private var order: [Step] = []
    /// The number of greetings before the guide was closed, and its last view.
    private var (greetings, closed) = (0, GuideView?.none)

    init(_ plan: Plan, seconds: Double) throws {
      visit = try GuideVisit(plan, opening: false)
      self.seconds = seconds
      visit.stay(at: nil, for: 5)
    }

    private var place: Plan.Point? { way.isInside ? VisitOrdersTests.sundial : nil }

    mutating func follow(_ steps: [Step]) {
      order = steps
      for step in steps { take(step) }
      if !way.isOpened { take(.open) }
      if !way.isForeground { take(.unlock) }
      visit.does(.settings(authorization: .whileUsing, precise: true))
      visit.stay(at: VisitOrdersTests.sundial, for: seconds)
      #expect(visit.guide.view.exhibit?.title["en"] == "Sundial", "\(order)")
      #expect(visit.guide.view.room?.name["en"] == "Time", "\(order)")
      visit.silence(for: 45)
      #expect(visit.guide.view.room == nil && visit.guide.view.status == .outside, "\(order)")
    }

    private mutating func take(_ step: Step) {
      // Only a shown notification can be tapped.
      if step == .tap, visit.greetings == greetings { return }
      guard way.take(step) else { return }
      switch step {
      case .open: visit.open()
      case .allow: visit.does(.settings(authorization: .whileUsing))
      case .once:
        visit.does(.settings(authorization: .askNextTime))
        visit.does(.answer(.once))
      case .again: visit.does(.settings(authorization: .askNextTime))
      case .lock:
        (greetings, closed) = (visit.greetings, visit.guide.view)
        visit.does(.background)
      case .unlock: visit.does(.foreground)
      case .tap: visit.does(.tapNotification(region: Guide.arrival.rawValue))
      case .approximate: visit.does(.settings(precise: false))
      case .precise: visit.does(.settings(precise: true))
      case .arrive, .leave: break
      }
      if way.isForeground {
        closed = nil
        // An opened guide shows no room that the visitor has left, and an arrival within 3 s.
        if !way.isInside, step != .leave {
          #expect(visit.guide.view.room == nil, "\(order) at \(step)")
        }
        if way.isInside, [.unlock, .tap].contains(step) {
          visit.stay(at: place, for: 3)
          #expect((visit.guide.view.room != nil) == visit.isAllowed, "\(order) at \(step)")
        }
      }
      if way.isInside { visit.stay(at: place, for: seconds) } else { visit.silence(for: 45) }
      look(after: step)
    }

    private func look(after step: Step) {
      let view = visit.guide.view
      // Nothing is shown without permission, and a closed guide learns nothing.
      if !visit.isAllowed {
        #expect(view.room == nil && view.exhibit == nil, "\(order) after \(step)")
      } else if let closed {
        #expect(view.room == nil || view.room == closed.room, "\(order) after \(step)")
        #expect(view.exhibit == nil || view.exhibit == closed.exhibit, "\(order) after \(step)")
      } else if way.isForeground {
        #expect((view.exhibit != nil) == way.isInside, "\(order) after \(step)")
      }
    }
  }
}
