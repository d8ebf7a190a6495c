// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import SystemKit
public import BeaconFormats

/// Reads the bytes of a file or of standard input.
public final class FileByteSource: ByteSource {
  private let file: FileDescriptor
  private let isCancelled: (() -> Bool)?
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
  /// - Throws: `SystemError` when it cannot be opened.
  package init(
    path: String,
    isCancelled: (() -> Bool)?,
    beforeWaiting: @escaping () throws -> Void
  ) throws(SystemError) {
    file = try FileDescriptor(reading: path)
    size = file.size
    // A read of a regular file never waits.
    self.isCancelled = size == nil ? isCancelled : nil
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
    if size == nil, !file.isReady { try beforeWaiting() }
    bytesRead += try file.read(upTo: count, into: &buffer, isCancelled: isCancelled)
  }
}
