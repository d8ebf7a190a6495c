// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How much of the service a program may use; what exceeds a quota is answered with `LimitExceeded`.
package struct ServiceQuotas: Sendable {
  /// Sessions of a connection: a program needs one.
  package var sessionsOfPeer = 8
  /// Sessions of an account: one for each of many programs.
  package var sessionsOfAccount = 64
  /// Sessions in all; each costs a stream of a quarter of a megabyte at most.
  package var sessions = 256
  /// Clients of an account, with their files: labels are free, so that they must be few.
  package var clientsOfAccount = 64
  /// Clients in all.
  package var clients = 1024
  /// What an account may have of sessions, clients and agents even if other accounts have all of them.
  package var leastOfAccount = 2
  /// Regions of a client (Core Location's), and the regions of its notifications.
  package var regions = 20
  /// Notifications of an account that agents show, or will show; a further one takes the place of the oldest.
  package var notificationsOfAccount = 64
  /// Constraints that a session ranges.
  package var constraints = 64
  /// Streams of a session: one, and one more while it is opened again.
  package var streams = 2
  /// What an account's programs may ask of the engine before it is done: two programs start with 84 requests each.
  package var openRequestsOfAccount = 512
  /// Agents of an account, and in all.
  package var agentsOfAccount = 4
  /// Agents in all.
  package var agents = 32
  /// The longest identifier of a region, in bytes.
  package var regionBytes = 255
  /// The longest text of a manifest, in bytes.
  package var textBytes = 1024

  /// Creates the default quotas.
  package init() {}
}
