// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Foundation

/// The seeded channel with a second adapter on the same machine: its effect on distances and zones.
struct DeliveredReceivers {
  /// The kind of the second adapter.
  enum Second: String, CaseIterable {
    case none = "one adapter"
    case alike = "two alike"
    case apart = "other shadows"
    case weak = "10 dB less"
    case rare = "a tenth"
  }

  let channel: DeliveredChannel
  let hours: Int

  /// The table: a column for each kind of second adapter.
  static func table(isJudging: Bool, hours: Int) -> String {
    let seed = isJudging ? AccuracyBench.judgingSeed : AccuracyBench.tuningSeed
    var table = AccuracyTable(columns: Second.allCases.map(\.rawValue))
    for depth in AccuracyBench.depths {
      table.heading("SEEDED CHANNEL with a second adapter, fades of \(Int(depth)) dB")
      let trial = DeliveredReceivers(
        channel: DeliveredChannel(depth: depth, seed: seed),
        hours: hours
      )
      let scores = Second.allCases.map(trial.visits)
      table.row("distance wrong by a factor of, median", digits: 2, scores.map(\.factor))
      table.row("distance wrong by a factor of, 90 %", digits: 2, scores.map(\.ninetieth))
      table.row("truth in the 90 % interval, %", scores.map(\.inside.percent))
      table.row("right zone, mean over zones, %", scores.map(\.balanced))
      let zones = Second.allCases.map(trial.zones)
      table.row("zone flips an hour at rest, 0.5 m from the limit", digits: 2, zones.map(\.flips))
      table.row("lag of the zone after a step, s", digits: 2, zones.map(\.lag))
    }
    return table.text
  }

  private func visits(_ second: Second) -> DeliveredScore {
    var score = DeliveredScore()
    for hour in 0..<UInt64(hours) {
      var visits = Visits(lasting: Visits.short, until: 3600, seed: channel.firstSeed &+ hour)
      var path = visits
      let scene = scene(second, seconds: 3600, seed: hour, hasShadows: true) {
        path.meters(at: $0)
      }
      Ranger.all()[0].run(scene) { time, readings in
        let truth = visits.meters(at: (time - .atSecond(0)).seconds)
        score.count(readings[0], meters: truth, limits: (0.5, 3))
      }
    }
    return score
  }

  private func zones(_ second: Second) -> (flips: Double, lag: Double) {
    let start = Timestamp.atSecond(0)
    var (flips, judged) = (0, 0.0)
    for hour in 0..<UInt64(hours) {
      let scene = scene(second, seconds: 3660, seed: hour, hasShadows: false) { _ in 3.5 }
      var last = Proximity.unknown
      Ranger.all(near: 4)[0].run(scene) { time, readings in
        guard (time - start).seconds > 60, let now = readings[0]?.proximity, now != .unknown else {
          return
        }
        judged += 1.0 / 3600
        if last != .unknown, now != last { flips += 1 }
        last = now
      }
    }
    var lags: [Double] = []
    for step in 0..<UInt64(20 * hours) {
      for (from, to) in [(1.0, 6.0), (6, 1)] {
        let at = 60 + Double(step) / Double(20 * hours)
        let seed = 1_000_000 &+ step
        let run = scene(second, seconds: at + 60, seed: seed, hasShadows: false) {
          $0 < at ? from : to
        }
        var lag: Double?
        Ranger.all(near: 4)[0].run(run) { time, readings in
          let seconds = (time - start).seconds
          guard lag == nil, seconds > at, let zone = readings[0]?.proximity else { return }
          if zone == (to > 4 ? .far : .near) { lag = seconds - at }
        }
        lags.append(lag ?? .infinity)
      }
    }
    return (Double(flips) / judged, lags.median)
  }

  /// The reports of one beacon at one or two receivers.
  private func scene(
    _ second: Second,
    seconds: Double,
    seed: UInt64,
    hasShadows: Bool,
    path: (Double) -> Double
  ) -> Scene {
    var samples: [StreamSample] = []
    let count = second == .none ? 1 : 2
    for stream in 0..<count {
      var own = channel.channel
      let isSecond = stream == 1
      if isSecond, second == .weak { own.power -= 10 }
      if isSecond, second == .rare { own.received *= 0.1 }
      let place = isSecond && second == .apart ? seed &+ 500_000 : seed
      let shadow = DeliveredChannel.Shadow(seed: channel.firstSeed &+ place)
      own.run(
        seconds: seconds,
        seed: channel.firstSeed &+ 3_000_000 &+ seed &+ UInt64(stream) &* 7_000_000
      ) { second in
        let meters = path(second)
        guard hasShadows else { return meters }
        return meters * pow(10, -shadow.decibels(at: meters) / (10 * own.exponent))
      } _: { sample in
        samples.append(StreamSample(time: sample.time, stream: stream, rssi: sample.rssi))
        return true
      }
    }
    let streams = (0..<count).map {
      Scene.Stream(beacon: 0, receiver: UInt8($0), announcedPower: channel.announcedPower)
    }
    return Scene(streams: streams, samples: samples)
  }
}
