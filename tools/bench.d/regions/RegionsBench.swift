// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation

/// Prints when regions are left: for each condition the learned exit time, as the engine delivers it, beside fixed ones.
@main struct RegionsBench {
  static let floor = 3.0
  static let cap = 30.0
  static let rate = 0.1
  static let allowedDelay = 1.3

  static func main() {
    var arguments = CommandLine.arguments.dropFirst()
    let isQuick = arguments.first == "--quick"
    if isQuick { arguments.removeFirst() }
    let days = arguments.first.flatMap(Int.init) ?? (isQuick ? 1 : 4)
    let seed = arguments.dropFirst().first.flatMap(UInt64.init) ?? 88_001
    print("days \(days) of 24 h of presence, each with its own seed, from seed \(seed)")
    let fixed = [10.0, 15, 20, 30]
    print(
      (["condition", "s", "loss", "best s", "false/h", "mean s", "95 % s", "mean/best"]
        + fixed.map { "\(Int($0)) s/h" } + ["goal"]).joined(separator: "\t")
    )
    var isMet = true
    for condition in isQuick ? Condition.few : Condition.all {
      let result = Result(condition, days: days, seed: seed)
      let rates = fixed.map { text(result.rate(fixed: $0), 2) }
      let goal = result.goal
      if !goal.isMet { isMet = false }
      print(
        ([
          condition.disturbance.rawValue, "\(condition.interval)", "\(condition.loss)",
          text(result.best, 2), text(result.rate, 3), text(result.mean, 2), text(result.high, 2),
          text(result.mean / result.best, 2),
        ] + rates + [goal.text]).joined(separator: "\t")
      )
    }
    print(isMet ? "goals met" : "a goal was missed")
    exit(isMet ? 0 : 1)
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
    // Days with a change of interval are one long stretch of three, so that the nights repeat.
    let isLong = condition.disturbance == .change
    // Two beacons differ most from day to day, by their phases.
    let number = condition.disturbance == .twoBeacons ? 3 * days : days
    for day in 0..<number {
      let own = seed &* 1_000_003 &+ UInt64(day) &* 7919 &+ UInt64(condition.interval * 1000) &* 31
      let presence = Presence(
        condition,
        hours: isLong ? 72 : 24,
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
