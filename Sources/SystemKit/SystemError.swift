// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// What the system answered when it could not do what it was asked.
public struct SystemError: Error, Sendable, Equatable {
  /// What was asked for.
  public enum Kind: String, Sendable {
    case open, read, write, lock, rename, remove, make, set
  }

  /// The error number.
  public let number: Int32
  /// What was asked for.
  public let kind: Kind
  /// What it was asked of: a path, or the name of a stream.
  public let subject: String

  /// Creates an error from a number that the caller read right after the call that failed: whatever runs in between,
  /// even the making of a text, may change it.
  package init(_ number: Int32, _ kind: Kind, _ subject: String) {
    self.number = number
    self.kind = kind
    self.subject = subject
  }

  /// Makes a call of the system that returns 0 when it did what it was asked.
  ///
  /// Paths that the call was given are freed before the error number is read, which glibc's `free` leaves as it is.
  package static func check(
    _ kind: Kind,
    _ subject: String,
    _ call: () -> Int32
  ) throws(SystemError) {
    let number = call() == 0 ? 0 : errno
    if number != 0 { throw SystemError(number, kind, subject) }
  }

  /// The call in words, as in "open capture.btsnoop".
  public var operation: String { "\(kind) \(subject)" }
  /// Whether there is no such file.
  public var isNoSuchFile: Bool { number == ENOENT || number == ENOTDIR }
  /// Whether the file may not be read or written.
  public var isNotPermitted: Bool { number == EACCES || number == EPERM }
  /// Whether what was named is a folder.
  public var isFolder: Bool { number == EISDIR }
  /// Whether a signal came while the process waited.
  public var isInterruption: Bool { number == EINTR }
  /// Whether the reader at the other end of a pipe has gone.
  public var isClosedPipe: Bool { number == EPIPE }
}

extension SystemError: CustomStringConvertible {
  /// What was asked for, and what the system answered.
  public var description: String {
    "cannot \(operation): \(unsafe String(cString: strerror(number)))"
  }
}
