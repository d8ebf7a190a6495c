// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The times that authorization uses.
public struct AuthorizationConfiguration: Sendable, Equatable {
  /// The times that Apple does not document.
  public var timing = AuthorizationTiming()
  /// The offset of local time from UTC, which decides when an App Clip's grant ends in the morning.
  public var utcOffset = TimeSpan.zero

  /// Creates the configuration with its defaults.
  public init() {}
}
