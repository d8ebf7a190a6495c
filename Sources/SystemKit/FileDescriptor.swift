// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Glibc

/// An open file that is closed when it goes out of scope.
package struct FileDescriptor: ~Copyable {
  private let raw: Int32
  private let isOwned: Bool
  private let name: String

  /// Opens a file for reading; `-` is standard input.
  package init(reading path: String) throws(SystemError) {
    name = path == "-" ? "standard input" : path
    if path == "-" {
      raw = STDIN_FILENO
      isOwned = false
      return
    }
    let (descriptor, error) = Self.open(path, O_RDONLY)
    raw = descriptor
    isOwned = true
    if raw < 0 { throw SystemError(error, .open, path) }
  }

  /// Opens a file for writing and empties it.
  package init(writing path: String) throws(SystemError) {
    name = path
    let (descriptor, error) = Self.open(path, O_WRONLY | O_CREAT | O_TRUNC)
    raw = descriptor
    isOwned = true
    if raw < 0 { throw SystemError(error, .write, path) }
  }

  /// Opens a file and reads the error number before any other call.
  private static func open(_ path: String, _ flags: Int32) -> (descriptor: Int32, error: Int32) {
    unsafe path.withCString {
      let descriptor = unsafe Glibc.open($0, flags | O_CLOEXEC, 0o644)
      return (descriptor, errno)
    }
  }

  /// Wraps one of the three standard streams, which this value does not close.
  package init(standard descriptor: Int32) {
    raw = descriptor
    isOwned = false
    name = ["standard input", "standard output", "standard error"][Int(max(0, min(2, descriptor)))]
  }

  /// Whether it is a terminal.
  package var isTerminal: Bool { isatty(raw) == 1 }

  /// The size of a regular file in bytes; `nil` for pipes, terminals and devices.
  package var size: Int? {
    var status = stat()
    guard unsafe fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// The file's device and inode numbers, with which two paths can be recognized as the same file; `nil` if there are
  /// none.
  package var identity: (device: UInt64, number: UInt64)? {
    var status = stat()
    guard unsafe fstat(raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// Whether reading would return at once.
  package var isReady: Bool {
    var request = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&request, 1, 0) != 0
  }

  /// Reads up to a number of bytes; returns none at the end of the file.
  package func read(upTo count: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try read(upTo: count, into: &bytes)
    return bytes
  }

  /// Appends up to a number of bytes to a buffer and returns how many; 0 at the end of the file.
  ///
  /// - Parameters:
  ///   - count: The most bytes to read.
  ///   - buffer: The buffer to append to.
  ///   - isCancelled: Returns whether to give up; called before a wait and four times a second during it.
  /// - Returns: How many bytes were appended.
  /// - Throws: ``SystemError``; ``SystemError/isInterruption`` if it gave up.
  package func read(
    upTo count: Int,
    into buffer: inout [UInt8],
    isCancelled: (() -> Bool)? = nil
  ) throws(SystemError) -> Int {
    if let isCancelled { try waitUntilReady(unless: isCancelled) }
    var got = 0
    var error: Int32 = 0
    func fill(_ free: UnsafeMutableBufferPointer<UInt8>, _ initialized: inout Int) {
      repeat {
        got = unsafe Glibc.read(raw, free.baseAddress?.advanced(by: initialized), count)
        error = errno
      } while got < 0 && error == EINTR
      initialized += max(0, got)
    }
    #if compiler(>=6.3)
      buffer.append(addingCapacity: count) { (span: inout OutputSpan<UInt8>) in
        unsafe span.withUnsafeMutableBufferPointer { unsafe fill($0, &$1) }
      }
    #else
      unsafe buffer.append(
        contentsOf: [UInt8](unsafeUninitializedCapacity: count) { unsafe fill($0, &$1) }
      )
    #endif
    if got < 0 { throw SystemError(error, .read, name) }
    return got
  }

  /// Waits until reading would return at once.
  ///
  /// A signal that arrives after the check and before the wait does not interrupt the wait. So each wait is short, and
  /// the check is repeated after it.
  private func waitUntilReady(unless isCancelled: () -> Bool) throws(SystemError) {
    var request = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
    var wait: Int32 = 0
    while true {
      let count = unsafe poll(&request, 1, wait)
      let error = errno
      // If `poll` fails for another reason, the read reports the error.
      if count > 0 || (count < 0 && error != EINTR) { return }
      if isCancelled() { throw SystemError(EINTR, .read, name) }
      wait = Self.longestWait
    }
  }

  /// In milliseconds: users notice no delay, and four wake-ups a second cost almost nothing.
  private static let longestWait: Int32 = 250

  /// Writes all bytes.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let (put, error) = unsafe bytes.withUnsafeBytes {
        let place = unsafe $0.baseAddress?.advanced(by: written)
        let put = unsafe Glibc.write(raw, place, bytes.count - written)
        return (put, errno)
      }
      if put < 0, error == EINTR { continue }
      if put < 0 { throw SystemError(error, .write, name) }
      written += put
    }
  }

  /// Waits until all written bytes are on the disk.
  package func synchronize() throws(SystemError) {
    try SystemError.check(.write, name) { fsync(raw) }
  }

  deinit {
    if isOwned, raw >= 0 { _ = close(raw) }
  }
}
