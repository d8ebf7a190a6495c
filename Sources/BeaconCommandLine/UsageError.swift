// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A command line that cannot be run, in one line: what is wrong, where, and what would be right.
package struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The exit code of a program called wrongly (`EX_USAGE` of sysexits).
  package static let exitCode: Int32 = 64

  /// The place of the argument, 1 the first after the command's own name; `nil` if something is missing.
  package var argument: Int?
  /// What is wrong and what would be right.
  package var message: String

  /// Creates an error.
  package init(_ message: String, argument: Int? = nil) {
    self.message = message
    self.argument = argument
  }

  /// The place and the message.
  package var description: String {
    argument.map { "argument \($0): \(message)" } ?? message
  }
}
