// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import SystemKit
public import BeaconFormats

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Reads the bytes of a file or of standard input.
public final class FileByteSource: ByteSource {
  private final class OpenFile {
    let descriptor: FileDescriptor
    init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
  }

  /// The file; `nil` if it is opened for each read.
  private let file: OpenFile?
  private let path: String
  private let identity: FileIdentity?
  private let isCancelled: (() -> Bool)?
  /// How many reads of a regular file follow after it is to be given up.
  private var readsAfterEnd = 0
  private let beforeWaiting: () throws -> Void
  /// The size of a regular file in bytes; `nil` for pipes, terminals and devices.
  public let size: Int?
  /// How many bytes were read so far.
  public private(set) var bytesRead = 0

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: `SystemError` when it cannot be opened.
  public convenience init(path: String) throws(SystemError) {
    try self.init(path: path, isCancelled: nil, beforeWaiting: {})
  }

  /// Opens a file; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - isCancelled: Called while a read waits for data of a pipe; returns whether to give up.
  ///   - beforeWaiting: Called before a read that has to wait for data of a pipe.
  ///   - staysOpen: Whether a regular file is kept open: the system may not have a descriptor for each of many.
  /// - Throws: `SystemError` when it cannot be opened.
  package init(
    path: String,
    isCancelled: (() -> Bool)?,
    beforeWaiting: @escaping () throws -> Void,
    staysOpen: Bool = true
  ) throws(SystemError) {
    let file = try FileDescriptor(reading: path)
    (size, identity, self.path) = (file.size, file.status?.identity, path)
    if size == nil || path == "-" || staysOpen {
      self.file = OpenFile(file)
    } else {
      self.file = nil
    }
    self.isCancelled = isCancelled
    self.beforeWaiting = beforeWaiting
  }

  /// Returns the next bytes, at most `count`; an empty array at the end.
  ///
  /// - Throws: `SystemError` when the file cannot be read.
  public func read(upTo count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try read(upTo: count, into: &bytes)
    return bytes
  }

  /// Appends the next bytes, at most `count`, to a buffer without an extra copy; none at the end.
  ///
  /// - Throws: `SystemError` when the file cannot be read.
  public func read(upTo count: Int, into buffer: inout [UInt8]) throws {
    if size == nil, let file {
      if !file.descriptor.isReady { try beforeWaiting() }
      bytesRead += try file.descriptor.read(upTo: count, into: &buffer, isCancelled: isCancelled)
      return
    }
    // A read of a regular file never waits, and what reads it ends by itself; but it does not see records without inputs.
    if isCancelled?() ?? false {
      readsAfterEnd += 1
      if readsAfterEnd > Self.mostAfterEnd { throw SystemError(EINTR, .read, WholeFile.name(path)) }
    }
    if let file {
      bytesRead += try file.descriptor.read(upTo: count, into: &buffer)
      return
    }
    let opened = try FileDescriptor(reading: path)
    guard opened.status?.identity == identity else { throw SystemError(ESTALE, .read, path) }
    let bytes = try opened.read(upTo: count, at: bytesRead)
    bytesRead += bytes.count
    buffer += bytes
  }

  /// The most reads of a regular file after it is to be given up; they take milliseconds.
  private static let mostAfterEnd = 2
}
