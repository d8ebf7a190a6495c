// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Foundation

/// A hall of another kind than the simulator's museum.
///
/// It has 13 beacons that advertise every 2 s, independent noise on each report, and a visitor who stands at labeled
/// places. The guide is compared with the loudest beacon, at the same share of shown seconds.
struct GridTrial {
  /// The interval of the beacons in seconds.
  static let interval = 2.0
  /// The level in dBm below which nothing is received.
  static let sensitivity = -97.0

  /// A second in which something was received.
  struct Row {
    var truth: Int?
    var nearest: Int
    var isStanding: Bool
    var shown: Int?
    var confidence: Double
    var loudest: Int?
    /// How far the loudest is above the second loudest, in dB.
    var margin: Double
    var level: Double
  }

  let plan: Plan
  let noise: Double
  /// Whether the visitor appears at each place instead of walking there.
  let jumps: Bool

  init(noise: Double, jumps: Bool) {
    plan = Self.hall()
    self.noise = noise
    self.jumps = jumps
  }

  /// A hall of 20 × 12 m with 13 beacons in three rows.
  static func hall() -> Plan {
    var plan = BreakingPoints.grid(spacing: 3)
    let (width, height) = (20.0, 12.0)
    plan.rooms = [
      Plan.Room(
        major: 1,
        name: LocalizedText("Hall", in: "en"),
        outline: [
          Plan.Point(0, 0), Plan.Point(width, 0), Plan.Point(width, height), Plan.Point(0, height),
        ]
      )
    ]
    let places = [4, 5, 4].enumerated().flatMap { row, count in
      (0..<count).map { column in
        Plan.Point((Double(column) + 0.5) * width / Double(count), 2 + 4 * Double(row))
      }
    }
    plan.exhibits = places.enumerated().map { index, place in
      Plan.Exhibit(
        identity: BeaconIdentity(uuid: plan.uuid, major: 1, minor: UInt16(index + 1)),
        title: LocalizedText("Exhibit \(index + 1)", in: "en"),
        position: place
      )
    }
    plan.floors = [
      Plan.Floor(
        level: 0,
        name: LocalizedText("Hall", in: "en"),
        entrance: Plan.Point(0, height / 2)
      )
    ]
    return plan
  }

  // MARK: A visit

  private struct Stop {
    var place: Plan.Point
    var start: Double
    var end: Double
  }

  private static func stops(_ random: inout SeededRandom, jumps: Bool) -> [Stop] {
    var stops: [Stop] = []
    var time = 0.0
    var last: Plan.Point?
    while time < 1800 {
      let place = Plan.Point(
        random.uniform(0.5, 19.5).rounded(),
        random.uniform(0.5, 11.5).rounded()
      )
      if let last, !jumps { time += last.distance(to: place) / 0.8 }
      let stay = random.uniform(8, 45)
      stops.append(Stop(place: place, start: time, end: time + stay))
      time += stay
      last = place
    }
    return stops
  }

  private static func place(_ stops: [Stop], at time: Double) -> (Plan.Point, Bool) {
    let next = stops.firstIndex { time < $0.end } ?? stops.count - 1
    let stop = stops[next]
    guard time < stop.start, next > 0 else { return (stop.place, true) }
    let before = stops[next - 1]
    let part = (time - before.end) / max(0.001, stop.start - before.end)
    let place = Plan.Point(
      before.place.x + (stop.place.x - before.place.x) * part,
      before.place.y + (stop.place.y - before.place.y) * part
    )
    return (place, false)
  }

