// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// An error in a command line, described in one line: the fault, its place, and the correction.
package struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The exit code for a wrong command line (`EX_USAGE` of sysexits).
  package static let exitCode: Int32 = 64

  /// The place of the argument; 1 is the first after the program's name.
  ///
  /// `nil` if something is missing.
  package var argument: Int?
  /// The fault, and its correction.
  package var message: String

  /// Creates an error.
  package init(_ message: String, argument: Int? = nil) {
    self.message = message
    self.argument = argument
  }

  /// The error for missing arguments of a command; all of them are in one message.
  ///
  /// - Parameters:
  ///   - missing: The arguments and options, as usage lines show them; not empty.
  ///   - command: The command, as the user types it.
  ///   - conjunction: `and`, or `or` if one of them is enough.
  ///   - hint: What helps to give them; `nil` names the command's help.
  /// - Returns: The error.
  package static func missing(
    _ missing: [String],
    in command: String,
    joinedBy conjunction: String = "and",
    hint: String? = nil
  ) -> UsageError {
    let all = missing.dropLast().joined(separator: ", ")
    let list =
      all.isEmpty ? missing.joined() : "\(all) \(conjunction) \(missing[missing.count - 1])"
    return UsageError("'\(command)' needs \(list); \(hint ?? "see '\(command) --help'")")
  }

  /// The place and the message.
  package var description: String {
    argument.map { "argument \($0): \(message)" } ?? message
  }
}
