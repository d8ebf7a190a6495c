// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A condition worth telling that is derived from no identity heard.
public enum Diagnostic: Sendable, Equatable {
  /// The source said nothing from the first time to the second: a paused capture, a machine asleep.
  case timeGap(from: Timestamp, to: Timestamp)

  /// The name of the condition in every output.
  public var code: String {
    switch self {
    case .timeGap: "timeGap"
    }
  }
}
