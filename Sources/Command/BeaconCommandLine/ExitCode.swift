// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The exit codes of a command.
///
/// The numbers are those of `sysexits.h`, if it defines one.
package enum ExitCode: Int32, Sendable {
  /// The command succeeded.
  case done = 0
  /// The command failed for a reason without a separate number.
  case failed = 1
  /// The check found a fault or a difference.
  case negativeVerdict = 2
  /// The command line is wrong.
  case usage = 64
  /// The data is wrong.
  case badData = 65
  /// The input does not exist or cannot be read.
  case noInput = 66
  /// A device or a service that the command needs is missing or not running.
  case unavailable = 69
  /// A bug in the program.
  case software = 70
  /// The user or the system does not permit it.
  case notPermitted = 77
  /// The configuration is wrong.
  case badConfiguration = 78
  /// SIGINT ended the command.
  case interrupted = 130
  /// SIGTERM ended the command.
  case terminated = 143
}
