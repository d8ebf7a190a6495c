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
    var reports = 0
    let simulating = measure {
      for visitor in world.day.visitors {
        var scan = world.scan(of: visitor)
        while let batch = scan.next() { reports += batch.inputs.count }
      }
    }
    let replay = VisitReplay(plan)
    var visits: [Visit] = []
    let both = try measure {
      for visitor in world.day.visitors {
        var scan = world.scan(of: visitor)
        if let visit = try replay.play(&scan).visit { visits.append(visit) }
      }
    }
    var bytes = 0
    let writing = measure { bytes = VisitReport(visits, of: plan).html.utf8.count }
    var use = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &use)
    print("\(visitors) visitors, \(reports) inputs; wall seconds, processor seconds")
    print("simulate       \(simulating)")
    print("simulate+play  \(both)")
    print("page           \(writing); \(bytes) bytes")
    print("peak memory    \(use.ru_maxrss / 1024) MiB")
  }

  /// Returns the wall time and the processor time of some work; other programs do not affect the latter.
  private static func measure(_ work: () throws -> Void) rethrows -> String {
    let started = processorSeconds
    let wall = try ContinuousClock().measure(work)
    let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18
    return String(format: "%8.2f %8.2f", seconds, processorSeconds - started)
  }

  private static var processorSeconds: Double {
    var use = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &use)
    return Double(use.ru_utime.tv_sec + use.ru_stime.tv_sec)
      + Double(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6
  }
}
