// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A view that a ``TerminalLoop`` shows.
///
/// It is a value that draws itself; a key changes it or requests an action.
package protocol TerminalView: Sendable {
  /// An action that a key can request from the view's program.
  associatedtype Action: Sendable
  /// Draws the view for a terminal of a size.
  mutating func screen(columns: Int, rows: Int) -> Screen
  /// Handles a key; returns its request, or `nil` if it only changed the view.
  mutating func press(_ key: Key) -> TerminalRequest<Action>?
  /// Adds a message for the user.
  mutating func show(_ message: String)
  /// Notes that nothing more will come; the view stays until the user leaves it.
  mutating func end()
}

/// A key's request.
package enum TerminalRequest<Action: Sendable>: Sendable {
  /// To end the program's work.
  case quit
  /// To draw the whole screen again, because something else wrote to the terminal.
  case redraw
  /// An action of the view's work.
  case action(Action)
}

extension TerminalRequest: Equatable where Action: Equatable {}

/// The full-screen loop of a program: it draws a view, handles keys, resizing and signals, and restores the terminal.
///
/// The loop has its own thread, so keys, resizing and `^Z` work while the program waits for something else, and a slow
/// terminal delays nothing. The program changes the view with ``update(_:)`` and gets the keys' actions from
/// ``drainActions()``. If the user presses the key to quit, the loop notes in `Interruption` that the user ended the
/// work. The first signal that asks the program to end is noted there too; the second ends the process immediately.
///
/// ```swift
/// guard let loop = TerminalLoop.start(view, output: STDOUT_FILENO, hasColor: true) else { return }
/// defer { loop.leave() }
/// while let item = work.next() {
///   loop.update { $0.show(item) }
///   for action in loop.drainActions() { work.perform(action) }
/// }
/// loop.stay { work.perform($0) }
/// ```
package final class TerminalLoop<View: TerminalView>: Sendable {
  private enum Phase {
    case starting, running, ended
  }

  private struct State: Sendable {
    var view: View
    var actions: [View.Action] = []
    var isLeaving = false
    var phase = Phase.starting
  }

  private let state: Mutex<State>
  private let hasColor: Bool
  /// Wakes the thread that waits for an action or for the end.
  private let changes: WakePipe

  private init(_ view: View, _ changes: WakePipe, hasColor: Bool) {
    state = Mutex(State(view: view))
    self.changes = changes
    self.hasColor = hasColor
  }

  /// Takes the terminal over and shows a view.
  ///
  /// The calling thread also gets a stack for its signals, so that the terminal is restored if its own stack overflows.
  ///
  /// - Parameters:
  ///   - view: What to show at first.
  ///   - output: The descriptor to write to, such as standard output.
  ///   - hasColor: Whether to write colors.
  /// - Returns: The loop; `nil` without a terminal that can show a view.
  package static func start(_ view: View, output: Int32, hasColor: Bool) -> TerminalLoop? {
    guard let changes = WakePipe() else { return nil }
    SignalStack.provide()
    let loop = TerminalLoop(view, changes, hasColor: hasColor)
    DispatchQueue(label: "terminal").async { loop.run(on: output) }
    loop.wait { $0 != .starting }
    return loop.hasEnded ? nil : loop
  }

  // MARK: The program's side

  /// The view as it is now.
  package var view: View { state.withLock { $0.view } }

  /// Whether the user left the view, or the terminal was closed.
  package var hasEnded: Bool { state.withLock { $0.phase == .ended } }

  /// Changes the view, from any thread.
  ///
  /// - Parameter change: Changes it; returns whether there is something new to see.
  package func update(_ change: (inout View) -> Bool) {
    if state.withLock({ change(&$0.view) }) { Terminal.Waker().wake() }
  }

  /// Returns the actions that keys requested since the last call.
  package func drainActions() -> [View.Action] {
    state.withLock { state in
      defer { state.actions = [] }
      return state.actions
    }
  }

  /// Waits until a key requests an action or the view ends, but no longer than a time.
  package func wait(within span: Duration) {
    let isOver = state.withLock { !$0.actions.isEmpty || $0.phase == .ended }
    if !isOver { changes.wait(milliseconds: span.pollMilliseconds) }
  }

  /// Leaves the last state of the view on the terminal until the user quits.
  ///
  /// - Parameter perform: Performs the actions that keys request in that time.
  package func stay(performing perform: (View.Action) -> Void) {
    update { view in
      view.end()
      return true
    }
    while !hasEnded {
      drainActions().forEach(perform)
      wait(within: .seconds(1))
    }
  }

  /// Restores the terminal.
  package func leave() {
    state.withLock { $0.isLeaving = true }
    Terminal.Waker().wake()
    wait { $0 == .ended }
  }

  private func wait(until isThere: (Phase) -> Bool) {
    while !isThere(state.withLock(\.phase)) { changes.wait(milliseconds: 1000) }
  }

  // MARK: The terminal's thread

  private func run(on output: Int32) {
    if let terminal = Terminal(output: output), (try? terminal.enter()) != nil {
      enter(.running)
      show(on: terminal)
      terminal.leave()
    }
    enter(.ended)
  }

  private func enter(_ phase: Phase) {
    state.withLock { $0.phase = phase }
    changes.signal()
  }

  private func show(on terminal: Terminal) {
    var frames = FrameSchedule()
    while true {
      if state.withLock(\.isLeaving) { return }
      if frames.isDue(at: .now) {
        let size = terminal.size
        let screen = state.withLock { $0.view.screen(columns: size.columns, rows: size.rows) }
        terminal.draw(screen, hasColor: hasColor)
        frames.drew(at: .now)
      }
      for event in terminal.next(within: frames.wait(from: .now)) {
        guard handle(event, terminal) else { return }
        frames.isWanted = true
      }
    }
  }

  /// Handles an event; returns whether the loop continues.
  private func handle(_ event: TerminalEvent, _ terminal: Terminal) -> Bool {
    switch event {
    case .key(let key): return press(key, terminal)
    case .redraw, .woken: break
    case .stop:
      if Interruption.cause == nil { Interruption.note(SIGHUP) }
      return false
    }
    return true
  }

  private func press(_ key: Key, _ terminal: Terminal) -> Bool {
    let request = state.withLock { state in
      let request = state.view.press(key)
      if case .action(let action) = request { state.actions.append(action) }
      return request
    }
    switch request {
    case .quit:
      Interruption.end()
      return false
    case .redraw: terminal.forget()
    case .action: changes.signal()
    case nil: break
    }
    return true
  }
}

/// Decides when to draw a view: immediately after a change, but not more often than a user can see, and at least once a
/// second, because a view may show a clock.
struct FrameSchedule {
  /// Twenty-five frames a second: more frames cost time, and a user sees no difference.
  static let shortest = Duration.milliseconds(40)
  /// Once a second is enough for a clock.
  static let longest = Duration.seconds(1)

  private var last: ContinuousClock.Instant?
  /// Whether there may be something new to draw.
  var isWanted = true

  /// Returns whether to draw at a time.
  func isDue(at now: ContinuousClock.Instant) -> Bool {
    guard let last else { return true }
    return now - last >= (isWanted ? Self.shortest : Self.longest)
  }

  /// Notes that a frame was drawn.
  mutating func drew(at now: ContinuousClock.Instant) {
    last = now
    isWanted = false
  }

  /// Returns how long to wait for events before the next frame.
  func wait(from now: ContinuousClock.Instant) -> Duration {
    guard let last else { return .zero }
    let period = isWanted ? Self.shortest : Self.longest
    return max(.zero, last.advanced(by: period) - now)
  }
}
