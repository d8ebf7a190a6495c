// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// How much of the service a program may use; what exceeds a quota is answered with `LimitExceeded`.
package struct ServiceQuotas: Sendable {
  /// Sessions of a connection: a program needs one.
  package var sessionsOfPeer = 8
  /// Sessions of an account: one for each of many programs.
  package var sessionsOfAccount = 64
  /// Sessions in all; each costs streams of a quarter of a megabyte at most.
  package var sessions = 256
  /// Clients of an account, with their files: labels are free, so that they must be few.
  package var clientsOfAccount = 64
  /// Clients in all.
  package var clients = 1024
  /// What an account may have of sessions, clients, streams and agents even if other accounts have all of them.
  package var leastOfAccount = 2
  /// Regions of a client (Core Location's), and the regions of its notifications.
  package var regions = 20
  /// Notifications of an account that agents show, or will show; a further one takes the place of the oldest.
  package var notificationsOfAccount = 64
  /// Constraints that a session ranges.
  package var constraints = 64
  /// Streams of a session: one, and one more while it is opened again.
  package var streams = 2
  /// Streams of an account, until their descriptors are closed.
  package var streamsOfAccount = 128
  /// Streams in all; a fifth of them is for accounts with fewer than ``leastOfAccount``.
  package var streamsInAll = 640
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

  /// The descriptors that no stream gets: those of the service's files, its recording, receivers and connections, with one of each
  /// client that is written at the time, those of messages on their way, and those of the system's threads, which end
  /// the process without one.
  package static let reserve = 192
  /// The least limit of open files with which a service begins, and the limit to which it raises a lower one.
  package static let (leastDescriptors, wantedDescriptors) = (256, 1536)

  /// Divides the descriptors that the limit of open files allows.
  package mutating func fit(descriptors limit: Int) {
    streamsInAll = max(0, min(streamsInAll, limit - Self.reserve))
    streamsOfAccount = max(leastOfAccount, min(streamsOfAccount, streamsInAll / 5))
  }
}
