// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Foundation

/// The price of fewer wrong announcements: how many long stops each setting leaves unannounced.
///
/// An announcement changes nothing else, so one play of each visit is enough for all settings.
struct AnnouncingTrial {
  private static let confidences = [0.7, 0.75, 0.8, 0.83, 0.85, 0.87, 0.9, 0.92, 0.95]
  private static let dwells = [1.0, 1.5, 2, 2.4, 2.7, 3, 3.5, 4]

  private struct Setting {
    var confidence: Double
    var dwell: TimeSpan
    var announced = 0
    var wrong = 0
    var told = 0
  }

  private var settings = Self.confidences.flatMap { confidence in
    Self.dwells.map { Setting(confidence: confidence, dwell: TimeSpan(seconds: $0)) }
  }
  private var stops = 0

  static func report(
    _ plan: Plan,
    _ settings: ConfigurationSettings,
    seeds: Range<Int>,
    visitors: Int
  ) throws {
    var trial = AnnouncingTrial()
    let play = try GuidePlay(plan, settings)
    for seed in seeds {
      let world = try World(plan, seed: seed, visitors: visitors)
      for visitor in world.day.visitors { trial.add(visitor, world, play) }
    }
    print(
      "ANNOUNCEMENTS: seeds \(seeds.lowerBound) to \(seeds.upperBound - 1), \(visitors) visitors each"
    )
    let widths = [28, 20, 14, 20]
    MuseumBench.write(
      ["guide.announcingSureness", "announcingDwell, s", "wrong, %", "stops announced, %"],
      widths: widths
    )
    for setting in trial.settings {
      MuseumBench.write(
        [
          "\(setting.confidence)", GuideTable.format(setting.dwell.seconds),
          String(format: "%.2f", 100 * Double(setting.wrong) / Double(max(1, setting.announced))),
          MuseumBench.percent(setting.told, trial.stops),
        ],
        widths: widths
      )
    }
  }

  private mutating func add(
    _ visitor: SimulatedDay.Visitor,
    _ world: World,
    _ play: GuidePlay
  ) {
    var seconds: [GuidePlay.Second] = []
    var scan = world.scan(of: visitor)
    play.play({ scan.next() }) { seconds.append($0) }
    let long = visitor.path.legs.filter {
      $0.isStanding && $0.exhibit != nil && $0.end - $0.start >= Score.worthTelling
    }
    stops += long.count
    for index in settings.indices {
      let announced = Self.announcements(seconds, settings[index])
      settings[index].announced += announced.count
      settings[index].wrong += announced.count { Score.isWrong($0, world, visitor) }
      settings[index].told += long.count { Score.isTold($0, announced, world) }
    }
  }

  /// The guide's rule.
  private static func announcements(
    _ seconds: [GuidePlay.Second],
    _ setting: Setting
  ) -> [VisitReplay.Announcement] {
    let pause = GuideConfiguration().repeatAfter
    var announced: [VisitReplay.Announcement] = []
    var last: [Int: Timestamp] = [:]
    var evidence: (exhibit: Int, time: Timestamp, seconds: Double)?
    for second in seconds {
      guard let (exhibit, confidence) = second.candidate else {
        evidence = nil
        continue
      }
      let before = evidence?.exhibit == exhibit ? evidence : nil
      let elapsed = before.map { (second.time - $0.time).seconds } ?? 1
      let part = (confidence - setting.confidence) / (1 - setting.confidence)
      let sure = max(0, (before?.seconds ?? 0) + elapsed * part)
      evidence = (exhibit, second.time, sure)
      guard confidence >= setting.confidence, sure >= setting.dwell.seconds,
        second.view.exhibit != nil,
        last[exhibit].map({ second.time - $0 >= pause }) ?? true
      else { continue }
      last[exhibit] = second.time
      announced.append(VisitReplay.Announcement(exhibit: exhibit, time: second.time))
    }
    return announced
  }
}
