// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What a server counted.
public struct WebServerStatistics: Sendable, Equatable {
  /// Requests answered, refused ones included.
  public var requests = 0
  /// Requests refused: of another method, for another host, or one stream too many.
  public var refused = 0
  /// Streams of events that are open.
  public var streams = 0
  /// Streams that were ended because their reader took nothing for too long.
  public var dropped = 0

  /// Creates counts of nothing.
  public init() {}
}
