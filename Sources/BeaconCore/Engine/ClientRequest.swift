// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// Something a program asks of the engine.
///
/// Requests are never recorded: a replay runs the program again.
public enum ClientRequest: Sendable, Equatable {
  /// Be told once a second which beacons satisfy a constraint; asking twice is asking once.
  ///
  /// Bound to a region, ranging goes on only while that region is inside.
  case range(IdentityConstraint, whileInside: RegionIdentifier? = nil)
  /// Stop ranging a constraint; nothing of it is told any more.
  case stopRanging(IdentityConstraint)
  /// Be told when a region is entered and left; one of the same identifier is replaced (row G1).
  ///
  /// A state assumed makes the first determination a crossing where it differs.
  case monitor(Region, assuming: RegionState? = nil)
  /// Stop monitoring a region.
  case stopMonitoring(RegionIdentifier)
  /// Be told a region's state as it is known (row G8).
  case requestState(RegionIdentifier)
  /// Ask for authorization, accuracy, or a session.
  case authorize(AuthorizationRequest)
  /// Have the machine show a notification when a region is entered or left (row G23).
  case notify(RegionNotification)
}

/// A notification that the machine shows when a region is entered or left, without waking the client.
public struct RegionNotification: Sendable, Hashable {
  /// The region; its `notifyOnEntry` and `notifyOnExit` pick the side.
  public var region: Region
  /// Whether it is shown every time, or once.
  public var repeats: Bool

  /// Creates a notification.
  public init(_ region: Region, repeats: Bool) {
    self.region = region
    self.repeats = repeats
  }
}
