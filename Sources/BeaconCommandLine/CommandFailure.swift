// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Why a command ends without having done what it was asked: one line for each fault, and the exit code.
package struct CommandFailure: Error {
  /// How the command ends.
  package let code: ExitCode
  /// What is wrong, where, and what to do: a line each, without the command's name.
  package let lines: [String]

  package init(_ code: ExitCode, _ lines: [String]) {
    self.code = code
    self.lines = lines
  }

  package init(_ code: ExitCode, _ line: String) {
    self.init(code, [line])
  }
}
