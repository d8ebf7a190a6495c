// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Foundation
public import Testing

extension Trait where Self == ConditionTrait {
  /// Marks a test that takes more than a second or so: `tools/test --quick` and the sanitizers leave it out.
  public static var slow: Self {
    .disabled(
      if: ProcessInfo.processInfo.environment["BEACON_QUICK"] != nil,
      "slow; left out of quick runs"
    )
  }
}
