// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A region that can be monitored; here always a ``CLBeaconRegion``.
open class CLRegion: NSObject, NSCopying, @unchecked Sendable {
  // All mutable state is guarded by the lock.

  let lock = NSLock()
  /// The region's name, unique among a program's regions.
  public let identifier: String
  private var notifiesEntry = true
  private var notifiesExit = true

  init(identifier: String) {
    self.identifier = identifier
  }

  /// Whether `didEnterRegion` is called; a change takes effect when monitoring next starts.
  open var notifyOnEntry: Bool {
    get { lock.withLock { notifiesEntry } }
    set { lock.withLock { notifiesEntry = newValue } }
  }

  /// Whether `didExitRegion` is called; a change takes effect when monitoring next starts.
  open var notifyOnExit: Bool {
    get { lock.withLock { notifiesExit } }
    set { lock.withLock { notifiesExit = newValue } }
  }

  /// Returns a region with the same values.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Regions of the same kind and identifier are equal, whatever their other values.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLRegion else { return false }
    return type(of: other) == type(of: self) && other.identifier == identifier
  }

  /// Equal regions have equal hashes.
  open override var hash: Int { identifier.hashValue }
}
