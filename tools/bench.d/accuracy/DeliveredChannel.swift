// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// Visitors on the seeded channel, as the engine delivers them, with shadowing as in a furnished room.
struct DeliveredChannel {
  /// The standard deviation in dB by which a place changes the level.
  static let shadowing = 4.0
  /// The mean power at a meter is as makers announce it: it includes the mean fade.
  let channel: SeededChannel
  let firstSeed: UInt64

  init(depth: Double, seed: UInt64) {
    var channel = SeededChannel()
    channel.fadeDepth = depth
    self.channel = channel
    firstSeed = seed
  }

  var announcedPower: Int8 {
    Int8((channel.power - channel.fadeShare * channel.fadeDepth).rounded())
  }

  struct Score {
    var rest = DeliveredScore()
    var walking = DeliveredScore()
    var first = DeliveredScore()
  }

  /// Runs visitors who stay 5 to 60 s from 1 to 6 m away and walk in between at 1 m/s.
  func visits(hours: Int, _ ranger: Ranger) -> Score {
    var score = Score()
    for hour in 0..<UInt64(hours) {
      var visits = Visits(lasting: Visits.short, until: 3600, seed: firstSeed &+ hour)
      var path = visits
      let shadow = Shadow(seed: firstSeed &+ hour)
      var samples: [StreamSample] = []
      // The channel knows only distances: a place that costs a decibel is that much farther away.
      channel.run(seconds: 3600, seed: firstSeed &+ 3_000_000 &+ hour) { second in
        let meters = path.meters(at: second)
        return meters * pow(10, -shadow.decibels(at: meters) / (10 * channel.exponent))
      } _: { sample in
        samples.append(StreamSample(time: sample.time, stream: 0, rssi: sample.rssi))
        return true
      }
      let start = Timestamp.atSecond(0)
      ranger.run(Scene(powers: [announcedPower], samples: samples)) { time, readings in
        let second = (time - start).seconds
        let truth = visits.meters(at: second)
        guard let stayed = visits.stayed(at: second) else {
          return score.walking.count(readings[0], meters: truth, limits: (0.5, 3))
        }
        if stayed < 5 {
          score.first.count(readings[0], meters: truth, limits: (0.5, 3))
        } else {
          score.rest.count(readings[0], meters: truth, limits: (0.5, 3))
        }
      }
    }
    return score
  }

  /// Returns the flips an hour of a beacon that stays half a meter within a limit of 4 m, and the median lag in seconds of
  /// the zone after steps from 1 to 6 m and back.
  func zones(hours: Int, steps: Int, _ make: (Double) -> Ranger) -> (flips: Double, lag: Double) {
    var stay = StayScore()
    for hour in 0..<UInt64(hours) {
      stay.run(samples(seconds: 3660, seed: hour) { _ in 3.5 }, make: make)
    }
    var lags: [Double] = []
    for step in 0..<UInt64(steps) {
      for (from, to) in [(1.0, 6.0), (6, 1)] {
        let at = 60 + Double(step) / Double(steps)
        let run = samples(seconds: at + 60, seed: 1_000_000 &+ step) { $0 < at ? from : to }
        var lag: Double?
        make(4).run(Scene(powers: [announcedPower], samples: run)) { time, readings in
          let second = (time - .atSecond(0)).seconds
          guard lag == nil, second > at, let zone = readings[0]?.proximity else { return }
          if zone == (to > 4 ? .far : .near) { lag = second - at }
        }
        lags.append(lag ?? .infinity)
      }
    }
    return (stay.flipsPerHour, lags.median)
  }

  private func samples(seconds: Double, seed: UInt64, path: (Double) -> Double) -> [StreamSample] {
    var samples: [StreamSample] = []
    channel.run(seconds: seconds, seed: firstSeed &+ seed, path: path) { sample in
      samples.append(StreamSample(time: sample.time, stream: 0, rssi: sample.rssi))
      return true
    }
    return samples
  }

  /// The effect of each place on the level: independent every half meter, with lines in between.
  struct Shadow {
    private var decibels: [Double] = []

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed &+ 7)
      for _ in 0..<32 {
        let u = 1 - Double.random(in: 0..<1, using: &random)
        let v = Double.random(in: 0..<1, using: &random)
        decibels.append(DeliveredChannel.shadowing * (-2 * log(u)).squareRoot() * cos(2 * .pi * v))
      }
    }

    func decibels(at meters: Double) -> Double {
      let place = min(max(meters * 2, 0), 30)
      let (index, part) = (Int(place), place - place.rounded(.down))
      // Between two places the line has less variance than either, so it is scaled.
      let scale = (part * part + (1 - part) * (1 - part)).squareRoot()
      return (decibels[index] * (1 - part) + decibels[index + 1] * part) / scale
    }
  }
}
