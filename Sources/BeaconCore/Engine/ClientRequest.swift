// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something a program asks of the engine.
///
/// Requests are never recorded: a replay runs the program again.
public enum ClientRequest: Sendable, Equatable {
  /// Be told once a second which beacons satisfy a constraint; asking twice is asking once.
  case range(IdentityConstraint)
  /// Stop ranging a constraint; nothing of it is told any more.
  case stopRanging(IdentityConstraint)
}
