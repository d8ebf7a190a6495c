// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Sets what handles a signal.
enum SignalHandler {
  /// Whether the process ignores a signal, as the program that started it may want.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Glibc)
      return unsafe withUnsafeBytes(of: &action.__sigaction_handler) { unsafe isIgnoring($0) }
    #elseif canImport(Musl)
      return unsafe withUnsafeBytes(of: &action.__sa_handler) { unsafe isIgnoring($0) }
    #else
      return unsafe withUnsafeBytes(of: &action.__sigaction_u) { unsafe isIgnoring($0) }
    #endif
  }

  /// `SIG_IGN` is the number 1 in the place of a function.
  private static func isIgnoring(_ place: UnsafeRawBufferPointer) -> Bool {
    unsafe place.load(as: Int.self) == 1
  }

  /// Lets a function handle a signal, and lets the signal through.
  ///
  /// The parent process may have left it blocked, for example if a worker thread of libdispatch started this process.
  static func install(_ number: Int32, flags: Int32, _ handler: @convention(c) (Int32) -> Void) {
    var action = sigaction()
    #if canImport(Glibc)
      unsafe action.__sigaction_handler.sa_handler = handler
    #elseif canImport(Musl)
      unsafe action.__sa_handler.sa_handler = handler
    #else
      unsafe action.__sigaction_u.__sa_handler = handler
    #endif
    action.sa_flags = flags
    _ = unsafe sigaction(number, &action, nil)
    letThrough(number)
  }

  /// Gives a signal its effect without a handler, and lets it through.
  static func reset(_ number: Int32) {
    _ = signal(number, SIG_DFL)
    letThrough(number)
  }

  private static func letThrough(_ number: Int32) {
    var wanted = sigset_t()
    _ = unsafe sigemptyset(&wanted)
    _ = unsafe sigaddset(&wanted, number)
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
  }
}
