// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Packet loss in bursts: a Markov chain of good and bad runs (Gilbert and Elliott).
struct LossBursts {
  private let good: Double
  private let bad: Double
  private let badLength: Double
  private let goodLength: Double
  private var isBad = false
  private var ends: Double

  /// Starts a chain at a time in seconds.
  ///
  /// - Parameters:
  ///   - model: The shares of packets delivered in the long run, within bursts and outside bursts.
  ///   - clear: The share of packets without a collision, which is included in the share delivered in the long run.
  ///   - start: The time at which the chain starts.
  ///   - random: The receiver's random stream.
  init(
    _ model: ReceptionModel,
    clear: Double,
    startingAt start: Double,
    random: inout SeededRandom
  ) {
    let delivered = min(max(model.delivered / max(clear, 0.01), 0), 1)
    good = max(model.goodRun, delivered)
    bad = min(model.badRun, delivered)
    let badShare = good > bad ? (good - delivered) / (good - bad) : 0
    badLength = model.badRunLength
    goodLength = badShare > 0 ? badLength * (1 - badShare) / badShare : .infinity
    isBad = random.happens(badShare)
    ends = start
    let length = isBad ? badLength : goodLength
    ends = length.isFinite ? start + random.exponential(mean: length) : .infinity
  }

  /// Returns the share delivered at a time; times never decrease from call to call.
  mutating func delivered(at time: Double, random: inout SeededRandom) -> Double {
    while time >= ends {
      isBad.toggle()
      let length = isBad ? badLength : goodLength
      ends = length > 0 && length.isFinite ? ends + random.exponential(mean: length) : .infinity
    }
    return isBad ? bad : good
  }
}
