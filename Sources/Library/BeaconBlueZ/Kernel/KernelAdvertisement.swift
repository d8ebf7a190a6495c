// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import SystemKit

/// Sends an advertisement through the kernel's control channel, where BlueZ's own way is refused (row B27).
///
/// An advertisement of this channel outlives the program that added it. So it is added for ``lease`` seconds and again
/// before they are over: after a crash the kernel removes it by itself.
package struct KernelAdvertisement {
  /// What happened to the advertisement.
  package enum Change: Sendable, Equatable {
    /// The adapter sends it, as one of so many.
    case added(active: Int, possible: Int)
    /// The kernel refused it with this status of the control channel.
    case refused(status: UInt8)
    /// All advertisements of the adapter are in use.
    case full
    /// The kernel removed it, or another program did.
    case removed
  }

  /// For how many seconds the kernel sends without being asked again.
  ///
  /// A controller that times advertisements itself takes at most 65 s.
  package static let lease: UInt16 = 30
  /// When it is asked again.
  package static let renewal = Duration.seconds(10)
  /// How long the kernel may take to answer.
  static let patience = Duration.seconds(5)
  /// The status of a message that was not sent or not answered: Failed.
  private static let failed: UInt8 = 0x03

  private enum State: Equatable {
    case idle
    case asking(UInt16)
    case adding(UInt16, instance: UInt8, active: Int, possible: Int)
    case sending(UInt16, instance: UInt8)
  }

  /// The AD structures after the Flags.
  private let data: [UInt8]
  private var state = State.idle
  /// When to ask again, or when an answer is late.
  package private(set) var nextDeadline: Uptime?

  /// Creates an advertisement that is not sent yet.
  package init(_ data: [UInt8]) {
    self.data = data
  }

  /// Begins to send with a controller; returns the message to the kernel.
  package mutating func start(_ controller: UInt16, at now: Uptime) -> [UInt8] {
    (state, nextDeadline) = (.asking(controller), now + Self.patience)
    return ManagementMessage.readingAdvertising(controller)
  }

  /// Ends it; returns the message to the kernel, if there may be an advertisement.
  package mutating func stop() -> [UInt8]? {
    defer { (state, nextDeadline) = (.idle, nil) }
    switch state {
    case .idle, .asking: return nil
    case .adding(let controller, let instance, _, _), .sending(let controller, let instance):
      return ManagementMessage.removingAdvertising(instance, controller)
    }
  }

  /// Returns the message that is due at a time, or that no answer came.
  package mutating func timePassed(at now: Uptime) -> (message: [UInt8]?, change: Change?) {
    guard let nextDeadline, nextDeadline <= now else { return (nil, nil) }
    guard case .sending(let controller, let instance) = state else {
      return (stop(), .refused(status: Self.failed))
    }
    self.nextDeadline = now + Self.renewal
    return (message(instance, controller), nil)
  }

  /// Uses a message of the kernel; returns the next one to it, and the change.
  package mutating func received(
    _ event: ManagementMessage.Event,
    at now: Uptime
  ) -> (message: [UInt8]?, change: Change?) {
    switch (event, state) {
    case (
      .completed(ManagementMessage.readAdvertising, let its, let status, let facts),
      .asking(let controller)
    )
    where its == controller:
      return described(controller, status, facts, at: now)
    case (
      .completed(ManagementMessage.addAdvertising, let its, let status, _),
      .adding(let controller, let instance, let active, let possible)
    ) where its == controller:
      guard status == 0 else { return refused(status) }
      (state, nextDeadline) = (.sending(controller, instance: instance), now + Self.renewal)
      return (nil, .added(active: active, possible: possible))
    case (
      .completed(ManagementMessage.addAdvertising, let its, let status, _),
      .sending(let controller, _)
    )
    where its == controller && status != 0:
      return (stop(), .removed)
    case (.advertisingRemoved(let its, let removed), .sending(let controller, let instance))
    where its == controller && removed == instance:
      (state, nextDeadline) = (.idle, nil)
      return (nil, .removed)
    default: return (nil, nil)
    }
  }

  /// Chooses the highest free number: BlueZ gives the lowest.
  private mutating func described(
    _ controller: UInt16,
    _ status: UInt8,
    _ facts: [UInt8],
    at now: Uptime
  ) -> (message: [UInt8]?, change: Change?) {
    guard status == 0, let (possible, used) = ManagementMessage.advertising(facts) else {
      return refused(status == 0 ? Self.failed : status)
    }
    guard let instance = (0..<possible).map({ possible - $0 }).first(where: { !used.contains($0) })
    else {
      (state, nextDeadline) = (.idle, nil)
      return (nil, .full)
    }
    nextDeadline = now + Self.patience
    state = .adding(
      controller,
      instance: instance,
      active: used.count + 1,
      possible: Int(possible)
    )
    return (message(instance, controller), nil)
  }

  private mutating func refused(_ status: UInt8) -> (message: [UInt8]?, change: Change?) {
    (state, nextDeadline) = (.idle, nil)
    return (nil, .refused(status: status))
  }

  private func message(_ instance: UInt8, _ controller: UInt16) -> [UInt8] {
    ManagementMessage.adding(data, instance: instance, seconds: Self.lease, controller)
  }
}
