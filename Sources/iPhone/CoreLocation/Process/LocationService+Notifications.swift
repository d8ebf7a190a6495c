// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Beacons

extension LocationService {
  /// The service of the process, for the module UserNotifications.
  package static var process: LocationService { .ofProcess }

  /// Has the machine show a notification when a region is entered or left.
  ///
  /// - Returns: Whether it can: a circle on the map has to stand for beacons.
  package func notify(_ region: CLRegion, as identifier: String, repeats: Bool) -> Bool {
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
    requestQueue.send { await $0.client.notify(RegionNotification(watched, repeats: repeats)) }
    return true
  }

  /// Follows the notifications that are shown, and those that the user taps.
  package func followNotifications(
    _ handle: @escaping @MainActor @Sendable (_ identifier: String, _ isTap: Bool, Date) -> Void
  ) {
    addListener()
    // They are kept from here on, before any request.
    let (sequences, sequence) = AsyncStream.makeStream(of: ClientSequence<NotificationChange>.self)
    requestQueue.send { sequence.yield($0.client.notificationChanges) }
    Task {
      defer { removeListener() }
      guard await opening.value != nil,
        let changes = await sequences.first(where: { _ in true })
      else { return }
      for await change in changes {
        let (region, isTap, time) =
          switch change {
          case .shown(let region, let time): (region, false, time)
          case .tapped(let region, let time): (region, true, time)
          }
        await handle(region.rawValue, isTap, Date(time))
        await requestQueue.settled()
      }
    }
  }

  /// Writes a line for the user who runs the program.
  package func show(_ text: String) { write(text) }
}