  func rows(seed: Int, _ settings: ConfigurationSettings) throws -> [Row] {
    let world = try World(plan, seed: seed, visitors: 1)
    var random = SeededRandom(seed: UInt64(seed), part: .receiver)
    let stops = Self.stops(&random, jumps: jumps)
    let end = stops.last?.end ?? 0
    var reports: [(time: Double, beacon: Int, rssi: Int8)] = []
    for (index, exhibit) in plan.exhibits.enumerated() {
      var time = random.uniform(0, Self.interval)
      while time < end {
        let place = Self.place(stops, at: time).0
        let distance = max(0.3, place.distance(to: exhibit.position ?? place))
        let rssi = -59 - 24 * log10(distance) + noise * random.normal()
        if rssi > Self.sensitivity { reports.append((time, index, Int8(max(-127, min(20, rssi))))) }
        time += Self.interval + random.uniform(0, 0.01)
      }
    }
    reports.sort { $0.time < $1.time }
    var batch: ScanBatch? = ScanBatch()
    let start = world.day.start
    batch?.inputs.append(.radio(receiver: 0, .listening, start))
    for report in reports {
      batch?.append(
        AdvertisingReport(
          time: start + TimeSpan(seconds: report.time),
          rssi: report.rssi,
          address: world.radio.addresses[report.beacon],
          kind: .nonConnectable,
          payloadStart: 0,
          payloadCount: 0
        ),
        payload: world.radio.payloads[report.beacon]
      )
    }
    var rows: [Row] = []
    var levels: [BeaconIdentity: (time: Timestamp, level: Double)] = [:]
    try GuidePlay(plan, settings).play({ batch.take() }) { second in
      for beacon in second.beacons {
        if let rssi = beacon.rssi { levels[beacon.identity] = (second.time, rssi) }
      }
      rows.append(row(second, levels, Self.place(stops, at: (second.time - start).seconds - 0.5)))
    }
    return rows
  }

  private func row(
    _ second: GuidePlay.Second,
    _ levels: [BeaconIdentity: (time: Timestamp, level: Double)],
    _ place: (Plan.Point, Bool)
  ) -> Row {
    let order = plan.exhibits.indices.sorted {
      (plan.exhibits[$0].position?.distance(to: place.0) ?? 0)
        < (plan.exhibits[$1].position?.distance(to: place.0) ?? 0)
    }
    let nearest = order[0]
    let isNear = (plan.exhibits[nearest].position?.distance(to: place.0) ?? 0) <= Score.reach
    let recent = levels.filter { second.time - $0.value.time < .seconds(2) }
      .sorted { $0.value.level > $1.value.level }
    let loudest = recent.first.flatMap { first in
      plan.exhibits.firstIndex { $0.identity == first.key }
    }
    return Row(
      truth: isNear ? nearest : nil,
      nearest: nearest,
      isStanding: place.1,
      shown: second.view.exhibit.flatMap { plan.exhibits.firstIndex(of: $0) },
      confidence: second.view.confidence,
      loudest: loudest,
      margin: recent.count > 1 ? recent[0].value.level - recent[1].value.level : 20,
      level: recent.first?.value.level ?? -200
    )
  }

  // MARK: The table

  static func report(_ settings: ConfigurationSettings, seeds: Range<Int>) throws {
    print(
      "A GRID OF 13 BEACONS, a report of each every 2 s; seeds \(seeds.lowerBound) to \(seeds.upperBound - 1), half an hour each"
    )
    print(
      "share of seconds with an exhibit, and how often it is the nearest: all seconds, then the surer half\n"
    )
    let widths = [30, 8, 8, 10, 10, 8, 10, 10]
    MuseumBench.write(
      [
        "noise, visitor", "shown", "guide", "by margin", "by level", "surest", "by margin",
        "by level",
      ],
      widths: widths
    )
    for noise in [3.0, 5, 8, 10] {
      for jumps in [false, true] {
        let trial = GridTrial(noise: noise, jumps: jumps)
        let rows = try seeds.flatMap { try trial.rows(seed: $0, settings) }
        let shown = rows.filter { $0.shown != nil }
        let half = shown.count / 2
        let surest = shown.sorted { $0.confidence > $1.confidence }.prefix(half)
        func right(_ rows: some Collection<Row>, _ key: (Row) -> Int?) -> String {
          MuseumBench.percent(rows.count { key($0) == $0.nearest }, rows.count)
        }
        let byMargin = rows.sorted { $0.margin > $1.margin }
        let byLevel = rows.sorted { $0.level > $1.level }
        MuseumBench.write(
          [
            "\(Int(noise)) dB, \(jumps ? "from place to place" : "walks")",
            MuseumBench.percent(shown.count, rows.count), right(shown, \.shown),
            right(byMargin.prefix(shown.count), \.loudest),
            right(byLevel.prefix(shown.count), \.loudest),
            right(surest, \.shown), right(byMargin.prefix(half), \.loudest),
            right(byLevel.prefix(half), \.loudest),
          ],
          widths: widths
        )
      }
    }
  }
}
