// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

// Apple's module also exports Foundation, and programs rely on that.
public import CoreLocation
@_exported public import Foundation

/// The text of a notification.
open class UNNotificationContent: NSObject, @unchecked Sendable {
  // The lock guards the values.

  private let lock = NSLock()
  private var values: (title: String, subtitle: String, body: String) = ("", "", "")
  private var kept: (info: [AnyHashable: Any], badge: NSNumber?, sound: UNNotificationSound?) =
    ([:], nil, nil)

  /// Creates an empty content.
  public override init() { super.init() }

  func read<Value>(_ value: (UNNotificationContent) -> Value) -> Value {
    lock.withLock { value(self) }
  }

  func change(_ change: (UNNotificationContent) -> Void) { lock.withLock { change(self) } }

  /// The texts on one line.
  var line: String { [title, subtitle, body].filter { !$0.isEmpty }.joined(separator: ": ") }

  /// The title.
  open var title: String { read { $0.values.title } }
  /// The second line.
  open var subtitle: String { read { $0.values.subtitle } }
  /// The text.
  open var body: String { read { $0.values.body } }
  /// The program's values.
  open var userInfo: [AnyHashable: Any] { read { $0.kept.info } }
  /// Stored without effect.
  open var badge: NSNumber? { read { $0.kept.badge } }
  /// Stored without effect.
  open var sound: UNNotificationSound? { read { $0.kept.sound } }

  fileprivate func set(
    _ text: WritableKeyPath<(title: String, subtitle: String, body: String), String>,
    _ value: String
  ) {
    change { $0.values[keyPath: text] = value }
  }

  fileprivate func keep(info: [AnyHashable: Any]) { change { $0.kept.info = info } }
  fileprivate func keep(badge: NSNumber?) { change { $0.kept.badge = badge } }
  fileprivate func keep(sound: UNNotificationSound?) { change { $0.kept.sound = sound } }
}

/// The text of a notification, to be written.
open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
  // It adds nothing to the superclass's stored properties.

  /// The title.
  open override var title: String {
    get { super.title }
    set { set(\.title, newValue) }
  }
  /// The second line.
  open override var subtitle: String {
    get { super.subtitle }
    set { set(\.subtitle, newValue) }
  }
  /// The text.
  open override var body: String {
    get { super.body }
    set { set(\.body, newValue) }
  }
  /// The program's values.
  open override var userInfo: [AnyHashable: Any] {
    get { super.userInfo }
    set { keep(info: newValue) }
  }
  /// Stored without effect.
  open override var badge: NSNumber? {
    get { super.badge }
    set { keep(badge: newValue) }
  }
  /// Stored without effect.
  open override var sound: UNNotificationSound? {
    get { super.sound }
    set { keep(sound: newValue) }
  }
}

/// A sound, which is not played here.
public final class UNNotificationSound: NSObject, Sendable {
  /// The usual sound.
  public static var `default`: UNNotificationSound { UNNotificationSound() }
}

/// When a notification is shown; only ``UNLocationNotificationTrigger`` exists here.
open class UNNotificationTrigger: NSObject, @unchecked Sendable {
  // The stored property is constant, so the class is safe to share.

  /// Whether it is shown each time.
  public let repeats: Bool

  init(repeats: Bool) { self.repeats = repeats }
}

/// Shows a notification when a region is entered or left, by the region's `notifyOnEntry` and `notifyOnExit`.
///
/// A circle on the map needs beacons that stand for it: `BEACONS_CIRCLES`.
public final class UNLocationNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
  // The stored property is a constant copy, so the class is safe to share.

  /// The region.
  public let region: CLRegion

  /// Creates a trigger.
  public init(region: CLRegion, repeats: Bool) {
    self.region = region.copy() as? CLRegion ?? region
    super.init(repeats: repeats)
  }
}

/// A notification that is to be shown.
public final class UNNotificationRequest: NSObject, Sendable {
  /// Its name; a request with the same name replaces it.
  public let identifier: String
  /// Its text.
  public let content: UNNotificationContent
  /// When it is shown; without a trigger, immediately.
  public let trigger: UNNotificationTrigger?

  /// Creates a request.
  public init(
    identifier: String,
    content: UNNotificationContent,
    trigger: UNNotificationTrigger?
  ) {
    (self.identifier, self.content, self.trigger) = (identifier, content, trigger)
  }
}

/// A notification that was shown.
public final class UNNotification: NSObject, Sendable {
  /// When it was shown.
  public let date: Date
  /// Its request.
  public let request: UNNotificationRequest

  init(_ request: UNNotificationRequest, at date: Date) {
    (self.request, self.date) = (request, date)
  }
}

/// A user's reaction to a notification.
public final class UNNotificationResponse: NSObject, Sendable {
  /// The notification.
  public let notification: UNNotification
  /// The action: always ``UNNotificationDefaultActionIdentifier``, a tap.
  public var actionIdentifier: String { UNNotificationDefaultActionIdentifier }

  init(_ notification: UNNotification) { self.notification = notification }
}

/// The action of a tap.
public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
