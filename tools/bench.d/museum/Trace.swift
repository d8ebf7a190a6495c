// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Foundation

/// One visit, stop by stop: the truth and the guide's showings.
enum Trace {
  static func report(_ plan: Plan, seed: Int) throws {
    let world = try World(plan, seed: seed, visitors: 1)
    guard let visitor = world.day.visitors.first else { return }
    var scan = world.scan(of: visitor)
    let showings = try VisitReplay(plan).play(&scan).showings
    func name(_ exhibit: Int) -> String { plan.exhibits[exhibit].title["en"] }
    for leg in visitor.path.legs where leg.isStanding {
      let (start, end) = (
        world.day.start + TimeSpan(seconds: leg.start), world.day.start + TimeSpan(seconds: leg.end)
      )
      let nearest = world.day.site.nearestExhibit(to: leg.to, level: leg.level)
      let shown = showings.filter { $0.start < end && $0.end > start }.map { stay in
        let from = max(0, (stay.start - start).seconds)
        let to = (min(stay.end, end) - start).seconds
        return "\(name(stay.exhibit)) \(GuideTable.format(from))-\(GuideTable.format(to))"
      }
      print(
        "\(GuideTable.format(leg.start)) s for \(GuideTable.format(leg.end - leg.start)) s: "
          + "\(leg.exhibit.map(name) ?? "nothing") at (\(GuideTable.format(leg.to.x)), \(GuideTable.format(leg.to.y))), nearest "
          + "\(nearest.map { name($0.exhibit) + " " + GuideTable.format($0.distance) + " m" } ?? "none")\n"
          + "    shown: \(shown.joined(separator: ", "))"
      )
    }
  }
}
