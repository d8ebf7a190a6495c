// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// Prints when regions are left: for each condition the learned exit time, as the engine delivers it, and fixed ones.
@main struct RegionsBench {
  static let floor = 3.0
  static let cap = 30.0
  static let rate = 0.1
  static let allowedDelay = 1.5

  static let fixed = [10.0, 15, 20, 30]

  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    let isQuick = arguments.first == "--quick"
    if isQuick { arguments.removeFirst() }
    if arguments.first == "--visits" {
      await visits(seed: arguments.dropFirst().first.flatMap(UInt64.init) ?? 88_001)
      return
    }
    let only = arguments.count > 2 ? arguments.dropFirst(2).first.flatMap(Disturbance.init) : nil
    let days = arguments.first.flatMap(Int.init) ?? (isQuick ? 1 : 4)
    let seed = arguments.dropFirst().first.flatMap(UInt64.init) ?? 88_001
    print("Days of 24 h of presence a cell: \(days), each with its own seed, from seed \(seed).\n")
    if let only {
      let some = Condition.all.filter { $0.disturbance == only }
      exit(await conditions(some, days: days, seed: seed) ? 0 : 1)
    }
    let isMet = await conditions(isQuick ? Condition.few : Condition.all, days: days, seed: seed)
    let isKept = await Change.table(runs: isQuick ? 2 : 8, seed: seed)
    exit(isMet && isKept ? 0 : 1)
  }

  /// Prints how visits of two, five and ten minutes are left, with each time before anything is learned.
  private static func visits(seed: UInt64) async {
    let holds = [600, 300, 120, 60]
    let heads = ["condition", "s", "loss", "visit s", "best s"]
    let columns = heads + holds.flatMap { ["false/h \($0)", "mean/best \($0)"] }
    print("| " + columns.joined(separator: " | ") + " |")
    print("|" + columns.map { _ in "---|" }.joined())
    let conditions = Condition.all.filter {
      [0.1, 1, 2, 5].contains($0.interval) && [0, 0.2, 0.5].contains($0.loss)
        && [.none, .bursts, .jitter].contains($0.disturbance)
    }
    for condition in conditions {
      for seconds in [120.0, 300, 600] {
        let results = await withTaskGroup(of: (Int, Result).self) { group in
          for hold in holds {
            group.addTask {
              let span = TimeSpan.seconds(Int64(hold))
              let visits = Int(120 * 3600 / seconds)
              return (hold, Result(condition, visits: visits, of: seconds, hold: span, seed: seed))
            }
          }
          return await group.reduce(into: [Int: Result]()) { $0[$1.0] = $1.1 }
        }
        guard let first = results[600] else { continue }
        let cells =
          [
            condition.disturbance.rawValue, "\(condition.interval)", "\(condition.loss)",
            text(seconds, 0), text(first.best, 2),
          ]
          + holds.compactMap { results[$0] }.flatMap {
            [text($0.rate, 3), text($0.mean / first.best, 2)]
          }
        print("| " + cells.joined(separator: " | ") + " |")
        fflush(nil)
      }
    }
  }

  /// Prints the table of the conditions, on all cores, and returns whether all goals were met.
  private static func conditions(_ conditions: [Condition], days: Int, seed: UInt64) async -> Bool {
    let columns =
      ["condition", "s", "loss", "best s", "false/h", "mean s", "95 % s", "mean/best"]
      + fixed.map { "\(Int($0)) s/h" } + ["goal"]
    print("| " + columns.joined(separator: " | ") + " |")
    print("|" + columns.map { _ in "---|" }.joined())
    var met = 0
    await withTaskGroup(of: (Int, Row).self) { group in
      for (number, condition) in conditions.enumerated() {
        group.addTask { (number, Row(Result(condition, days: days, seed: seed), condition)) }
      }
      // Rows are printed in order, each when those before it are there.
      var waiting: [Int: Row] = [:]
      var next = 0
      for await (number, row) in group {
        waiting[number] = row
        while let row = waiting.removeValue(forKey: next) {
          print(row.text)
          fflush(nil)
          if row.isMet { met += 1 }
          next += 1
        }
      }
    }
    print("\nleaving: \(met) of \(conditions.count) goals met")
    return met == conditions.count
  }

  /// One line of the table.
  private struct Row: Sendable {
    let text: String
    let isMet: Bool

    init(_ result: Result, _ condition: Condition) {
      let goal = result.goal
      isMet = goal.isMet
      let cells =
        [
          condition.disturbance.rawValue, "\(condition.interval)", "\(condition.loss)",
          RegionsBench.text(result.best, 2), RegionsBench.text(result.rate, 3),
          RegionsBench.text(result.mean, 2), RegionsBench.text(result.high, 2),
          RegionsBench.text(result.mean / result.best, 2),
        ] + RegionsBench.fixed.map { RegionsBench.text(result.rate(fixed: $0), 2) } + [goal.text]
      text = "| " + cells.joined(separator: " | ") + " |"
    }
  }

  static func text(_ value: Double, _ places: Int) -> String {
    String(format: "%.\(places)f", value)
  }
}

