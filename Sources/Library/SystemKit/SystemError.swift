// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// An error of a system call.
public struct SystemError: Error, Sendable, Equatable {
  /// The operation that failed.
  public enum Kind: String, Sendable {
    case open, read, write, lock, rename, remove, make, set
  }

  /// The error number.
  public let number: Int32
  /// The operation that failed.
  public let kind: Kind
  /// The object of the operation: a path, or the name of a stream.
  public let subject: String

  /// Creates an error from an error number.
  ///
  /// The caller must read the number right after the failed call: any code in between, even one that creates a string,
  /// may change it.
  package init(_ number: Int32, _ kind: Kind, _ subject: String) {
    self.number = number
    self.kind = kind
    self.subject = subject
  }

  /// The program was asked to stop while it waited for a file.
  package static func interrupted(_ subject: String) -> SystemError {
    SystemError(EINTR, .write, subject)
  }

  /// A disk, or the reader of a pipe, takes nothing.
  package static func stalled(_ subject: String) -> SystemError {
    SystemError(ETIMEDOUT, .write, subject)
  }

  /// Makes a system call that returns 0 on success, and throws if it fails.
  ///
  /// The call's path arguments are freed before the error number is read; glibc's `free` does not change it.
  package static func check(
    _ kind: Kind,
    _ subject: String,
    _ call: () -> Int32
  ) throws(SystemError) {
    let (result, number) = repeating(call)
    if result != 0 { throw SystemError(number, kind, subject) }
  }

  /// Makes a system call again for as long as a signal interrupts it.
  ///
  /// - Parameters:
  ///   - mayEnd: Whether to give up when the program was asked to stop, for calls that can wait without an end.
  ///   - call: The call, which fails with a negative result.
  /// - Returns: The result, and the error number, which means something only after a failure.
  static func repeating(unlessStopping mayEnd: @autoclosure () -> Bool = false, _ call: () -> Int32)
    -> (result: Int32, number: Int32)
  {
    while true {
      let result = call()
      let number = errno
      guard result < 0, number == EINTR, !(Interruption.cause != nil && mayEnd()) else {
        return (result, number)
      }
    }
  }

  /// The failed operation as text, for example "open capture.btsnoop".
  public var operation: String { "\(kind) \(subject)" }
  /// Whether the file does not exist.
  public var isNoSuchFile: Bool { number == ENOENT || number == ENOTDIR }
  /// Whether an input is of a kind that cannot be read, or its disk fails.
  package var isOfInput: Bool {
    (kind == .open || kind == .read) && [ELOOP, ENAMETOOLONG, ENXIO, ENODEV, EIO].contains(number)
  }
  /// Whether another program listens on the port.
  package var isPortInUse: Bool { number == EADDRINUSE }
  /// Whether permission to read or write the file is missing.
  public var isNotPermitted: Bool { number == EACCES || number == EPERM }
  /// Whether the system had too few descriptors or too little memory for the call; the file may be as it should.
  public var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(number) }
  /// Whether the path is a folder.
  public var isFolder: Bool { number == EISDIR }
  /// Whether the file is too large to be read as a whole.
  public var isTooLarge: Bool { number == EFBIG && kind == .read }
  /// Whether a signal interrupted the call.
  public var isInterruption: Bool { number == EINTR }
  /// Whether the other end of a pipe is closed.
  public var isClosedPipe: Bool { number == EPIPE }
}

extension SystemError: CustomStringConvertible {
  /// The failed operation and the system's error message.
  public var description: String {
    if isTooLarge { return "cannot \(operation): it is larger than \(WholeFile.limit >> 20) MiB" }
    if number == ETIMEDOUT, kind == .write { return "cannot \(operation): nothing is taken" }
    return "cannot \(operation): \(reason)"
  }

  /// The system's error message.
  package var reason: String { unsafe String(cString: strerror(number)) }
}
