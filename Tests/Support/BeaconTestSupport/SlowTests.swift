// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
public import Testing

/// The size of a test: a third of its rounds, a tenth in quick runs, all in full ones (`tools/check full`).
public enum Effort {
  /// Whether this is a quick run.
  public static let isQuick = ProcessInfo.processInfo.environment["BEACON_QUICK"] != nil

  /// Whether this is a full run.
  public static let isFull = ProcessInfo.processInfo.environment["BEACON_FULL"] != nil

  /// Returns how many of some rounds to run.
  public static func rounds(_ count: Int) -> Int {
    isFull ? count : max(1, count / (isQuick ? 10 : 3))
  }

  /// How far apart the places are at which something is cut.
  public static var step: Int { isFull ? 1 : isQuick ? 23 : 7 }
}

extension Trait where Self == ConditionTrait {
  /// Marks a test that takes more than about a second; `tools/test --quick` and the sanitizers leave it out.
  public static var slow: Self {
    .disabled(
      if: Effort.isQuick,
      "slow; left out of quick runs"
    )
  }
}
