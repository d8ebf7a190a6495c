// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconMuseum
import Foundation

/// Compares the simulator with measurements of others.
struct Credibility {
  /// Strzoda 2022: mean and spread in dB over orientations at some meters, from one kind of receiver and beacon.
  static let published: [(meters: Double, mean: Double, spread: Double)] = [
    (1, -65.5, 5.7), (5, -78.4, 5.9), (10, -84.1, 4.5), (16, -90.8, 3.5),
  ]
  /// Least squares on those means: power at 1 m and exponent.
  static let fit = (power: -65.0, exponent: 2.03)
  /// The mean loss over all orientations: half of the body's loss, and the deeper fades in its shadow.
  static let orientation = 3.75 + 0.55

  func report() throws {
    print(
      "SIGNAL STRENGTH in an open hall, power -65 dBm, exponent 2.03 (least squares on Strzoda's means),"
    )
    print("one beacon and receiver, all orientations and places; received packets only\n")
    let widths = [10, 11, 11, 12, 12, 11]
    MuseumBench.write(
      ["meters", "mean, dBm", "published", "spread, dB", "published", "received, %"],
      widths: widths
    )
    for row in Self.published {
      let sample = try hall(at: row.meters)
      MuseumBench.write(
        [
          GuideTable.format(row.meters), GuideTable.format(sample.mean),
          GuideTable.format(row.mean), GuideTable.format(sample.spread),
          GuideTable.format(row.spread), GuideTable.format(100 * sample.received),
        ],
        widths: widths
      )
    }
    try channels()
    try delivery()
    print("\nCONSTANTS")
    show(LinkModel.constants, of: LinkModel())
    show(ReceptionModel.constants, of: ReceptionModel())
    show(VisitorModel.constants, of: VisitorModel())
  }

  private func show<Model>(_ constants: [SimulationConstant<Model>], of model: Model) {
    for entry in constants {
      print("\(entry.key) = \(model[keyPath: entry.path]) \(entry.unit)\t\(entry.source)")
    }
  }

  /// One exhibit in the middle of a hall.
  private func plan() -> Plan {
    let uuid: UInt128 = 1
    return Plan(
      museum: LocalizedText("Hall", in: "en"),
      uuid: uuid,
      languages: ["en"],
      rooms: [
        Plan.Room(
          major: 1,
          name: LocalizedText("Hall", in: "en"),
          outline: [
            Plan.Point(0, 0), Plan.Point(44, 0), Plan.Point(44, 44), Plan.Point(0, 44),
          ]
        )
      ],
      exhibits: [
        Plan.Exhibit(
          identity: BeaconIdentity(uuid: uuid, major: 1, minor: 1),
          title: LocalizedText("Beacon", in: "en"),
          position: Plan.Point(22, 22)
        )
      ],
      calibration: Plan.Calibration(
        power: Self.fit.power + Self.orientation,
        exponent: Self.fit.exponent
      )
    )
  }

  /// A path that stands for some seconds at places of one distance, facing anywhere.
  private func path(at meters: Double, places: Int, seconds: Double, seed: UInt64) -> VisitPath? {
    var random = SeededRandom(seed: seed)
    func way() -> Plan.Point {
      let (x, y) = (random.normal(), random.normal())
      let length = max((x * x + y * y).squareRoot(), 1e-9)
      return Plan.Point(x / length, y / length)
    }
    var path: VisitPath?
    for place in 0..<places {
      let direction = way()
      let point = Plan.Point(22 + direction.x * meters, 22 + direction.y * meters)
      let leg = VisitPath.Leg(
        start: Double(place) * seconds,
        end: Double(place + 1) * seconds,
        from: point,
        to: point,
        level: 0,
        heading: way(),
        isStanding: true
      )
      if path == nil { path = VisitPath(leg) } else { path?.append(leg) }
    }
    return path
  }

  private struct Received {
    var mean = 0.0
    var spread = 0.0
    var received = 0.0
  }

  private func link() -> LinkModel {
    var link = LinkModel()
    link.beaconDeviation = 0
    link.receiverDeviation = 0
    return link
  }

  private func hall(at meters: Double) throws -> Received {
    let (sum, squares, count, sent) = try gather(
      at: meters,
      seeds: 60,
      link(),
      ReceptionModel()
    )
    let mean = sum / Double(count)
    return Received(
      mean: mean,
      spread: (squares / Double(count) - mean * mean).squareRoot(),
      received: Double(count) / Double(sent)
    )
  }

  private func gather(
    at meters: Double,
    seeds: Int,
    _ link: LinkModel,
    _ reception: ReceptionModel
  ) throws -> (sum: Double, squares: Double, count: Int, sent: Int) {
    var (sum, squares, count, sent) = (0.0, 0.0, 0, 0)
    for seed in 1...seeds {
      try listen(at: meters, places: 40, seconds: 3.5, seed: UInt64(seed), link, reception) {
        _,
        rssi in
        sum += rssi
        squares += rssi * rssi
        count += 1
      } sent: {
        sent += $0
      }
    }
    return (sum, squares, count, sent)
  }

