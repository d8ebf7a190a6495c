// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Foundation

/// A day of 500 visitors: how long it takes to simulate and to report, without files.
enum DayTrial {
  static func report(_ plan: Plan) throws {
    let visitors = 500
    let world = try World(plan, seed: 1, visitors: visitors)
    let clock = ContinuousClock()
    var reports = 0
    let simulating = clock.measure {
      for visitor in world.day.visitors {
        var air = world.air(of: visitor)
        while let batch = air.next() { reports += batch.inputs.count }
      }
    }
    let replay = VisitReplay(plan)
    var visits: [Visit] = []
    let both = try clock.measure {
      for visitor in world.day.visitors {
        var air = world.air(of: visitor)
        if let visit = try replay.play(&air).visit { visits.append(visit) }
      }
    }
    var bytes = 0
    let writing = clock.measure { bytes = VisitReport(visits, of: plan).html.utf8.count }
    var use = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &use)
    print("\(visitors) visitors, \(reports) inputs")
    print("simulate       \(simulating)")
    print("simulate+play  \(both)")
    print("page           \(writing), \(bytes) bytes")
    print("peak memory    \(use.ru_maxrss / 1024) MiB")
  }
}
