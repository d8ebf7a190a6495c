// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Foundation

/// Compares the guide and simpler rules with ground truth.
struct GuideTable {
  let plan: Plan
  let settings: ConfigurationSettings
  let seeds: Range<Int>
  let visitors: Int
  /// Whether to print all figures; for tuning, the guide's own figures are enough.
  var isJudging = true

  func scores(
    _ change: World.Change = World.Change(),
    comparing: Bool = true
  ) throws -> [Score] {
    let replay = VisitReplay(
      plan,
      Configuration(settings),
      rules: GuideConfiguration(settings)
    )
    let rules = try Rules(plan)
    var scores = [Score](repeating: Score(plan), count: comparing ? 3 : 1)
    for seed in seeds {
      let world = try World(plan, seed: seed, visitors: visitors, change)
      for visitor in world.day.visitors {
        var scan = world.scan(of: visitor)
        let played = try replay.play(&scan)
        if let visit = played.visit {
          scores[0].add(Shown(visit, played), world, visitor)
        }
        guard comparing else { continue }
        let (strongest, altBeacon) = rules.play(world.scan(of: visitor))
        scores[1].add(strongest, world, visitor)
        scores[2].add(altBeacon, world, visitor)
      }
      for index in scores.indices { scores[index].endSeed() }
    }
    return scores
  }

  func report() throws {
    let last = seeds.upperBound - 1
    print(
      "GUIDE AGAINST GROUND TRUTH: seeds \(seeds.lowerBound) to \(last), \(visitors) visitors each,"
    )
    print(
      "\(plan.exhibits.count) exhibits, n 2.4, shadowing 4 dB, own body, 77 % delivered, 350 ms\n"
    )
    print("BEACONS AND RECEIVER CALIBRATED")
    try table(World.Change())
    guard isJudging else { return }
    print("BEACONS 2 dB AND RECEIVERS 3 dB APART, as they come from the factory")
    try table(World.Change(differs: true))
  }

  private func table(_ change: World.Change) throws {
    let scores = try scores(change, comparing: isJudging)
    let widths = [44, 8, 10, 10, 10]
    MuseumBench.write(["", "bar", "guide", "strongest", "AltBeacon"], widths: widths)
    func row(_ name: String, _ bar: String, _ value: (Score) -> String) {
      MuseumBench.write([name, bar] + scores.map(value), widths: widths)
    }
    row("exhibit right while standing, after 4 s, %", ">= 92") {
      MuseumBench.percent($0.standingRight, $0.snapshot)
    }
    row("the same within 3 m of an exhibit, %", "") {
      MuseumBench.percent($0.viewingRight, $0.viewing)
    }
    row("wrong announcements, %", "<= 0.8") { MuseumBench.percent($0.announcedWrong, $0.announced) }
    row("announcements", "") { "\($0.announced)" }
    row("stops of 15 s or more announced, %", ">= 86") {
      MuseumBench.percent($0.longStopsTold, $0.longStops)
    }
    row("such stops shown within 5 s, %", "") { score in
      MuseumBench.percent(score.lag.answers.count { $0 <= 5 }, score.lag.answers.count)
    }
    row("exhibits gone 1 s after their room's door, %", "") { score in
      MuseumBench.percent(score.lag.clearings.count { $0 <= 1 }, score.lag.clearings.count)
    }
    row("the same if one was shown at the door, %", "") { score in
      let shown = score.lag.clearings.filter { $0 > 0 }
      return MuseumBench.percent(shown.count { $0 <= 1 }, shown.count)
    }
    row("room right, %", ">= 98") { MuseumBench.percent($0.roomsRight, $0.inRooms) }
    row("exhibits whose dwell median is within 15 %", "24") {
      "\($0.dwellErrors.count { abs($0) <= 0.15 })"
    }
    row("dwell median, mean error, %", "") { Self.format(100 * Self.mean($0.dwellErrors)) }
    row("dwell median, worst error, %", "") {
      Self.format(100 * ($0.dwellErrors.max { abs($0) < abs($1) } ?? 0))
    }
    row("visits shown where nobody stopped, %", "") {
      MuseumBench.percent($0.visitsOfNobody, $0.visits)
    }
    row("ranking of exhibits, mean Kendall tau", ">= 0.8") {
      String(format: "%.2f", Self.mean($0.taus))
    }
    row("ranking, worst seed", "") { String(format: "%.2f", $0.taus.min() ?? 0) }
    clearings(scores[0].lag)
    rest(scores[0].rest)
    print("")
    if !isJudging { exhibits(scores[0]) }
  }

  /// Prints how soon the guide clears exhibits after the door of their room.
  private func clearings(_ lag: LagScore) {
    func share(_ seconds: [Double], within most: Double) -> String {
      MuseumBench.percent(seconds.count { $0 <= most }, seconds.count)
    }
    let shares = [0, 0.5, 1, 1.5, 2, 3].map { share(lag.clearings, within: $0) }
    print(
      "\(lag.clearings.count) doors: gone at the door, 0.5, 1, 1.5, 2 and 3 s after it:",
      shares.joined(separator: ", ") + " %; 1 s after it if it waited for half a second beyond it:",
      share(lag.waitingClearings, within: 1) + " %"
    )
  }

  /// Prints the guide's rests; the simpler rules do not rest.
  private func rest(_ rest: RestScore) {
    let delays = rest.delays.sorted()
    func quantile(_ share: Double) -> String {
      delays.isEmpty ? "–" : Self.format(delays[Int(share * Double(delays.count - 1))])
    }
    print(
      "rests in the cafeteria: ranged \(Self.format(100 * rest.ranged / max(1, rest.seconds))) % of",
      "\(Int(rest.seconds / 60)) min; \(delays.count) returns, the room named after \(quantile(0.5)) s,",
      "nine in ten \(quantile(0.9)) s, the latest \(quantile(1)) s; \(rest.missed) not named"
    )
  }

  /// Prints each exhibit separately, to find out where dwell times are wrong.
  private func exhibits(_ score: Score) {
    let widths = [24] + Array(repeating: 7, count: 14)
    MuseumBench.write(
      [
        "visits, median in s", "true", "", "shown", "", "off %", "missed", "", "split", "merged",
        "short", "nobody", "", "excess", "late", "after",
      ],
      widths: widths + [7]
    )
    func median(_ values: [Double]) -> String {
      Distribution(values).map { Self.format($0.median) } ?? "–"
    }
    for (index, exhibit) in plan.exhibits.enumerated() {
      let (real, shown) = (score.trueDwells[index], score.shownDwells[index])
      let faults = score.faults[index]
      let truth = Distribution(real)?.median ?? 0
      MuseumBench.write(
        [
          exhibit.title["en"], "\(real.count)", median(real), "\(shown.count)", median(shown),
          Self.format(100 * ((Distribution(shown)?.median ?? 0) / max(1, truth) - 1)),
          "\(faults.missed.count)", median(faults.missed), "\(faults.split)", "\(faults.merged)",
          "\(faults.short.count)", "\(faults.nobody.count)", median(faults.nobody),
          median(faults.excess), median(faults.late), median(faults.after),
        ],
        widths: widths + [7]
      )
    }
    let all = score.faults.flatMap { $0.excess }
    print(
      "excess mean \(Self.format(Self.mean(all))), quartiles",
      Distribution(all).map {
        [$0.lowerQuartile, $0.median, $0.upperQuartile].map(Self.format).joined(separator: " ")
      } ?? ""
    )
  }

  static func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  static func format(_ value: Double) -> String { String(format: "%.1f", value) }
}
