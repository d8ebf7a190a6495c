// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import DBus
internal import Synchronization

/// Shows notifications on the desktop of the session in which the program runs (`org.freedesktop.Notifications`).
///
/// It is here since this module is the commands' only way to D-Bus. Nothing waits for it, but its end: what cannot be shown
/// is left out, and counted.
package final class DesktopNotifier: Sendable {
  /// The most characters of a notification.
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
  package init?(bus: String, program: String) {
    let losses = Losses()
    let made = try? BusThread(BusAddress(bus)) { Handler(program: program, losses) }
    guard let made else { return nil }
    self.losses = losses
    thread = made
  }

  /// Shows a text, as soon as there is a connection.
  package func show(_ text: String) {
    let line = Self.plain(text)
    let isPosted = thread.post { loop in (loop.handler as? Handler)?.show(line, loop) }
    // The connection has failed before, with its reason.
    if !isPosted { losses.value.withLock { $0.add(1) } }
  }

  /// Ends the connection, when the notifications are sent or a second later.
  ///
  /// - Returns: The loss.
  package func end() async -> Loss {
    thread.post { loop in (loop.handler as? Handler)?.end(loop) }
    await thread.ended()
    return losses.value.withLock { $0 }
  }

  /// Returns a text on one line, without changes of its direction.
  ///
  /// It is sent as the summary, in which desktops read no markup.
  package static func plain(_ text: String) -> String {
    let visible = text.map { character in
      character.unicodeScalars.contains {
        $0.properties.generalCategory == .control || $0.properties.isBidiControl
      }
        ? " " : character
    }
    return String(String(visible).prefix(longestText))
  }

  private final class Handler: BusHandler {
    /// The most notifications that wait to be sent, and that are not answered; more at a time are not read.
    private static let most = 20
    /// How long a desktop may take to answer.
    private static let timeout = Duration.seconds(5)
    /// How long the end may take.
    private static let leave = Duration.seconds(1)

    private let program: String
    private let losses: Losses
    /// The notifications from before the connection.
    private var early: [String] = []
    private var pending = 0
    private var hasFailed = false
    private var endBy: Uptime?

    init(program: String, _ losses: Losses) {
      self.program = program
      self.losses = losses
    }

    private func lose(_ count: Int, _ reason: String? = nil) {
      losses.value.withLock { $0.add(count, reason) }
    }

    func show(_ text: String, _ loop: BusLoop) {
      guard !hasFailed else { return lose(1) }
      guard loop.isRunning else {
        guard early.count < Self.most else { return lose(1, "too many at a time") }
        return early.append(text)
      }
      guard pending < Self.most else { return lose(1, "too many at a time") }
      pending += 1
      let call = MethodCall(
        "org.freedesktop.Notifications",
        "/org/freedesktop/Notifications",
        "org.freedesktop.Notifications",
        "Notify",
        [
          .string(program), .uint32(0), .string(""), .string(text), .string(""),
          .array(of: "s", []), .properties([:]), .int32(-1),
        ]
      )
      loop.call(call, timeout: Self.timeout) { [weak self] result in
        guard let self else { return }
        pending -= 1
        if case .failure(let error) = result { lose(1, "\(error)") }
        endIfDone(loop)
      }
    }

    func end(_ loop: BusLoop) {
      endBy = .now + Self.leave
      endIfDone(loop)
    }

    private func endIfDone(_ loop: BusLoop) {
      if endBy != nil, pending == 0, early.isEmpty { loop.end() }
    }

    func connected(_ loop: BusLoop) {
      let texts = early
      early = []
      for text in texts { show(text, loop) }
    }

    func ownerChanged(of name: String, to owner: String?, _ loop: BusLoop) {}
    func signal(_ message: borrowing Message, _ loop: BusLoop) -> Bool { true }
    func called(_ message: borrowing Message, _ loop: BusLoop) -> Answer? { nil }
    func drained(_ loop: BusLoop) {}
    var nextDeadline: Uptime? { endBy }
    func timePassed(_ loop: BusLoop) { loop.end() }
    func connectionFailed(_ failure: BusFailure, _ loop: BusLoop) -> Duration? {
      hasFailed = true
      lose(early.count, "\(failure)")
      return nil
    }
  }
}
