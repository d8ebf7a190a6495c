// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CoreLocation
public import Foundation

/// The kinds of notifications for which a program asks.
public struct UNAuthorizationOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Creates a set.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// A number on the program's icon.
  public static let badge = UNAuthorizationOptions(rawValue: 1)
  /// Sounds.
  public static let sound = UNAuthorizationOptions(rawValue: 2)
  /// Texts.
  public static let alert = UNAuthorizationOptions(rawValue: 4)
}

/// Receives users' reactions to notifications.
public protocol UNUserNotificationCenterDelegate: AnyObject {
  /// The user tapped a notification: the program is in use.
  func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  )
}

extension UNUserNotificationCenterDelegate {
  /// Does nothing.
  public func userNotificationCenter(
    _ center: UNUserNotificationCenter,
    didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void
  ) { completionHandler() }
}

/// Shows notifications of regions to the user.
///
/// A notification is a line on standard error. A tap is a user action: `BEACONS_ACTIONS`, or
/// `CoreLocationProcess.perform(.tapNotification(region:))` with the request's name. A program of the system's service
/// has its notifications shown by the service's agent, also while it does not run, and a user taps them there.
public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  // The lock guards the mutable state.

  private let lock = NSLock()
  private var requests: [String: UNNotificationRequest] = [:]
  private var shown: [String: UNNotification] = [:]
  /// Taps before the request of their notification: the one that opened the program.
  private var earlyTaps: [String: Date] = [:]
  private weak var listener: (any UNUserNotificationCenterDelegate)?

  private static let shared = UNUserNotificationCenter()

  /// The center of the program.
  public class func current() -> UNUserNotificationCenter { shared }

  private override init() {
    super.init()
    LocationService.process.followNotifications { [weak self] identifier, news, date in
      self?.note(identifier, news, date)
    }
  }

  /// The object that receives taps; the center does not retain it.
  public weak var delegate: (any UNUserNotificationCenterDelegate)? {
    get { lock.withLock { listener } }
    set { lock.withLock { listener = newValue } }
  }

  /// Asks for permission to show notifications, which every program has here.
  public func requestAuthorization(
    options: UNAuthorizationOptions = [],
    completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) { completionHandler(true, nil) }

  /// Asks for permission to show notifications, which every program has here.
  public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
    true
  }

  /// Adds a request; one of the same name is replaced.
  ///
  /// The program needs authorization while in use for regions.
  public func add(
    _ request: UNNotificationRequest,
    withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    let tap = lock.withLock {
      requests[request.identifier] = request
      return earlyTaps.removeValue(forKey: request.identifier)
    }
    if let tap { Task { @MainActor in note(request.identifier, .tappedAtService, tap) } }
    if let trigger = request.trigger as? UNLocationNotificationTrigger {
      _ = LocationService.process.notify(
        trigger.region,
        as: request.identifier,
        repeats: trigger.repeats,
        text: request.content.line
      )
    } else {
      show(request, at: Date())
    }
    completionHandler?(nil)
  }

  /// Adds a request; one of the same name is replaced.
  public func add(_ request: UNNotificationRequest) async throws {
    add(request, withCompletionHandler: nil)
  }

  /// Returns the requests that are still to be shown.
  public func pendingNotificationRequests() async -> [UNNotificationRequest] {
    lock.withLock { requests.values.sorted { $0.identifier < $1.identifier } }
  }

  /// Removes requests.
  public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
    for identifier in identifiers {
      let removed = lock.withLock { requests.removeValue(forKey: identifier) }
      if removed?.trigger is UNLocationNotificationTrigger {
        LocationService.process.stopNotifying(identifier)
      }
    }
  }

  /// Removes all requests.
  public func removeAllPendingNotificationRequests() {
    let identifiers = lock.withLock { requests.keys.sorted() }
    removePendingNotificationRequests(withIdentifiers: identifiers)
  }

  @MainActor private func note(
    _ identifier: String,
    _ news: LocationService.NotificationNews,
    _ date: Date
  ) {
    guard news != .shown else {
      if let request = lock.withLock({ requests[identifier] }) { show(request, at: date) }
      return
    }
    let (notification, delegate) = lock.withLock {
      // The agent showed it, perhaps for an earlier process.
      if news == .tappedAtService {
        if let request = requests[identifier] {
          note(request, date)
        } else {
          earlyTaps[identifier] = date
        }
      }
      return (shown.removeValue(forKey: identifier), listener)
    }
    guard let notification else { return }
    delegate?.userNotificationCenter(
      self,
      didReceive: UNNotificationResponse(notification),
      withCompletionHandler: {}
    )
  }

  private func show(_ request: UNNotificationRequest, at date: Date) {
    lock.withLock { note(request, date) }
    LocationService.process.show("notification: \(request.content.line)")
  }

  /// Notes that a notification is shown; the lock is held.
  private func note(_ request: UNNotificationRequest, _ date: Date) {
    shown[request.identifier] = UNNotification(request, at: date)
    if request.trigger?.repeats != true { requests[request.identifier] = nil }
  }
}
