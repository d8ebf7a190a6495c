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
/// `CoreLocationProcess.perform(.tapNotification(region:))` with the request's name.
public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  // The lock guards the mutable state.

  private let lock = NSLock()
  private var requests: [String: UNNotificationRequest] = [:]
  private var shown: [String: UNNotification] = [:]
  private weak var listener: (any UNUserNotificationCenterDelegate)?

  private static let shared = UNUserNotificationCenter()

  /// The center of the program.
  public class func current() -> UNUserNotificationCenter { shared }

  private override init() {
    super.init()
    LocationService.process.followNotifications { [weak self] identifier, isTap, date in
      self?.note(identifier, isTap, date)
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
    lock.withLock { requests[request.identifier] = request }
    if let trigger = request.trigger as? UNLocationNotificationTrigger {
      _ = LocationService.process.notify(
        trigger.region,
        as: request.identifier,
        repeats: trigger.repeats
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
    lock.withLock { for identifier in identifiers { requests[identifier] = nil } }
  }

  /// Removes all requests.
  public func removeAllPendingNotificationRequests() { lock.withLock { requests = [:] } }

  @MainActor private func note(_ identifier: String, _ isTap: Bool, _ date: Date) {
    guard isTap else {
      if let request = lock.withLock({ requests[identifier] }) { show(request, at: date) }
      return
    }
    let (notification, delegate) = lock.withLock {
      (shown.removeValue(forKey: identifier), listener)
    }
    guard let notification else { return }
    delegate?.userNotificationCenter(
      self,
      didReceive: UNNotificationResponse(notification),
      withCompletionHandler: {}
    )
  }

  private func show(_ request: UNNotificationRequest, at date: Date) {
    lock.withLock {
      shown[request.identifier] = UNNotification(request, at: date)
      if request.trigger?.repeats != true { requests[request.identifier] = nil }
    }
    let content = request.content
    let texts = [content.title, content.subtitle, content.body].filter { !$0.isEmpty }
    LocationService.process.show("notification: \(texts.joined(separator: ": "))")
  }
}
