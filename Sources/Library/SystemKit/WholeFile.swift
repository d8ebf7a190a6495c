// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Reads small files as a whole: configurations, plans, scenarios, states.
package enum WholeFile {
  /// The largest file: sixteen mebibytes, far more than anyone writes by hand.
  ///
  /// With this limit a wrong path cannot fill the memory.
  package static let limit = 16 << 20

  /// Returns a file's bytes; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - mayWait: Whether a pipe is waited for; one in the place of a program's own file would hold up the whole program.
  /// - Returns: The bytes.
  /// - Throws: ``SystemError`` when the file cannot be read or is larger than ``limit``.
  package static func read(_ path: String, mayWait: Bool = true) throws(SystemError) -> [UInt8] {
    if !mayWait, let status = FileStatus(path), !status.isRegular {
      throw SystemError(status.isFolder ? EISDIR : EINVAL, .read, name(path))
    }
    let file = try FileDescriptor(reading: path)
    if let size = file.size, size > limit { throw tooLarge(path) }
    // A pipe is waited for until the program is asked to stop.
    let isCancelled = file.size == nil ? { Interruption.cause != nil } : nil
    var bytes: [UInt8] = []
    while true {
      let more = try file.read(upTo: 65_536, into: &bytes, isCancelled: isCancelled)
      if more == 0 { return bytes }
      if bytes.count > limit { throw tooLarge(path) }
    }
  }

  /// Checks that a file which the program keeps under a fixed name, in a folder that a user names, is its own.
  ///
  /// - Parameters:
  ///   - path: The file; one that does not exist is not checked.
  ///   - isOwn: Whether bytes have the form of that file.
  /// - Throws: ``OutputRefusal/isNotOwn(path:)`` for a file of another form, one with a further name or of another account,
  ///   and for anything but a file.
  package static func check(
    own path: String,
    _ isOwn: ([UInt8]) -> Bool
  ) throws(OutputRefusal) {
    guard let status = FileStatus(withoutFollowing: path) else { return }
    guard status.isReplaceable, !status.isForeign,
      (try? read(path, mayWait: false)).map(isOwn) ?? false
    else { throw .isNotOwn(path: path) }
  }

  /// A path as a user reads it; `-` is standard input.
  package static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  private static func tooLarge(_ path: String) -> SystemError {
    SystemError(EFBIG, .read, name(path))
  }
}