/// What all days of a condition gave.
struct Result {
  private let condition: Condition
  private var falseExits = 0
  private var delays: [Double] = []
  private var silences: [Double] = []
  private var hours = 0.0

  init(_ condition: Condition, days: Int, seed: UInt64) {
    self.condition = condition
    // Two beacons differ most from day to day, by their phases.
    let number = condition.disturbance == .twoBeacons ? 3 * days : days
    for day in 0..<number {
      let own = seed &* 1_000_003 &+ UInt64(day) &* 7919 &+ UInt64(condition.interval * 1000) &* 31
      let presence = Presence(
        condition,
        hours: condition.isLong ? 72 : 24,
        seed: own &+ UInt64(condition.loss * 100)
      )
      falseExits += presence.falseExits
      delays += presence.delays
      silences += presence.silences
      hours += presence.counted / 3600
    }
    silences.sort(by: >)
    delays.sort()
  }

  /// Counts visits of so many seconds, each of a beacon that is not known yet.
  init(_ condition: Condition, visits: Int, of seconds: Double, hold: TimeSpan, seed: UInt64) {
    self.condition = condition
    var configuration = Configuration()
    configuration.regions.learning.hold = hold
    for visit in 0..<visits {
      let presence = Presence(
        condition,
        hours: (seconds + 1) / 3600,
        seed: seed &* 1_000_003 &+ UInt64(visit) &* 7919,
        stay: seconds,
        from: 0,
        configuration
      )
      falseExits += presence.falseExits
      delays += presence.delays
      silences += presence.silences
      hours += presence.counted / 3600
    }
    silences.sort(by: >)
    delays.sort()
  }

  var rate: Double { Double(falseExits) / hours }
  var mean: Double { delays.reduce(0, +) / Double(max(delays.count, 1)) }
  var high: Double { delays.isEmpty ? 0 : delays[delays.count * 19 / 20] }

  /// False exits an hour of a fixed time.
  func rate(fixed seconds: Double) -> Double {
    Double(silences.prefix { $0 > seconds }.count) / hours
  }

  /// The shortest fixed time that keeps the rate on these silences.
  var best: Double {
    let allowed = Int(RegionsBench.rate * hours)
    return max(RegionsBench.floor, silences.dropFirst(allowed).first ?? 0)
  }

  /// Whether the goal is met, or why it is not.
  var goal: (isMet: Bool, text: String) {
    let isCapped = best > RegionsBench.cap
    let limit = isCapped ? rate(fixed: RegionsBench.cap) : RegionsBench.rate
    // Two standard deviations of a count as large as the limit allows.
    let chance = 2 * (max(limit, RegionsBench.rate) / hours).squareRoot()
    let isLate = mean > RegionsBench.allowedDelay * best
    if isLate { return (false, "no: too late") }
    if rate > limit + chance { return (false, "no: too many") }
    let bound = isCapped ? "yes, as 30 s; a timer needs \(RegionsBench.text(best, 0)) s" : "yes"
    return (true, rate > limit ? "\(bound) (within chance)" : bound)
  }
}
