// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// A place that can be monitored; here always a ``CLBeaconRegion``.
open class CLRegion: NSObject, NSCopying, @unchecked Sendable {
  // What can change is guarded by the lock.

  let lock = NSLock()
  /// The region's name, by which regions of a program are told apart.
  public let identifier: String
  private var tellsEntry = true
  private var tellsExit = true

  init(identifier: String) {
    self.identifier = identifier
  }

  /// Whether `didEnterRegion` is called; it counts from when monitoring starts.
  open var notifyOnEntry: Bool {
    get { lock.withLock { tellsEntry } }
    set { lock.withLock { tellsEntry = newValue } }
  }

  /// Whether `didExitRegion` is called; it counts from when monitoring starts.
  open var notifyOnExit: Bool {
    get { lock.withLock { tellsExit } }
    set { lock.withLock { tellsExit = newValue } }
  }

  /// Returns a region that says the same.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Regions of the same kind and identifier are equal, whatever else they say.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLRegion else { return false }
    return type(of: other) == type(of: self) && other.identifier == identifier
  }

  /// Equal regions have equal hashes.
  open override var hash: Int { identifier.hashValue }
}
