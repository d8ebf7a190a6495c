// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Foundation

/// Prints how well the guide agrees with simulated ground truth, and how realistic the simulation is.
@main struct MuseumBench {
  static let usage = """
    tools/bench museum [--seeds N] [--visitors N] [--plan FILE]
                              the guide and simpler rules compared with ground truth, on seeds 1 to N (50) of N visitors
                              (12) each; then its limits
                              --set KEY=VALUE and --first SEED (1), repeatable, only for tuning: the seeds from 1 on are for judging
    tools/bench museum --guide [--seeds N]
                              forbidden showings of the guide, second by second, on one visitor of each of seeds 1 to N (20)
    tools/bench museum --grid [--seeds N]
                              a hall with 13 beacons that advertise every 2 s: the guide compared with the loudest beacon
    tools/bench museum --announcing [--seeds N] [--visitors N] [--first SEED]
                              wrong announcements and announced stops, for pairs of guide.announcingSureness and announcingDwell
    tools/bench museum --day  a day of 500 visitors: seconds to simulate and to report, and memory
    tools/bench museum --trace SEED
                              one visit: the visitor's places, and the guide's showings
    tools/bench simulator     the simulator's own table: signal strengths against published ones, channels, delivery
    """

  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first, !arguments.contains("--help") else { return print(usage) }
    arguments.removeFirst()
    if name == "simulator" { return try Credibility().report() }
    if arguments.contains("--day") { return try DayTrial.report(try plan(arguments)) }
    if let seed = number("--trace", arguments) {
      return try Trace.report(try plan(arguments), seed: seed)
    }
    if arguments.contains("--guide") || arguments.contains("--grid") {
      let first = number("--first", arguments) ?? 1
      let seeds = first..<(first + (number("--seeds", arguments) ?? 20))
      let settings = try settings(arguments)
      guard arguments.contains("--grid") else {
        return try ViewFaults.report(try plan(arguments), settings, seeds: seeds)
      }
      return try GridTrial.report(settings, seeds: seeds)
    }
    let seeds = number("--seeds", arguments) ?? 50
    let visitors = number("--visitors", arguments) ?? 12
    let first = number("--first", arguments) ?? 1
    if arguments.contains("--announcing") {
      return try AnnouncingTrial.report(
        try plan(arguments),
        try settings(arguments),
        seeds: first..<(first + seeds),
        visitors: visitors
      )
    }
    let trial = GuideTable(
      plan: try plan(arguments),
      settings: try settings(arguments),
      seeds: first..<(first + seeds),
      visitors: visitors,
      isJudging: !arguments.contains("--set")
    )
    try trial.report()
    guard trial.isJudging else { return }
    try BreakingPoints.report(seeds: max(1, seeds / 5), visitors: max(1, visitors / 2))
  }

  private static func number(_ option: String, _ arguments: [String]) -> Int? {
    guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else {
      return nil
    }
    return Int(arguments[index + 1])
  }

  private static func settings(_ arguments: [String]) throws -> ConfigurationSettings {
    let schema = ConfigurationSchema([.core, .guide])
    var settings = ConfigurationSettings()
    for (option, setting) in zip(arguments, arguments.dropFirst()) where option == "--set" {
      let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let constant = schema.constant(named: parts[0]) else {
        print("no constant in '\(setting)'")
        continue
      }
      settings.append(try constant.setting(parsing: parts[1]))
    }
    return settings
  }

  private static func plan(_ arguments: [String]) throws -> Plan {
    let index = arguments.firstIndex(of: "--plan")
    let path =
      index.flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
      ?? "Fixtures/museum/plan.json5"
    return try Plan(reading: Array(Data(contentsOf: URL(fileURLWithPath: path))))
  }

  static func write(_ cells: [String], widths: [Int]) {
    print(
      zip(cells, widths).enumerated().map { index, cell in
        let pad = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
        return index == 0 ? cell.0 + pad : pad + cell.0
      }.joined(separator: "  ")
    )
  }

  static func percent(_ part: Int, _ whole: Int) -> String {
    whole > 0 ? String(format: "%.1f", 100 * Double(part) / Double(whole)) : "–"
  }
}
