// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The first line of a recording, which describes the recording.
package struct CaptureHeader: Sendable, Equatable {
  /// The program that made it.
  package var tool: String?
  /// That program's version.
  package var version: String?
  /// The names of the receivers, by index.
  package var receivers: [String]
  /// The profile the engine ran with.
  package var profile: String?
  /// Whether addresses are pseudonyms that mean nothing outside the file.
  package var isRedacted: Bool

  /// Creates a header.
  package init(
    tool: String? = nil,
    version: String? = nil,
    receivers: [String] = [],
    profile: String? = nil,
    isRedacted: Bool = false
  ) {
    self.tool = tool
    self.version = version
    self.receivers = receivers
    self.profile = profile
    self.isRedacted = isRedacted
  }
}
