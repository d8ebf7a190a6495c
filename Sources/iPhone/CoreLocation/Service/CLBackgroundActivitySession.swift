// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

/// Keeps a program in use in the background for as long as this object exists.
///
/// It is the continuous session that ``CLLocationManager/startUpdatingLocation()`` starts too. It needs `location`
/// among the `UIBackgroundModes`, and must start in the foreground. While it runs it asks for authorization.
public final class CLBackgroundActivitySession: NSObject, Sendable {
  private let service: LocationService
  private let isOver = Mutex(false)
  /// Asks for authorization, as Apple's implicit session does.
  private let implicit: CLServiceSession

  /// Starts a session.
  public override convenience init() {
    self.init(.ofProcess)
  }

  package init(_ service: LocationService) {
    self.service = service
    implicit = CLServiceSession(.whenInUse, nil, of: service)
    super.init()
    service.keepsBackgroundSession(true)
  }

  deinit { invalidate() }

  /// Ends the session.
  public func invalidate() {
    let ends = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    if ends {
      service.keepsBackgroundSession(false)
      implicit.invalidate()
    }
  }
}
