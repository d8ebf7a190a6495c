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
  /// A file that only this lock needs, and that goes with it.
  private let removed: String?
  /// Whether it has the lock.
  private let isTaken: Bool

  /// Creates the lock of nothing.
  package init() { (descriptor, removed, isTaken) = (-1, nil, false) }

  /// Takes the lock, and writes the number of this process into the file.
  ///
  /// - Returns: `nil` while another owner has the lock, or has just removed the file. In a folder that cannot be written
  ///   there is nothing to protect, so it succeeds without a lock; so it does after another account that was killed.
  /// - Throws: ``OutputRefusal/isNotOwn(path:)`` if the file was not written by a lock, ``OutputRefusal/cannotLock(_:)`` if the
  ///   system has no descriptor left; the owner is unknown then.
  package convenience init?(_ path: String) throws(OutputRefusal) {
    try self.init(path, removing: false)
  }

  /// Locks a file that other accounts may read, such as a recording.
  ///
  /// The lock is that of a file next to it that only its owner may open, so a reader cannot hold it; it goes with the lock.
  package convenience init?(of path: String) throws(OutputRefusal) {
    guard let place = Self.place(of: path) else { return nil }
    try self.init(place, removing: true)
  }

  /// Whether a process has the lock ``init(of:)`` of a file.
  package static func isHeld(of path: String) -> Bool {
    guard let place = Self.place(of: path) else { return false }
    return (try? isHeld(place)) ?? true
  }

  /// Whether a process has a lock.
  ///
  /// - Throws: ``OutputRefusal/cannotLock(_:)`` if the system has no descriptor left to find it out.
  package static func isHeld(_ place: String) throws(OutputRefusal) -> Bool {
    let file = unsafe open(place, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    let number = errno
    guard file >= 0 else {
      let error = SystemError(number, .lock, place)
      if error.isShortage, !FileStatus.isMissing(place) { throw .cannotLock(error) }
      return number == EACCES && isOfAnother(place)
    }
    defer { _ = close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// All names of a file in a folder have one lock.
  private static func place(of path: String) -> String? {
    guard let number = FileStatus(path)?.identity.number else { return nil }
    return folder(of: OutputFiles.place(of: path)) + ".beacons-\(number).lock"
  }

  private static func folder(of path: String) -> Substring {
    path[...(path.lastIndex(of: "/") ?? path.startIndex)]
  }

  /// Calls a closure while no other process does so for the same folder.
  ///
  /// After two seconds it is called in any case: a server must not wait longer for a program that stands still.
  ///
  /// - Throws: The closure's error; ``SystemError/isInterruption`` if the program was asked to stop.
  static func withLock(ofFolder path: String, _ body: () throws -> Void) throws {
    var lock = try FileLock(path + "/.beacons.lock", removing: true)
    var patience = 200
    while patience > 0, lock == nil {
      if Interruption.cause != nil { throw SystemError(EINTR, .lock, path) }
      usleep(10_000)
      patience -= 1
      lock = try FileLock(path + "/.beacons.lock", removing: true)
    }
    try withExtendedLifetime(lock, body)
  }

  private init?(_ path: String, removing removes: Bool) throws(OutputRefusal) {
    removed = removes ? path : nil
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let (opened, number) = SystemError.repeating { unsafe open(path, flags, 0o600) }
    var status = stat()
    if opened >= 0, unsafe fstat(opened, &status) != 0 || !Self.isLock(opened, status) {
      _ = close(opened)
      throw .isNotOwn(path: path)
    }
    if opened < 0, case let error = SystemError(number, .lock, path), error.isShortage {
      throw .cannotLock(error)
    }
    descriptor = opened
    if opened < 0, number == EACCES, Self.isOfAnother(path) {
      isTaken = false
      return nil
    }
    // A file that was removed meanwhile protects nothing: another process may have created it again. The object is complete
    // then, so `deinit` closes the file; closed twice, the number could be another thread's file by then.
    isTaken = opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) == 0 && Self.isStill(opened, path)
    guard descriptor >= 0 else { return }
    guard isTaken else { return nil }
    // The file of another account serves as a lock, and stays as it is.
    guard status.st_uid == geteuid() else { return }
    // Every account that may open it can hold it.
    _ = fchmod(descriptor, 0o600)
    // Only a message uses this text, so a failure does not matter.
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = unsafe pwrite(descriptor, text, text.count, 0)
  }

  /// Whether a file is empty or has the number of a process, and has no other name.
  ///
  /// After a power cut, a number can be zeros.
  private static func isLock(_ descriptor: Int32, _ status: stat) -> Bool {
    guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink <= 1, status.st_size <= 12 else {
      return false
    }
    var text = [UInt8](repeating: UInt8(ascii: "\n"), count: 12)
    guard unsafe pread(descriptor, &text, text.count, 0) >= 0 else { return false }
    return text.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      .allSatisfy { $0 == UInt8(ascii: "\n") || $0 == 0 }
  }

  /// Whether another account that may write in the folder as well has locked a file that only it may open.
  ///
  /// In a folder such as `/tmp` a lock of another account is of no concern: it may not change the files of this one.
  static func isOfAnother(_ path: String) -> Bool {
    let folder = folder(of: path)
    guard let status = FileStatus(path),
      FileStatus(folder.isEmpty ? "." : String(folder)).map({ $0.mode & 0o1000 == 0 }) ?? false,
      let locks = try? WholeFile.read("/proc/locks")
    else { return false }
    let number = ":\(status.identity.number)"
    return String(decoding: locks, as: UTF8.self).split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      return words.contains("FLOCK") && words.contains { $0.hasSuffix(number) }
    }
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
    guard descriptor >= 0 else { return }
    if let removed, isTaken { _ = unsafe unlink(removed) }
    _ = close(descriptor)
  }
}
