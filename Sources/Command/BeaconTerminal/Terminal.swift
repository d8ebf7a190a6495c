// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc
internal import SystemKit

/// The terminal of the process in full-screen mode: keys arrive one by one, and the terminal shows a ``Screen``.
///
/// The terminal is restored however the process ends: by ``leave()``, by a signal or by a crash. That includes a stack
/// overflow, on the thread that entered and on other threads with a ``SignalStack``, such as those of the run and of
/// the bus. While the process is stopped (`^Z`) the shell has the terminal; afterwards the process takes it over again.
/// Only one thread uses the terminal; other threads may wake it.
///
/// ```swift
/// guard let terminal = Terminal(output: STDOUT_FILENO) else { return }   // no terminal: print plain text instead
/// try terminal.enter()
/// defer { terminal.leave() }
/// while true {
///   terminal.draw(view.screen(columns: terminal.size.columns, rows: terminal.size.rows), hasColor: true)
///   for event in terminal.next(within: .milliseconds(250)) {
///     switch event {
///     case .key(let key): view.press(key)
///     case .redraw, .woken: break
///     case .stop: return
///     }
///   }
/// }
/// ```
package final class Terminal {
  /// Wakes the thread that waits in ``Terminal/next(within:)``, from any thread.
  package struct Waker: Sendable {
    /// Wakes the thread; several calls before it wakes count as one.
    package func wake() { TerminalSignals.post(.wake) }

    package init() {}
  }

  /// The descriptors for reading keys and for writing screens.
  private let input: Int32
  private let output: Int32
  private let ownsInput: Bool
  private let ownsOutput: Bool
  private var decoder = KeyDecoder()
  private let clock = ContinuousClock.now
  /// The screen that the terminal shows; `nil` if it is not known.
  private var shown: Screen?
  private var isEntered = false

  /// The size to use if the terminal reports none.
  private static let usualSize = (columns: 80, rows: 24)

  /// Finds the terminal; `nil` if the output is not a terminal, or without a terminal to read keys from.
  ///
  /// - Parameter output: The descriptor to write to, such as standard output.
  package init?(output: Int32) {
    guard isatty(output) == 1 else { return nil }
    // Opened again, writing does not wait for a terminal that takes nothing, and other programs' writing still does.
    let flags = O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    let opened = unsafe open("/proc/self/fd/\(output)", flags)
    (self.output, ownsOutput) = opened < 0 ? (output, false) : (opened, true)
    if isatty(STDIN_FILENO) == 1 {
      input = STDIN_FILENO
      ownsInput = false
    } else {
      // Standard input may be a capture, so keys are read from the terminal itself.
      input = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
      ownsInput = true
      if input < 0 {
        if ownsOutput { _ = close(self.output) }
        return nil
      }
    }
  }

  deinit {
    leave()
    if ownsInput { _ = close(input) }
    if ownsOutput { _ = close(output) }
  }

  /// How many columns the terminal of a descriptor has.
  package static func columns(of descriptor: Int32) -> Int {
    var found = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &found) == 0, found.ws_col > 0 else {
      return usualSize.columns
    }
    return Int(found.ws_col)
  }

  /// The current size in columns and rows.
  package var size: (columns: Int, rows: Int) {
    var found = winsize()
    guard unsafe ioctl(output, UInt(TIOCGWINSZ), &found) == 0, found.ws_col > 0, found.ws_row > 0
    else { return Self.usualSize }
    return (Int(found.ws_col), Int(found.ws_row))
  }

  // MARK: Entering and leaving

  /// Switches the terminal to full-screen mode.
  ///
  /// - Throws: `SystemError` if its modes cannot be changed.
  package func enter() throws {
    guard !isEntered else { return }
    SignalStack.provide()
    try TerminalSignals.install(input: input, output: output)
    isEntered = true
    try takeOver()
  }

  /// Restores the terminal to its former state.
  package func leave() {
    guard isEntered else { return }
    isEntered = false
    TerminalRescue.restore()
    TerminalSignals.uninstall()
    shown = nil
  }

  private func takeOver() throws {
    shown = nil
    try TerminalRescue.write {
      try TerminalRescue.takeOver()
      put(TerminalRescue.taking)
    }
  }

  /// Stops the process as `^Z` does by default, and takes the terminal over again when the process continues.
  private func suspend() {
    TerminalRescue.restore()
    TerminalSignals.stopProcess()
    resume()
  }

  private func resume() {
    // If the terminal cannot be taken over again, nothing is drawn, and the next read reports that it was closed.
    try? takeOver()
  }

  // MARK: Drawing

  /// Shows a screen by writing only the differences from the current one.
  package func draw(_ screen: Screen, hasColor: Bool) {
    guard isEntered, TerminalRescue.isTaken else { return }
    let text =
      shown.map { screen.rendered(over: $0, hasColor: hasColor) }
      ?? screen.rendered(hasColor: hasColor)
    shown = screen
    if !text.isEmpty { TerminalRescue.write { put(text) } }
  }

  /// Forgets the screen shown, so that the next one is drawn completely, because something else wrote to the terminal.
  package func forget() { shown = nil }

  private func put(_ text: String) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count, TerminalRescue.isTaken {
      let (put, error) = unsafe bytes.withUnsafeBytes {
        let place = unsafe $0.baseAddress?.advanced(by: written)
        let put = unsafe Glibc.write(output, place, bytes.count - written)
        return (put, errno)
      }
      written += max(0, put)
      guard put < 0, error != EINTR else { continue }
      // The code that reads keys notices that the terminal was closed.
      guard error == EAGAIN, !isStopped else { return }
    }
  }

  /// Waits for a tenth of a second until the terminal takes more, and returns whether it does not although the run ends.
  private var isStopped: Bool {
    var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&ready, 1, 100) == 0 && Interruption.cause != nil
  }

  // MARK: Events

  /// Waits for events.
  ///
  /// - Parameter span: The longest wait.
  /// - Returns: The events in order; none if the time is over.
  package func next(within span: Duration) -> [TerminalEvent] {
    var wait = max(span, .zero)
    if let deadline = decoder.nextDeadline { wait = min(wait, max(deadline - now, .zero)) }
    var ready = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: TerminalSignals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&ready, nfds_t(ready.count), wait.pollMilliseconds)
    var events: [TerminalEvent] = decoder.timePassed(to: now).map { .key($0) }
    guard count > 0 else { return events }
    if ready[1].revents != 0 { events += notices() }
    if ready[0].revents != 0 { events += keys() }
    return events
  }

  private var now: Duration { ContinuousClock.now - clock }

  private func keys() -> [TerminalEvent] {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let (count, error) = unsafe bytes.withUnsafeMutableBytes {
      let count = unsafe read(input, $0.baseAddress, $0.count)
      return (count, errno)
    }
    if count < 0, error == EINTR || error == EAGAIN { return [] }
    guard count > 0 else { return [.stop] }
    return decoder.decode(bytes.prefix(count), at: now).map { .key($0) }
  }

  private func notices() -> [TerminalEvent] {
    var events: [TerminalEvent] = []
    for notice in TerminalSignals.drain() {
      switch notice {
      case .wake: events.append(.woken)
      case .stop: events.append(.stop)
      case .resized: events.append(.redraw)
      case .suspend:
        suspend()
        events.append(.redraw)
      case .resumed:
        resume()
        events.append(.redraw)
      }
    }
    return events
  }
}
