// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What grants are timed by.
public struct AuthorizationConfiguration: Sendable, Equatable {
  /// The times that Core Location does not state.
  public var timing = AuthorizationTiming()
  /// What local time is ahead of UTC by, for an App Clip's morning.
  public var utcOffset = TimeSpan.zero

  /// Creates the configuration with its defaults.
  public init() {}
}
