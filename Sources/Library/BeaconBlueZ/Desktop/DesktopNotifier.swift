// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
internal import SystemKit
internal import DBus
internal import Synchronization

/// Shows notifications on the desktop of the session in which the program runs (`org.freedesktop.Notifications`).
///
/// It is here since this module is the commands' only way to D-Bus. Nothing waits for it, but its end: what cannot be shown
/// is left out, and counted.
package final class DesktopNotifier: Sendable {
  /// The most Unicode scalars of a notification.
  private static let longestText = 200

  /// The notifications that the desktop did not show, and the last reason.
  package struct Loss: Sendable, Equatable {
    /// How many.
    package fileprivate(set) var count = 0
    /// The reason, which may contain any character.
    package fileprivate(set) var reason = ""

    fileprivate mutating func add(_ count: Int, _ reason: String? = nil) {
      self.count += count
      self.reason = reason ?? self.reason
    }
  }

  /// The loss, shared with the bus's thread.
  private final class Losses: Sendable {
    let value = Mutex(Loss())
  }

  private let losses: Losses
  private let thread: BusThread

  /// Connects to the session's bus; `nil` without a thread for it.
  ///
  /// - Parameters:
  ///   - bus: The bus's address.
  ///   - program: The name that desktops show with a notification.
  ///   - opened: Receives the number of a notification that the user opens.
  package init?(
    bus: String,
    program: String,
    opened: (@Sendable (_ number: UInt32) -> Void)? = nil
  ) {
    let losses = Losses()
    let made = try? BusThread(BusAddress(bus)) {
      Handler(program: program, losses, opened: opened)
    }
    guard let made else { return nil }
    self.losses = losses
    thread = made
  }

  /// Shows a text, as soon as there is a connection; one with a number can be opened.
  package func show(_ text: String, number: UInt32? = nil) {
    let line = Self.plain(text)
    let isPosted = thread.post { loop in (loop.handler as? Handler)?.show(line, number, loop) }
    // The connection has failed before, with its reason.
    if !isPosted { losses.value.withLock { $0.add(1) } }
  }

  /// Begins to end the connection, when the notifications are sent or a time later; it does not wait.
  package func beginEnd(within leave: Duration) {
    thread.post { loop in (loop.handler as? Handler)?.end(loop, within: leave) }
  }

  /// Ends the connection, when the notifications are sent or a second later; less after a signal that ends the program.
  ///
  /// - Returns: The loss.
  package func end() async -> Loss {
    beginEnd(within: Handler.leave)
    await thread.ended()
    return losses.value.withLock { $0 }
  }

  /// Returns the start of a text on one line, with what cannot be seen written out.
  ///
  /// It is sent as the summary, in which desktops read no markup.
  package static func plain(_ text: String) -> String {
    text.printable(upTo: longestText)
  }

  private final class Handler: BusHandler {
    /// The most notifications that wait to be sent, and that are not answered; more at a time are not read.
    private static let most = 20
    /// How long a desktop may take to answer.
    private static let timeout = Duration.seconds(5)
    /// How long the end may take, and after a signal; how often is looked for one.
    static let leave = Duration.seconds(1)
    private static let leaveAfterSignal = Duration.milliseconds(400)
    private static let interval = Duration.milliseconds(50)

    private static let desktop = "org.freedesktop.Notifications"
    /// The most notifications that can be opened; a further one takes the place of the oldest.
    private static let mostOpenable = 64

    private let program: String
    private let losses: Losses
    private let opened: (@Sendable (UInt32) -> Void)?
    /// The notifications from before the connection.
    private var early: [(text: String, number: UInt32?)] = []
    /// The notifications that can be opened, by the desktop's numbers, the newest last.
    private var openable: [(shown: UInt32, number: UInt32)] = []
    private var pending = 0
    private var hasFailed = false
    private var endBy: Uptime?
    /// When to look for a signal, once the end has begun.
    private var nextLook: Uptime?

    init(program: String, _ losses: Losses, opened: (@Sendable (UInt32) -> Void)?) {
      self.program = program
      self.losses = losses
      self.opened = opened
    }

    private func lose(_ count: Int, _ reason: String? = nil) {
      losses.value.withLock { $0.add(count, reason) }
    }

    func show(_ text: String, _ number: UInt32?, _ loop: BusLoop) {
      guard !hasFailed else { return lose(1) }
      guard loop.isRunning else {
        guard early.count < Self.most else { return lose(1, "too many at a time") }
        return early.append((text, number))
      }
      guard pending < Self.most else { return lose(1, "too many at a time") }
      pending += 1
      let call = MethodCall(
        Self.desktop,
        "/org/freedesktop/Notifications",
        Self.desktop,
        "Notify",
        [
          .string(program), .uint32(0), .string(""), .string(text), .string(""),
          .array(of: "s", number == nil ? [] : [.string("default"), .string("Open")]),
          .properties([:]), .int32(-1),
        ]
      )
      loop.call(call, timeout: Self.timeout) { [weak self] result in
        guard let self else { return }
        pending -= 1
        switch result {
        case .failure(let error): lose(1, "\(error)")
        case .success(let values):
          guard let number, case .uint32(let shown)? = values.first else { break }
          openable.removeAll { $0.shown == shown }
          if openable.count == Self.mostOpenable { openable.removeFirst() }
          openable.append((shown, number))
        }
        endIfDone(loop)
      }
    }

    func end(_ loop: BusLoop, within leave: Duration) {
      endBy = min(endBy ?? .now + leave, .now + leave)
      nextLook = nextLook ?? .now
      endIfDone(loop)
    }

    private func endIfDone(_ loop: BusLoop) {
      if endBy != nil, pending == 0, early.isEmpty { loop.end() }
    }

    func connected(_ loop: BusLoop) {
      if opened != nil {
        loop.follow(Self.desktop)
        loop.add(MatchRule(sender: Self.desktop, interface: Self.desktop))
      }
      let texts = early
      early = []
      for (text, number) in texts { show(text, number, loop) }
    }

    /// A desktop that is started again uses its numbers again.
    func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) { openable = [] }

    func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool {
      guard message.interface == Self.desktop else { return true }
      let wanted = message.member == "ActionInvoked"
      guard wanted || message.member == "NotificationClosed" else { return true }
      guard let values = message.read({ $0.values() }), case .uint32(let shown)? = values.first
      else { return false }
      guard let place = openable.firstIndex(where: { $0.shown == shown }) else { return true }
      let number = openable.remove(at: place).number
      if wanted, values.last?.text == "default" { opened?(number) }
      return true
    }

    func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? { nil }
    func drained(_ loop: BusLoop) {}
    var nextDeadline: Uptime? { endBy.map { min($0, nextLook ?? $0) } }
    func timePassed(_ loop: BusLoop) {
      guard let endBy, .now < endBy else { return loop.end() }
      guard Interruption.cause != nil else {
        nextLook = .now + Self.interval
        return
      }
      nextLook = nil
      self.endBy = min(endBy, .now + Self.leaveAfterSignal)
    }
    func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
      hasFailed = true
      lose(early.count, "\(failure)")
      return nil
    }
  }
}
