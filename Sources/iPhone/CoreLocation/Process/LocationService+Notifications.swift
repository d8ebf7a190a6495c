// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

extension LocationService {
  /// The service of the process, for the module UserNotifications.
  package static var process: LocationService { .ofProcess }

  /// Has the machine show a notification when a region is entered or left.
  ///
  /// - Returns: Whether it can: a circle on the map has to stand for beacons.
  package func notify(
    _ region: CLRegion,
    as identifier: String,
    repeats: Bool,
    text: String
  ) -> Bool {
    let beacons = (region as? CLBeaconRegion)?.beaconIdentityConstraint.constraint
    guard let constraint = beacons ?? circles[region.identifier] else {
      note(
        "no notification for '\(region.identifier)': a circle needs beacons, BEACONS_CIRCLES=\(region.identifier)=UUID"
      )
      return false
    }
    let watched = Region(
      RegionIdentifier(identifier),
      constraint,
      notifyOnEntry: region.notifyOnEntry,
      notifyOnExit: region.notifyOnExit
    )
    let notification = RegionNotification(watched, repeats: repeats, text: text)
    requestQueue.send { await $0.client.notify(notification) }
    return true
  }

  /// Ends a notification.
  package func stopNotifying(_ identifier: String) {
    requestQueue.send { await $0.client.stopNotifying(RegionIdentifier(identifier)) }
  }

  /// A notification is shown, the user taps it, or taps one that the machine's service showed.
  package enum NotificationNews: Sendable { case shown, tapped, tappedAtService }

  /// Follows the notifications that are shown, and those that the user taps.
  package func followNotifications(
    _ handle: @escaping @MainActor @Sendable (_ identifier: String, NotificationNews, Date) -> Void
  ) {
    addListener()
    // They are kept from here on, before any request.
    let (sequences, sequence) = AsyncStream.makeStream(of: ClientSequence<NotificationChange>.self)
    requestQueue.send { sequence.yield($0.client.notificationChanges) }
    Task {
      defer { removeListener() }
      guard let session = await opening.value?.client.session,
        let changes = await sequences.first(where: { _ in true })
      else { return }
      for await change in changes {
        let (region, news, time): (RegionIdentifier, NotificationNews, Timestamp) =
          switch change {
          case .shown(let region, let time): (region, .shown, time)
          case .tapped(let region, let time):
            (region, session.isRemote ? .tappedAtService : .tapped, time)
          }
        await handle(region.rawValue, news, Date(time))
        await requestQueue.settled()
      }
    }
  }

  /// Writes a line for the user who runs the program.
  package func show(_ text: String) { write(text) }
}
