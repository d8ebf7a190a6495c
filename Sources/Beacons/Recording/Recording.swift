// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The file to which a session records its inputs, as JSON Lines.
///
/// The recording has the scan inputs, the user actions and the clients' grants at the start, each with its admission
/// time. It does not have a program's requests, since a replay runs the program again. So a session over a
/// ``CaptureSource`` of the file, with the same clients and requests, delivers the same events. Such a session asks its
/// own prompter; `beaconctl`, which can also replay the file, uses the recorded user actions.
public struct Recording: Sendable, Equatable {
  /// The path of the file.
  ///
  /// A live session continues a recording that exists. Any other existing file is left as it is, and the session does
  /// not run, unless ``replacesExisting`` is set.
  public var path: String
  /// Whether an existing file is replaced.
  public var replacesExisting: Bool
  /// Whether device addresses are recorded unchanged.
  ///
  /// If not, each is replaced by a pseudonym that has no meaning outside the file.
  public var includesAddresses: Bool

  /// Creates the description of a recording.
  ///
  /// Nothing is written before the session runs.
  public init(path: String, includesAddresses: Bool = false, replacesExisting: Bool = false) {
    self.path = path
    self.replacesExisting = replacesExisting
    self.includesAddresses = includesAddresses
  }
}
