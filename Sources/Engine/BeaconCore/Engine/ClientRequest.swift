// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A request from a client's program to the engine.
///
/// Requests are never recorded: a replay runs the program again.
public enum ClientRequest: Sendable, Equatable {
  /// Report once a second which beacons satisfy a constraint; asking twice has the effect of asking once.
  ///
  /// When bound to a region, ranging continues only while that region is inside.
  case range(IdentityConstraint, whileInside: RegionIdentifier? = nil)
  /// Stop ranging a constraint; no more ticks are delivered for it.
  case stopRanging(IdentityConstraint)
  /// Report when a region is entered and left; a region with the same identifier is replaced (row G1).
  ///
  /// With an assumed state, the first determination is a crossing if it differs from that state.
  case monitor(Region, assuming: RegionState? = nil)
  /// Stop monitoring a region.
  case stopMonitoring(RegionIdentifier)
  /// Report a region's state as it is known (row G8).
  case requestState(RegionIdentifier)
  /// Ask for authorization, accuracy, or a session.
  case authorize(AuthorizationRequest)
  /// Have the machine show a notification when a region is entered or left (row G23).
  case notify(RegionNotification)
  /// Show no more notifications of a region.
  case stopNotifying(RegionIdentifier)

  /// Whether the request ranges or monitors something.
  package var asksForBeacons: Bool {
    switch self {
    case .range, .monitor, .notify: true
    case .stopRanging, .stopMonitoring, .requestState, .authorize, .stopNotifying: false
    }
  }
}

extension [Region] {
  /// Notes a request of the client that has these regions: what its regions are once the request is done.
  package mutating func note(_ request: ClientRequest) {
    switch request {
    case .monitor(let region, _):
      removeAll { $0.identifier == region.identifier }
      append(region)
      sort { $0.identifier < $1.identifier }
    case .stopMonitoring(let region): removeAll { $0.identifier == region }
    case .range, .stopRanging, .requestState, .authorize, .notify, .stopNotifying: break
    }
  }
}

/// A notification that the machine shows when a region is entered or left, without waking the client.
public struct RegionNotification: Sendable, Hashable {
  /// The region; its `notifyOnEntry` and `notifyOnExit` choose when the notification is shown.
  public var region: Region
  /// Whether it is shown every time, or only once.
  public var repeats: Bool
  /// The text that a service shows; without a service, the program itself shows something.
  public var text: String

  /// Creates a notification.
  public init(_ region: Region, repeats: Bool, text: String = "") {
    self.region = region
    self.repeats = repeats
    self.text = text
  }
}
