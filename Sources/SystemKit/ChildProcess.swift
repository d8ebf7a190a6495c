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
    // The variables of this process; the C library's own list cannot be read safely.
    let variables = try WholeFile.read("/proc/self/environ").split(separator: 0)
      .map { String(decoding: $0, as: UTF8.self) }
    var started: pid_t = 0
    let number = unsafe Self.withCStrings(arguments) { arguments in
      unsafe Self.withCStrings(variables) { variables in
        unsafe Self.spawn(path, arguments, variables, &started)
      }
    }
    guard number == 0 else { throw SystemError(number, .open, path) }
    id = started
  }

  private typealias CStrings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  private static func spawn(
    _ path: String,
    _ arguments: CStrings,
    _ variables: CStrings,
    _ started: inout pid_t
  ) -> Int32 {
    var attributes = posix_spawnattr_t()
    _ = unsafe posix_spawnattr_init(&attributes)
    defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
    // What this process handles or ignores is for the new one as for any other.
    var usual = sigset_t()
    _ = unsafe sigemptyset(&usual)
    _ = unsafe posix_spawnattr_setsigmask(&attributes, &usual)
    for signal in [SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT] {
      _ = unsafe sigaddset(&usual, signal)
    }
    _ = unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    _ = unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    return unsafe posix_spawn(&started, path, nil, &attributes, arguments, variables)
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

  private static func ending(_ status: Int32) -> Ending {
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
  }
}