  private func listen(
    at meters: Double,
    places: Int,
    seconds: Double,
    seed: UInt64,
    _ link: LinkModel,
    _ reception: ReceptionModel,
    _ body: (Double, Double) -> Void,
    sent: (Int) -> Void = { _ in }
  ) throws {
    guard let path = path(at: meters, places: places, seconds: seconds, seed: seed) else { return }
    let site = try SimulatedSite(plan())
    let radio = RadioSite(site, link, reception, seed: seed)
    let day = SimulatedDay(site, VisitorModel(), visitors: 0, seed: seed)
    var scan = VisitScan(
      radio,
      day,
      SimulatedDay.Visitor(number: 1, party: 1, path: path),
      crowd: nil
    )
    while let batch = scan.next() {
      for case .report(let report) in batch.inputs {
        if let rssi = report.rssi { body((report.time - day.start).seconds, Double(rssi)) }
      }
    }
    sent(scan.sent)
  }

  /// Prints the correlation between the channels' mean strengths over places; without shadowing and body, only fading
  /// is left.
  private func channels() throws {
    var link = link()
    link.shadowDeviation = 0
    (link.bodyLossLeast, link.bodyLossMost) = (0, 0)
    link.swaySpeed = 0
    var reception = ReceptionModel()
    reception.delivered = 1
    let seconds = 14.0
    var places: [[[Double]]] = []
    for seed in 1...20 {
      var sums = [[[Double]]](repeating: [[], [], []], count: 40)
      try listen(at: 3, places: 40, seconds: seconds, seed: UInt64(seed), link, reception) {
        time,
        rssi in
        let channel = Int(time / reception.scanInterval) % 3
        sums[min(39, max(0, Int(time / seconds)))][channel].append(rssi)
      }
      places += sums
    }
    func correlation(_ first: ([[Double]]) -> Double?, _ second: ([[Double]]) -> Double?) -> Double
    {
      let pairs = places.compactMap { place -> (Double, Double)? in
        guard let a = first(place), let b = second(place) else { return nil }
        return (a, b)
      }
      let (ma, mb) = (GuideTable.mean(pairs.map(\.0)), GuideTable.mean(pairs.map(\.1)))
      let covariance = GuideTable.mean(pairs.map { ($0.0 - ma) * ($0.1 - mb) })
      let va = GuideTable.mean(pairs.map { ($0.0 - ma) * ($0.0 - ma) })
      let vb = GuideTable.mean(pairs.map { ($0.1 - mb) * ($0.1 - mb) })
      return covariance / (va * vb).squareRoot()
    }
    func half(_ channel: Int, _ isFirst: Bool) -> ([[Double]]) -> Double? {
      { place in
        let values = place[channel]
        guard values.count >= 4 else { return nil }
        return GuideTable.mean(
          isFirst ? Array(values.prefix(values.count / 2)) : Array(values.suffix(values.count / 2))
        )
      }
    }
    print(
      "\nCHANNELS at 3 m, the visitor at rest, over \(places.count) places: correlation of mean strengths"
    )
    print(
      "one channel with itself, first half and second half of the stay  \(String(format: "%.2f", correlation(half(0, true), half(0, false))))"
    )
    print("37 with 38  \(String(format: "%.2f", correlation(half(0, true), half(1, true))))")
    print("37 with 39  \(String(format: "%.2f", correlation(half(0, true), half(2, true))))")
    print("38 with 39  \(String(format: "%.2f", correlation(half(1, true), half(2, true))))")
  }

  private func delivery() throws {
    let data = FileManager.default.contents(atPath: "Fixtures/museum/plan.json5") ?? Data()
    let plan = try Plan(reading: Array(data))
    print("\nDELIVERY in the museum of Fixtures/museum, packets 6 dB or more above the sensitivity")
    for wanted in [0.9, 0.77, 0.5] {
      let world = try World(plan, seed: 1, visitors: 40, World.Change(delivered: wanted))
      var (strong, received) = (0, 0)
      var gaps: [Double] = []
      for visitor in world.day.visitors {
        var scan = world.scan(of: visitor)
        var last: [DeviceAddress: Timestamp] = [:]
        while let batch = scan.next() {
          for case .report(let report) in batch.inputs {
            guard let address = report.address, (report.rssi ?? -127) > -75 else { continue }
            if let before = last[address] { gaps.append((report.time - before).seconds) }
            last[address] = report.time
          }
        }
        strong += scan.strong
        received += scan.strongReceived
      }
      let spread = Distribution(gaps)
      print(
        "wanted \(Int(wanted * 100)) %: \(MuseumBench.percent(received, strong)) %; between packets of a beacon above -75 dBm: median "
          + "\(String(format: "%.2f", spread?.median ?? 0)) s, nine in ten within \(String(format: "%.2f", spread?.ninthDecile ?? 0)) s"
      )
    }
  }
}
