// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
public import Testing

/// The size of a test: full, or a tenth in quick runs.
public enum Effort {
  /// Whether this is a quick run.
  public static let isQuick = ProcessInfo.processInfo.environment["BEACON_QUICK"] != nil

  /// Returns how many of some rounds to run.
  public static func rounds(_ count: Int) -> Int { isQuick ? max(1, count / 10) : count }
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
