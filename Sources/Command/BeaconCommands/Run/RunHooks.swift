// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconBlueZ
package import BeaconCore
internal import BeaconFormats
internal import SystemKit
internal import Beacons

/// Runs the operator's command when a region is entered or left, and shows notifications on the desktop.
///
/// Whatever the command does, the run continues. A live run drops jobs that do not fit the queue; a replay waits for it.
package final class RunHooks: RunParticipant {
  /// How often to look whether a command has ended.
  private static let look = TimeSpan.milliseconds(5)
  /// How long commands and notifications together may take when the user ends the run, which ends within a second: the disk
  /// may need the rest of it.
  private static let leave = TimeSpan.milliseconds(400)

  private var jobs: ShellJobs?
  /// Whether a command could not be started at all.
  package private(set) var hasFailed = false
  private let notifier: DesktopNotifier?
  private let names: NameBook
  private let isLive: Bool
  private let io: CommandIO

  /// Creates the hooks; `nil` if nothing is to be run or shown.
  ///
  /// - Parameters:
  ///   - options: The user's options.
  ///   - io: The command's surroundings.
  package init?(_ options: RunOptions, io: CommandIO) {
    guard options.hook != nil || options.notifies else { return nil }
    jobs = options.hook.map { ShellJobs($0) }
    let bus = io.environment["DBUS_SESSION_BUS_ADDRESS"]
    let desktop = options.notifies ? bus : nil
    notifier = desktop.flatMap { DesktopNotifier(bus: $0, program: "beaconctl") }
    if options.notifies, notifier == nil {
      io.show("--notify: there is no desktop session here (DBUS_SESSION_BUS_ADDRESS is not set)")
    }
    (names, isLive, self.io) = (options.names, options.isLive, io)
  }

  package func handle(_ moment: RunMoment, _ run: inout RunContext) {
    switch moment {
    case .delivered(let deliveries): add(deliveries)
    case .willWait: update()
    case .ended: end()
    default: break
    }
  }

  /// Runs the command for each crossing, and shows it.
  package func add(_ deliveries: [Delivery]) {
    for delivery in deliveries {
      switch delivery.event {
      case .regionEntered(let region, let reason, let why):
        add("enter", region, reason, why, delivery)
      case .regionExited(let region, let reason, let why):
        add("exit", region, reason, why, delivery)
      default: break
      }
    }
    update()
  }

  private func add(
    _ event: String,
    _ region: RegionIdentifier,
    _ reason: RegionStateReason,
    _ why: Explanation,
    _ delivery: Delivery
  ) {
    notifier?.show(EventSentence.text(of: delivery.event, names))
    while !isLive, jobs?.isFull == true, !io.isInterrupted() { wait() }
    jobs?.add(
      ShellJobs.Job(
        "\(event) \(region)",
        [
          "BEACONS_EVENT": event, "BEACONS_REGION": region.rawValue,
          "BEACONS_NAME": why.identity.flatMap { names[$0] } ?? "",
          "BEACONS_TIME": RFC3339.string(delivery.time), "BEACONS_REASON": reason.rawValue,
        ]
      )
    )
  }

  private func update() {
    guard jobs != nil else { return }
    let failures = jobs?.update(at: io.clock.elapsed.duration) ?? []
    for (name, failure) in failures {
      io.show("--exec for '\(name)' \(failure)")
      if case .notStarted = failure { hasFailed = true }
    }
    if let dropped = jobs?.drainDropped(), dropped > 0 {
      io.show("--exec was left out \(dropped) times: \(ShellJobs.capacity) crossings were waiting")
    }
  }

  private func wait() {
    update()
    io.clock.sleep(for: Self.look)
  }

  /// Waits until every command has ended; a user who ends the run waits for them, and for notifications, at most 0.4 s.
  package func end() {
    update()
    while jobs?.isIdle == false, !io.isInterrupted() { wait() }
    if io.isInterrupted() { notifier?.beginEnd(within: Self.leave.duration) }
    if jobs?.isIdle == false {
      jobs?.stop(killing: false)
      let end = io.clock.elapsed + Self.leave
      while jobs?.isIdle == false, io.clock.elapsed < end { wait() }
      jobs?.stop(killing: true)
    }
  }

  /// Ends the connection to the desktop, after the notifications.
  package func close() async {
    guard let lost = await notifier?.end(), lost.count > 0 else { return }
    let verb = lost.count == 1 ? "notification was" : "notifications were"
    io.show("--notify: \(lost.count) \(verb) not shown: \(lost.reason)")
  }
}
