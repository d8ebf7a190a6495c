// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The second axis of authorization: whether a client may know beacons and regions at all (row U20).
///
/// The raw values are Core Location's.
public enum AccuracyAuthorization: Int, Sendable, CaseIterable {
  /// Precise: ranging and regions are available as far as the status grants them.
  case full = 0
  /// Approximate: nothing derived from a beacon reaches the client.
  case reduced = 1

  /// The name in outputs.
  public var name: String {
    switch self {
    case .full: "full"
    case .reduced: "reduced"
    }
  }
}
