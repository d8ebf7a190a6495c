// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconTestSupport
import Foundation

/// One report of the seeded channel.
struct ChannelSample {
  let time: Timestamp
  let rssi: Int8
}

/// The reports of one beacon on a timeline: log-distance, Gaussian noise, downward fades, lost packets.
///
/// The mean fade (share × depth, −1.2 dB at 8 dB) is part of the channel, so a filter that is right about the distance
/// undoes it.
struct SeededChannel {
  var power = -59.0
  var exponent = 2.0
  var deviation = 4.0
  var fadeShare = 0.15
  var fadeDepth = 8.0
  var interval = 0.25
  var received = 0.75

  /// Passes the reports of a run to a function, as long as the function wants more.
  ///
  /// - Parameters:
  ///   - seconds: How long the run is.
  ///   - seed: The seed of the run.
  ///   - path: The true distance in meters at a second of the run.
  ///   - body: Processes a report, and returns whether it wants more.
  func run(seconds: Double, seed: UInt64, path: (Double) -> Double, _ body: (ChannelSample) -> Bool)
  {
    var random = SplitMix64(seed: seed)
    var now = Double.random(in: 0..<interval, using: &random)
    while now < seconds {
      if Double.random(in: 0..<1, using: &random) < received {
        var rssi = power - 10 * exponent * log10(path(now)) + deviation * Self.normal(&random)
        if Double.random(in: 0..<1, using: &random) < fadeShare { rssi -= fadeDepth }
        let sample = ChannelSample(time: .atSecond(now), rssi: Int8(clamping: Int(rssi.rounded())))
        if !body(sample) { return }
      }
      now += interval + Double.random(in: 0..<0.01, using: &random)
    }
  }

  /// Returns a standard normal number (Box and Muller).
  private static func normal(_ random: inout SplitMix64) -> Double {
    let u = 1 - Double.random(in: 0..<1, using: &random)
    let v = Double.random(in: 0..<1, using: &random)
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * v)
  }
}

extension Timestamp {
  /// A time on a bench's timeline, which starts at an arbitrary second.
  static func atSecond(_ second: Double) -> Timestamp {
    Timestamp(microseconds: 1_600_000_000_000_000 + Int64((second * 1e6).rounded()))
  }
}
