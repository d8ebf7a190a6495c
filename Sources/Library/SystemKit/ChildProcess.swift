// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// A process that this one started, with its streams and environment variables.
package struct ChildProcess: Sendable {
  /// How a process ended.
  package enum Ending: Sendable, Equatable {
    /// With an exit code.
    case exited(Int32)
    /// By a signal.
    case signaled(Int32)
  }

  private let id: pid_t

  /// Starts a program, which keeps the standard streams of this process.
  ///
  /// - Parameters:
  ///   - path: The program.
  ///   - arguments: Its arguments, the name by which it was called first.
  /// - Throws: ``SystemError`` when it cannot be started.
  package init(_ path: String, _ arguments: [String]) throws(SystemError) {
    let variables = Self.variables()
    var started: pid_t = 0
    let number = unsafe Self.withCStrings(arguments) { arguments in
      unsafe Self.withCStrings(variables) { variables in
        unsafe Self.spawn(path, arguments, variables, &started)
      }
    }
    guard number == 0 else { throw SystemError(number, .open, path) }
    id = started
  }

  /// Starts a shell command in a separate process group, with empty standard input; its output goes to the standard
  /// error of this process.
  ///
  /// - Parameters:
  ///   - command: What `/bin/sh -c` runs.
  ///   - added: Variables that it gets besides those of this process; they replace those of the same name.
  /// - Throws: ``SystemError`` when it cannot be started.
  package init(
    shell command: String,
    adding added: [(name: String, value: String)]
  ) throws(SystemError) {
    let (shell, names) = ("/bin/sh", added.map { "\($0.name)=" })
    let inherited = Self.variables().filter { one in !names.contains { one.hasPrefix($0) } }
    // A text with a NUL would end early, and no variable can have one.
    let variables = inherited + added.map { "\($0.name)=\($0.value.filter { $0 != "\0" })" }
    var started: pid_t = 0
    let number = unsafe Self.withCStrings([shell, "-c", command]) { arguments in
      unsafe Self.withCStrings(variables) { variables in
        unsafe Self.spawn(shell, arguments, variables, &started, apart: true)
      }
    }
    guard number == 0 else { throw SystemError(number, .open, shell) }
    id = started
  }

  /// The variables of this process, which it never changes.
  ///
  /// `/proc/self/environ` has them as well, but not for a program whose file has capabilities: root owns that file then.
  private static func variables() -> [String] {
    typealias List = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    guard let place = unsafe dlsym(nil, "environ") else { return [] }
    var found: [String] = []
    var next = unsafe place.assumingMemoryBound(to: List?.self).pointee
    while let entry = unsafe next, let text = unsafe entry.pointee {
      found.append(unsafe String(cString: text))
      unsafe next = entry + 1
    }
    return found
  }

  private typealias CStrings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  private static func spawn(
    _ path: String,
    _ arguments: CStrings,
    _ variables: CStrings,
    _ started: inout pid_t,
    apart: Bool = false
  ) -> Int32 {
    var attributes = posix_spawnattr_t()
    _ = unsafe posix_spawnattr_init(&attributes)
    defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
    // What this process handles or ignores is for the new one as for any other.
    var usual = sigset_t()
    _ = unsafe sigemptyset(&usual)
    _ = unsafe posix_spawnattr_setsigmask(&attributes, &usual)
    for signal in Interruption.ending + [SIGQUIT, SIGPIPE, SIGXFSZ] {
      _ = unsafe sigaddset(&usual, signal)
    }
    _ = unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
    guard apart else {
      _ = unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
      return unsafe posix_spawn(&started, path, nil, &attributes, arguments, variables)
    }
    flags |= Int32(POSIX_SPAWN_SETPGROUP)
    _ = unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    _ = unsafe posix_spawnattr_setpgroup(&attributes, 0)
    var actions = unsafe posix_spawn_file_actions_t()
    _ = unsafe posix_spawn_file_actions_init(&actions)
    defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
    _ = unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    _ = unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    return unsafe posix_spawn(&started, path, &actions, &attributes, arguments, variables)
  }

  /// Calls a closure with texts as C has them: a list of strings that `nil` ends.
  private static func withCStrings(_ texts: [String], _ body: (CStrings) -> Int32) -> Int32 {
    var list = unsafe texts.map { unsafe strdup($0) } + [nil]
    defer { unsafe list.forEach { unsafe free($0) } }
    return unsafe list.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return ENOMEM }
      return unsafe body(start)
    }
  }

  /// Waits until the process ends.
  package func wait() -> Ending {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    return Self.ending(status)
  }

  /// Returns how the process has ended; `nil` while it runs.
  ///
  /// After an answer it must not be called again.
  package func ending() -> Ending? {
    var status: Int32 = 0
    return unsafe waitpid(id, &status, WNOHANG) == id ? Self.ending(status) : nil
  }

  /// Whether any process is left of the group that the process leads, such as one that it started in the background.
  package var hasGroup: Bool { kill(-id, 0) == 0 || errno == EPERM }

  /// Sends a signal to the process group that the process leads.
  package func signalGroup(_ signal: Int32) {
    _ = kill(-id, signal)
  }

  private static func ending(_ status: Int32) -> Ending {
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
  }
}
