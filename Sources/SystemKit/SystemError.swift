// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// What the system answered when it could not do what it was asked.
public struct SystemError: Error, Sendable, Equatable {
  /// The error number.
  public let number: Int32
  /// What was asked for, as in "open capture.btsnoop".
  public let operation: String

  /// Takes the error number that the last call left behind.
  package init(_ operation: String) {
    number = errno
    self.operation = operation
  }

  /// Makes a call of the system that says 0 when it did what it was asked.
  package static func check(_ operation: String, _ call: () -> Int32) throws(SystemError) {
    if call() != 0 { throw SystemError(operation) }
  }

  /// Whether there is no such file.
  public var isNoSuchFile: Bool { number == ENOENT || number == ENOTDIR }
  /// Whether the file may not be read or written.
  public var isNotPermitted: Bool { number == EACCES || number == EPERM }
  /// Whether what was named is a folder.
  public var isFolder: Bool { number == EISDIR }
  /// Whether a signal came while the process waited.
  public var isInterruption: Bool { number == EINTR }
  /// Whether it was writing that failed, and not opening or reading.
  public var isOfWriting: Bool { operation.hasPrefix("write ") }
  /// Whether the reader at the other end of a pipe has gone.
  public var isClosedPipe: Bool { number == EPIPE }
}

extension SystemError: CustomStringConvertible {
  /// What was asked for, and what the system answered.
  public var description: String {
    "cannot \(operation): \(unsafe String(cString: strerror(number)))"
  }
}
