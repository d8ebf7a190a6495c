// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The reason why a command failed: one line for each fault, and the exit code.
package struct CommandFailure: Error {
  /// The exit code of the command.
  package let code: ExitCode
  /// A line for each fault: its text, its place, and the remedy.
  ///
  /// The command's name is not included.
  package let lines: [String]

  package init(_ code: ExitCode, _ lines: [String]) {
    self.code = code
    self.lines = lines
  }

  package init(_ code: ExitCode, _ line: String) {
    self.init(code, [line])
  }
}
