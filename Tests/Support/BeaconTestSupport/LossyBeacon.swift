// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation

/// A beacon at rest, received over a channel that loses packets: the gaps between its reports.
public struct LossyBeacon {
  public enum Loss: String, CaseIterable, Sendable {
    /// Each packet is lost independently.
    case independent
    /// Gilbert–Elliott: bad runs of 3 s on average lose everything; between them one packet in twenty is lost.
    case bursts
  }

  public static let badRun = 3.0
  public static let receivedBetweenRuns = 0.95

  public let interval: Double
  public let received: Double
  public let loss: Loss
  private var random: SplitMix64
  /// The seconds simulated so far.
  public private(set) var now = 0.0
  private var stateEnds = 0.0
  private var isBad = false

  public init(interval: Double, received: Double, loss: Loss, seed: UInt64) {
    self.interval = interval
    self.received = received
    self.loss = loss
    random = SplitMix64(seed: seed)
    if loss == .bursts { startRun(bad: false) }
  }

  /// Returns the seconds from the packet received before to the next one received.
  public mutating func nextGap() -> Double {
    let before = now
    repeat {
      // The advertising delay: up to 10 ms, new for each event (Core 5.3, Vol 6, Part B, 4.4.2.2.1).
      now += interval + unit() * 0.01
    } while isLost()
    return now - before
  }

  private mutating func isLost() -> Bool {
    guard loss == .bursts else { return unit() >= received }
    while now >= stateEnds { startRun(bad: !isBad) }
    return isBad || unit() >= Self.receivedBetweenRuns
  }

  private mutating func startRun(bad: Bool) {
    isBad = bad
    let badShare = 1 - received / Self.receivedBetweenRuns
    let mean = bad ? Self.badRun : Self.badRun * (1 - badShare) / badShare
    stateEnds += exponential(mean)
  }

  private mutating func exponential(_ mean: Double) -> Double { -mean * Foundation.log(1 - unit()) }

  private mutating func unit() -> Double { Double(random.next() >> 11) / 9_007_199_254_740_992 }
}
