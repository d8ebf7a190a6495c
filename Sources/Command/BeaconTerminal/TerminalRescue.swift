// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import Glibc
internal import Synchronization

/// Saves the modes of the terminal before they are changed, and restores them.
///
/// ``restore()`` does only work that a signal handler may do: it takes no lock, allocates nothing, and makes only
/// calls that POSIX lists as async-signal-safe (`poll`, `write`, `tcsetattr`, `pthread_sigmask`).
enum TerminalRescue {
  /// Switches to the alternate screen, hides the cursor and disables wrapping at the right edge.
  static let taking = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  /// Undoes all of this and resets the text style.
  private static let restoring: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private static let modesOfTerminal = "the modes of the terminal"

  private static let isActive = Atomic<Bool>(false)
  /// Whether the process is ending, so that it must not take the terminal over again.
  private static let isEnding = Atomic<Bool>(false)
  /// The thread that writes to the terminal; 0 for none.
  private static let writer = Atomic<UInt>(0)
  /// How long a restore waits for another thread's write, in milliseconds; a terminal may be stopped.
  private static let longestWrite = 100
  private static let input = Atomic<Int32>(-1)
  private static let output = Atomic<Int32>(-1)
  /// The address of the saved modes, as a number.
  ///
  /// This memory is never freed, so that a signal handler can read it.
  private static let modes = Atomic<UInt>(0)

  /// Whether this process has taken over the terminal.
  static var isTaken: Bool { isActive.load(ordering: .sequentiallyConsistent) }

  /// Lets a thread write to the terminal: a restore on another thread waits for the end of the work.
  static func write<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) {
    writer.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
    defer { writer.store(0, ordering: .sequentiallyConsistent) }
    try work()
  }

  /// Saves the terminal's modes.
  static func remember(input: Int32, output: Int32) throws(SystemError) {
    var found = termios()
    guard unsafe tcgetattr(input, &found) == 0 else {
      throw SystemError(errno, .read, modesOfTerminal)
    }
    let place =
      unsafe UnsafeMutablePointer<termios>(bitPattern: modes.load(ordering: .acquiring))
      ?? UnsafeMutablePointer<termios>.allocate(capacity: 1)
    unsafe place.initialize(to: found)
    modes.store(UInt(bitPattern: place), ordering: .releasing)
    self.input.store(input, ordering: .releasing)
    self.output.store(output, ordering: .releasing)
  }

  /// Sets the modes in which keys arrive one by one and are not echoed; `^C` and `^Z` still send signals.
  ///
  /// Does nothing if the process is ending.
  static func takeOver() throws(SystemError) {
    guard !isEnding.load(ordering: .sequentiallyConsistent),
      let place = unsafe UnsafeMutablePointer<termios>(
        bitPattern: modes.load(ordering: .acquiring)
      )
    else { return }
    var raw = unsafe place.pointee
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    raw.c_iflag &= ~tcflag_t(ICRNL | IXON)
    unsafe withUnsafeMutableBytes(of: &raw.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    guard unsafe tcsetattr(input.load(ordering: .acquiring), TCSADRAIN, &raw) == 0 else {
      throw SystemError(errno, .set, modesOfTerminal)
    }
    isActive.store(true, ordering: .sequentiallyConsistent)
  }

  /// Restores the terminal for a process that ends in the signal handler that calls this.
  ///
  /// Another thread may be taking the terminal over at this moment, because the process was continued: it finishes first.
  static func restoreForGood() {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    awaitWriter()
    restore()
  }

  private static func awaitWriter() {
    for _ in 0..<longestWrite {
      let thread = writer.load(ordering: .sequentiallyConsistent)
      // What this handler has interrupted does not continue.
      guard thread != 0, thread != UInt(pthread_self()) else { return }
      _ = poll(nil, 0, 1)
    }
  }

  /// Restores the terminal, only once; safe in a signal handler and on any thread.
  static func restore() {
    guard isActive.exchange(false, ordering: .sequentiallyConsistent) else { return }
    awaitWriter()
    let place = unsafe UnsafeMutablePointer<termios>(bitPattern: modes.load(ordering: .acquiring))
    guard let place = unsafe place else { return }
    _ = unsafe Glibc.write(
      output.load(ordering: .acquiring),
      restoring.utf8Start,
      restoring.utf8CodeUnitCount
    )
    // In the background, changing modes would stop the process, so the signal is blocked.
    var stopping = sigset_t()
    var before = sigset_t()
    _ = unsafe sigemptyset(&stopping)
    _ = unsafe sigaddset(&stopping, SIGTTOU)
    _ = unsafe pthread_sigmask(SIG_BLOCK, &stopping, &before)
    _ = unsafe tcsetattr(input.load(ordering: .acquiring), TCSANOW, place)
    _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
