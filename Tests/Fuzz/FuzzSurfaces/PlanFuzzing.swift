// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconFormats
import BeaconMuseum

/// Museum plans from any text: they are refused with a place for each fault, or a guide walks through them and every page is made.
enum PlanFuzzing {
  static func consume(_ bytes: [UInt8]) {
    do {
      walk(try Plan(reading: bytes))
    } catch {
      precondition(!error.faults.isEmpty)
      precondition(error.faults.allSatisfy { $0.line > 0 && $0.column > 0 && !$0.message.isEmpty })
    }
  }

  private static func walk(_ plan: Plan) {
    var configuration = Configuration()
    do {
      try plan.calibrate(&configuration)
    } catch {
      preconditionFailure("a plan that was read has powers that are none: \(error)")
    }
    var guide = Guide(plan, configuration: configuration)
    let start = Timestamp(microseconds: 0)
    _ = guide.begin(status: .authorizedWhenInUse, accuracy: .full)
    _ = guide.process(.regionState(Guide.region, .inside, .observed, .received), at: start)
    precondition(guide.view.confidence.isFinite)
    for language in plan.languages {
      precondition(!OperatorPage(of: plan, in: language).html.isEmpty)
      precondition(!VisitorPage(of: plan, in: language).html.isEmpty)
    }
  }
}
