// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconFormats

/// The bytes of a file, or of standard input.
public final class FileByteSource: ByteSource {
  private let file: FileDescriptor
  /// The size of a regular file in bytes; `nil` for pipes, terminals and devices.
  public let size: Int?
  /// How many bytes were read so far.
  public private(set) var bytesRead = 0

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``SystemError`` when it cannot be opened.
  public init(path: String) throws(SystemError) {
    file = try FileDescriptor(reading: path)
    size = file.size
  }

  /// Returns the next bytes; none at the end.
  public func read(upTo count: Int) throws -> [UInt8] {
    let bytes = try file.read(upTo: count)
    bytesRead += bytes.count
    return bytes
  }

  /// Appends the next bytes to a buffer, without a copy on the way.
  public func read(upTo count: Int, into buffer: inout [UInt8]) throws {
    bytesRead += try file.read(upTo: count, into: &buffer)
  }
}
