// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// What follows a change of a beacon's interval, as the engine delivers it.
///
/// After one hour with one interval, a beacon sends for one hour with another. The promise: at most one exit comes before
/// 30 s of silence; from then on 30 s apply for ten minutes of presence.
struct Change: Sendable {
  static let intervals = [0.1, 0.2, 1, 2, 5, 10.24]
  static let losses = [0, 0.1, 0.3, 0.5]
  static let duration = 3600.0
  static let hold = 600.0

  var before: Double
  var after: Double
  var loss: Double

  /// How many exits came before 30 s of silence in the hour after the change, and how many of them within ten minutes of
  /// the first one.
  struct Count: Sendable {
    var early = 0
    var again = 0
  }

  func count(seed: UInt64) -> Count {
    var driver = EngineDriver(startingAt: Timestamp(microseconds: 0))
    let client = driver.connect()
    driver.request(.monitor(Region("r", .uuid(Presence.uuid))), by: client)
    var batch = ScanBatch()
    batch.inputs.append(.radio(receiver: 0, .listening, Timestamp(microseconds: 0)))
    for (start, interval) in [(0.0, before), (Self.duration, after)] {
      var beacon = LossyBeacon(
        interval: interval,
        received: 1 - loss,
        loss: .independent,
        seed: seed &+ UInt64(start)
      )
      while true {
        _ = beacon.nextGap()
        if beacon.now > Self.duration { break }
        let report = AdvertisingReport(
          time: Presence.at(start + beacon.now),
          rssi: -60,
          receiver: 0,
          payloadStart: 0,
          payloadCount: 0
        )
        batch.append(report, payload: Presence.payloads[0])
      }
    }
    driver.supply(batch)
    return Self.judge(Self.earlyExits(&driver))
  }

  private static func earlyExits(_ driver: inout EngineDriver) -> [Double] {
    var early: [Double] = []
    while true {
      switch driver.next() {
      case .deliver(let deliveries):
        for delivery in deliveries {
          guard case .regionExited(_, _, let why) = delivery.event,
            case .silence(let silence) = why.threshold, silence.seconds < RegionsBench.cap
          else { continue }
          early.append(Double(delivery.time.microseconds) / 1_000_000)
        }
      case .pull, .sourceEnded, .ended: return early.filter { $0 > duration }
      case .record, .recordAction, .willPerform: continue
      }
    }
  }

  private static func judge(_ early: [Double]) -> Count {
    guard let first = early.first else { return Count() }
    return Count(
      early: early.count,
      again: early.dropFirst().count { $0 < first + hold }
    )
  }

  /// Prints a table for each loss, and returns whether the promise was kept.
  static func table(runs: Int, seed: UInt64) async -> Bool {
    var isKept = true
    print(
      "\nAfter a change of interval: exits before 30 s in the next hour, of \(runs) runs a cell;"
    )
    print("in brackets those of them within ten minutes of a run's first one.")
    for loss in losses {
      print("\nLoss \(Int(loss * 100)) %:\n")
      print("| from \\ to, s | " + intervals.map { "\($0)" }.joined(separator: " | ") + " |")
      print("|---|" + intervals.map { _ in "---|" }.joined())
      for before in intervals {
        var cells = ["\(before)"]
        for after in intervals {
          guard after != before else {
            cells.append("–")
            continue
          }
          let change = Change(before: before, after: after, loss: loss)
          let counts = await change.counts(runs: runs, seed: seed)
          let again = counts.reduce(0) { $0 + $1.again }
          if again > 0 { isKept = false }
          cells.append("\(counts.reduce(0) { $0 + $1.early })" + (again > 0 ? " (\(again))" : ""))
        }
        print("| " + cells.joined(separator: " | ") + " |")
      }
    }
    print(isKept ? "\nchanges: the promise was kept" : "\nchanges: the promise was not kept")
    return isKept
  }

  private func counts(runs: Int, seed: UInt64) async -> [Count] {
    await withTaskGroup(of: Count.self) { group in
      for run in 0..<runs {
        group.addTask { count(seed: seed &+ UInt64(run) &* 7919) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}
