// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Counts of a server.
public struct WebServerStatistics: Sendable, Equatable {
  /// Requests answered, refused ones included.
  public var requests = 0
  /// Requests refused: malformed, over-long or too slow, with another method, for another host, for something that is not
  /// there, or for one stream too many.
  public var refused = 0
  /// Streams of events that are open.
  public var streams = 0
  /// Streams that were ended because their reader did not keep up.
  public var dropped = 0

  /// Connections without an answer that were closed because they took too long or had to make room.
  public var cut = 0

  /// Creates counts of zero.
  public init() {}
}
