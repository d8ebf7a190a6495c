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
    raw = unsafe open(path, O_RDONLY | O_CLOEXEC)
    isOwned = true
    if raw < 0 { throw SystemError("open \(path)") }
  }

  /// Opens a file for writing, emptied first.
  package init(writing path: String) throws(SystemError) {
    name = path
    raw = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    isOwned = true
    if raw < 0 { throw SystemError("write \(path)") }
  }

  /// Stands for one of the three standard streams, which are not ours to close.
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

  /// The number of the file in its file system, by which two paths can be known to be one file; `nil` where there is
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

  /// Reads up to a number of bytes; none at the end of the file.
  package func read(upTo count: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try read(upTo: count, into: &bytes)
    return bytes
  }

  /// Appends up to a number of bytes to a buffer and returns how many; none at the end of the file.
  ///
  /// - Parameters:
  ///   - count: The most to read.
  ///   - buffer: Where the bytes go.
  ///   - isCancelled: Asked when a signal came while it waited, whether to give up.
  /// - Returns: How many bytes were appended.
  /// - Throws: ``SystemError``, also where it gave up.
  package func read(
    upTo count: Int,
    into buffer: inout [UInt8],
    isCancelled: () -> Bool = { false }
  ) throws(SystemError) -> Int {
    var got = 0
    buffer.append(addingCapacity: count) { (span: inout OutputSpan<UInt8>) in
      unsafe span.withUnsafeMutableBufferPointer { free, initialized in
        repeat {
          got = unsafe Glibc.read(raw, free.baseAddress?.advanced(by: initialized), count)
        } while got < 0 && errno == EINTR && !isCancelled()
        initialized += max(0, got)
      }
    }
    if got < 0 { throw SystemError("read \(name)") }
    return got
  }

  /// Writes all of some bytes.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let put = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(raw, $0.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if put < 0, errno == EINTR { continue }
      if put < 0 { throw SystemError("write \(name)") }
      written += put
    }
  }

  /// Waits until what was written is on the disk.
  package func synchronize() throws(SystemError) {
    if fsync(raw) != 0 { throw SystemError("write \(name)") }
  }

  deinit {
    if isOwned, raw >= 0 { _ = close(raw) }
  }
}
