// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How a command ends, in the numbers of `sysexits.h` where they have one.
package enum ExitCode: Int32, Sendable {
  /// Done.
  case done = 0
  /// Failed for a reason that has no number of its own.
  case failed = 1
  /// What was checked does not hold.
  case negativeVerdict = 2
  /// The command line is wrong.
  case usage = 64
  /// The data is not what it should be.
  case badData = 65
  /// The input does not exist or cannot be read.
  case noInput = 66
  /// What the command works with is not there or does not run.
  case unavailable = 69
  /// A bug in the program.
  case software = 70
  /// The user or the system does not permit it.
  case notPermitted = 77
  /// The configuration is wrong.
  case badConfiguration = 78
  /// Cut short by SIGINT.
  case interrupted = 130
  /// Cut short by SIGTERM.
  case terminated = 143
}
