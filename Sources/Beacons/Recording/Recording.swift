// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Where a session records what goes into it, as JSON Lines.
///
/// What the air said, what persons did and how clients stood at the start is written, each with the time at which it was
/// admitted. A program's requests are not: a replay runs the program again. So a session over a ``CaptureSource`` of the
/// file, with the same clients and requests, tells what this one told. It asks its own prompter; `beaconctl`, which replays
/// the file too, takes what persons did from it.
public struct Recording: Sendable, Equatable {
  /// The file, which is replaced.
  public var path: String
  /// Whether device addresses are kept as they are; without, each is a pseudonym that means nothing beyond the file.
  public var includesAddresses: Bool

  /// Describes a recording; nothing is written before the session runs.
  public init(path: String, includesAddresses: Bool = false) {
    self.path = path
    self.includesAddresses = includesAddresses
  }
}
