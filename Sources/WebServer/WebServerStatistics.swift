// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Counts of a server.
public struct WebServerStatistics: Sendable, Equatable {
  /// Requests answered, refused ones included.
  public var requests = 0
  /// Requests refused: with another method, for another host, or for one stream too many.
  public var refused = 0
  /// Streams of events that are open.
  public var streams = 0
  /// Streams that were ended because their reader did not keep up.
  public var dropped = 0

  /// Creates counts of zero.
  public init() {}
}
