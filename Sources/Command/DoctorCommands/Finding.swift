// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// One thing that was looked at, the findings, and the command that fixes it.
package struct Finding: Sendable, Equatable {
  /// How much it matters.
  package enum Level: String, Sendable {
    /// As it should be.
    case good
    /// Ranging works; it would work better, or the user should know.
    case note
    /// Ranging does not work, or not as it should.
    case problem
  }

  package var level: Level
  /// The subject, in a word or two.
  package var subject: String
  /// The findings, in a sentence without a full stop.
  package var text: String
  /// The command that fixes it; `nil` if there is nothing to type.
  package var remedy: String?

  package init(_ level: Level, _ subject: String, _ text: String, remedy: String? = nil) {
    self.level = level
    self.subject = subject
    self.text = text
    self.remedy = remedy
  }
}
