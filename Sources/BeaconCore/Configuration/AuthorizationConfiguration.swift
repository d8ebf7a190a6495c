// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The times that authorization uses.
public struct AuthorizationConfiguration: Sendable, Equatable {
  /// The times that Apple does not document.
  public var timing = AuthorizationTiming()
  /// How far local time is ahead of UTC at the start, which decides when an App Clip's grant ends in the morning.
  ///
  /// A live source and a recording provide it; `nil` where it is not known, and counts as UTC. The machine that replays has
  /// no part in it.
  public var utcOffset: TimeSpan?

  /// Creates the configuration with its defaults.
  public init() {}
}
