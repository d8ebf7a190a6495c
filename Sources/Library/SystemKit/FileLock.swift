// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Locks a file for as long as the object lives.
///
/// When the process ends for any reason, the system releases the lock.
package final class FileLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock, and writes the number of this process into the file.
  ///
  /// - Returns: `nil` while another owner has the lock, or has just removed the file. In a folder that cannot be written
  ///   there is nothing to protect, so it succeeds without a lock.
  package init?(_ path: String) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    descriptor = SystemError.repeating { unsafe open(path, flags, 0o600) }.result
    guard descriptor >= 0 else { return }
    // A file that was removed meanwhile protects nothing: another process may have created it again. The object is complete
    // here, so `deinit` closes the file; closed twice, the number could be another thread's file by then.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isStill(descriptor, path) else {
      return nil
    }
    // Only a message uses this text, so a failure does not matter.
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = unsafe pwrite(descriptor, text, text.count, 0)
  }

  private static func isStill(_ descriptor: Int32, _ path: String) -> Bool {
    var (locked, named) = (stat(), stat())
    guard unsafe fstat(descriptor, &locked) == 0, unsafe lstat(path, &named) == 0 else {
      return false
    }
    return locked.st_dev == named.st_dev && locked.st_ino == named.st_ino
  }

  /// Returns text that names the owner of a lock: the process and its program.
  package static func holder(of path: String) -> String {
    guard let bytes = try? WholeFile.read(path),
      let number = Int32(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" })
    else { return "another process" }
    let name = (try? WholeFile.read("/proc/\(number)/comm")) ?? []
    let program = String(decoding: name, as: UTF8.self).prefix { $0 != "\n" }
    return program.isEmpty ? "process \(number)" : "process \(number) (\(program))"
  }

  deinit {
    if descriptor >= 0 { _ = close(descriptor) }
  }
}
