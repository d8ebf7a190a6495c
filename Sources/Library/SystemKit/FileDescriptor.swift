// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// An open file that is closed when it goes out of scope.
package struct FileDescriptor: ~Copyable, Sendable {
  private let raw: Int32
  private let isOwned: Bool
  /// The path that was opened, or the name of a stream.
  package let name: String

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

  /// Creates a file for writing; fails if the name is in use, also by a link.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mode: Its permissions; `nil` for the process's default.
  ///   - appends: Whether every write goes to the current end of the file.
  /// - Throws: ``SystemError`` if it cannot be created.
  package init(creating path: String, mode: UInt32? = nil, appending appends: Bool = false)
    throws(SystemError)
  {
    name = path
    let (descriptor, error) = Self.open(
      path,
      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | (appends ? O_APPEND : 0),
      mode: mode ?? 0o666
    )
    raw = descriptor
    isOwned = true
    if raw < 0 { throw SystemError(error, .write, path) }
    // The process's mask may have removed permissions.
    if let mode { _ = fchmod(raw, mode_t(mode)) }
  }

  /// Opens an existing file for writing and leaves its content.
  ///
  /// - Parameters:
  ///   - path: The file; the missing target of a symbolic link is created.
  ///   - mode: The permissions of such a target; `nil` for the process's default.
  ///   - appends: Whether every write goes to the current end of the file.
  /// - Throws: ``SystemError`` if it cannot be opened.
  package init(
    writingInto path: String,
    mode: UInt32? = nil,
    appending appends: Bool
  ) throws(SystemError) {
    name = path
    let flags = O_WRONLY | O_CREAT | O_NOCTTY | (appends ? O_APPEND : 0)
    let (descriptor, error) = Self.open(path, flags, mode: mode ?? 0o666)
    raw = descriptor
    isOwned = true
    if raw < 0 { throw SystemError(error, .write, path) }
  }

  /// Opens what another descriptor of the process has open.
  package init(duplicating other: Int32, name: String) throws(SystemError) {
    self.name = name
    let descriptor = fcntl(other, F_DUPFD_CLOEXEC, 3)
    let error = errno
    raw = descriptor
    isOwned = true
    if raw < 0 { throw SystemError(error, .write, name) }
  }

  /// Another descriptor of the same open file.
  package func duplicate() throws(SystemError) -> FileDescriptor {
    try FileDescriptor(duplicating: raw, name: name)
  }

  /// Creates a file with a free name next to another one: `FILE.new`, else `FILE.new-2` and so on.
  ///
  /// It never uses an existing file: that may be a draft of the user's, or a link of another program.
  static func creating(
    beside path: String,
    mode: UInt32? = nil
  ) throws(SystemError) -> FileDescriptor {
    var number = 1
    while true {
      let beside = path + (number == 1 ? ".new" : ".new-\(number)")
      do throws(SystemError) {
        return try FileDescriptor(creating: beside, mode: mode)
      } catch {
        guard error.number == EEXIST, number < 100 else { throw error }
        number += 1
      }
    }
  }

  /// Opens a file, and reads the error number before any other call.
  ///
  /// Opening a pipe waits for its other end; SIGINT and SIGTERM end the wait. A file or a folder is opened in any case: a run
  /// that is asked to stop still ends its recording.
  private static func open(
    _ path: String,
    _ flags: Int32,
    mode: UInt32 = 0o666
  ) -> (descriptor: Int32, error: Int32) {
    let (descriptor, error) = unsafe path.withCString { text in
      SystemError.repeating(unlessStopping: isWaitedFor(path)) {
        unsafe openFile(text, flags | O_CLOEXEC, mode_t(mode))
      }
    }
    return (descriptor, error)
  }

  private static func isWaitedFor(_ path: String) -> Bool {
    FileStatus(path).map { !$0.isRegular && !$0.isFolder } ?? false
  }

  /// Wraps one of the three standard streams, which this value does not close.
  package init(standard descriptor: Int32) {
    raw = descriptor
    isOwned = false
    name = ["standard input", "standard output", "standard error"][Int(max(0, min(2, descriptor)))]
  }

  /// The standard input of the process.
  package static var standardInput: FileDescriptor { FileDescriptor(standard: STDIN_FILENO) }

  /// Whether it is a terminal.
  package var isTerminal: Bool { isatty(raw) == 1 }

  /// The file's status.
  package var status: FileStatus? {
    var found = stat()
    guard unsafe fstat(raw, &found) == 0 else { return nil }
    return FileStatus(found)
  }

  /// Whether the next byte that is written replaces one of a regular file.
  var isBeforeContent: Bool {
    guard let status, status.isRegular, fcntl(raw, F_GETFL) & O_APPEND == 0 else { return false }
    return lseek(raw, 0, SEEK_CUR) < status.size
  }

  /// The size of a regular file in bytes; `nil` for pipes, terminals and devices.
  package var size: Int? { status.flatMap { $0.isRegular ? $0.size : nil } }

  /// Whether reading would return immediately.
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

  /// Reads up to a number of bytes from a place of a regular file.
  package func read(upTo count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    var error: Int32 = 0
    repeat {
      got = unsafe pread(raw, &bytes, count, offset)
      error = errno
    } while got < 0 && error == EINTR
    if got < 0 { throw SystemError(error, .read, name) }
    return Array(bytes.prefix(got))
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
        got = unsafe readFile(raw, free.baseAddress?.advanced(by: initialized), count)
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

  /// Waits until reading would return immediately.
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
  ///
  /// A pipe whose reader does not read is waited for, until the program is asked to stop.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    let isRegular = status?.isRegular ?? true
    var written = 0
    while written < bytes.count {
      if !isRegular { try waitUntilWritable() }
      let rest = bytes.count - written
      let count = isRegular ? rest : min(rest, Self.blockOfPipe)
      let (put, error) = unsafe bytes.withUnsafeBytes {
        let place = unsafe $0.baseAddress?.advanced(by: written)
        let put = unsafe writeFile(raw, place, count)
        return (put, errno)
      }
      if put < 0, error == EINTR || error == EAGAIN { continue }
      if put < 0 { throw SystemError(error, .write, name) }
      written += put
    }
  }

  /// The bytes that a pipe takes without a wait once it can be written: POSIX's `PIPE_BUF` on Linux.
  private static let blockOfPipe = 4096

  /// The descriptors, a bit each, that took nothing after the program was asked to stop: a run can have many messages left, and
  /// waits only for the first one.
  private static let stuck = Atomic<UInt64>(0)

  private func waitUntilWritable() throws(SystemError) {
    var request = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
    let bit = raw < 64 ? UInt64(1) << UInt64(raw) : 0
    while true {
      let isStuck =
        Self.stuck.load(ordering: .relaxed) & bit != 0 && Interruption.cause != nil
      let count = unsafe poll(&request, 1, isStuck ? 0 : Self.longestWait)
      let error = errno
      // If `poll` fails for another reason, the write reports the error.
      if count > 0 || (count < 0 && error != EINTR) { return }
      guard count == 0, Interruption.cause != nil else { continue }
      _ = Self.stuck.bitwiseOr(bit, ordering: .relaxed)
      throw SystemError(EINTR, .write, name)
    }
  }

  /// Waits until all written bytes are on the disk.
  package func synchronize() throws(SystemError) {
    try SystemError.check(.write, name) { fsync(raw) }
  }

  /// Creates the folders that lead to a file, only for this account, as far as they do not exist.
  package static func createFolders(for path: String) throws(SystemError) {
    guard let end = path.lastIndex(of: "/"), end != path.startIndex else { return }
    try Folder.make(String(path[..<end]))
  }

  /// Gives a file a name that is not in use.
  ///
  /// - Throws: ``SystemError`` with the number `EEXIST` if a file has it.
  static func rename(_ path: String, toFree name: String) throws(SystemError) {
    do throws(SystemError) {
      // `link` fails if the name is in use, so no file is overwritten.
      try SystemError.check(.write, name) { unsafe link(path, name) }
    } catch {
      guard error.number != EEXIST else { throw error }
      // Some file systems have no links.
      guard FileStatus.isMissing(name) else { throw SystemError(EEXIST, .write, name) }
      return try rename(path, to: name)
    }
    _ = unsafe unlink(path)
  }

  /// Takes over the content of another file.
  ///
  /// The disk has room for it before any content changes, so a full disk leaves this file as it is.
  ///
  /// - Parameters:
  ///   - path: The other file, which stays as it is.
  ///   - begins: Called before the first change.
  /// - Throws: ``SystemError``; after a change it names the other file.
  func take(_ path: String, _ begins: () -> Void) throws(SystemError) {
    let new = try FileDescriptor(reading: path)
    let size = new.size ?? 0
    try extend(to: new)
    begins()
    do throws(SystemError) {
      try copy(new, from: 0)
      try SystemError.check(.write, name) { ftruncate(raw, off_t(size)) }
      try synchronize()
    } catch {
      throw SystemError(error.number, .write, "\(name), whose new content is in \(path)")
    }
  }

  /// Appends the end of a larger file, from this file's size on, so that the disk has every block that the content needs.
  private func extend(to new: borrowing FileDescriptor) throws(SystemError) {
    let size = size ?? 0
    do throws(SystemError) {
      try copy(new, from: size)
      try synchronize()
    } catch {
      _ = ftruncate(raw, off_t(size))
      throw error
    }
  }

  /// Writes the content of another file from a place on to the same place.
  private func copy(_ other: borrowing FileDescriptor, from start: Int) throws(SystemError) {
    try SystemError.check(.write, name) { lseek(raw, off_t(start), SEEK_SET) < 0 ? -1 : 0 }
    var place = start
    while true {
      let bytes = try other.read(upTo: 65_536, at: place)
      if bytes.isEmpty { return }
      try write(bytes)
      place += bytes.count
    }
  }

  /// Waits until the names in a file's folder are on the disk.
  package static func synchronizeFolder(of path: String) throws(SystemError) {
    let end = path.lastIndex(of: "/")
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    do throws(SystemError) {
      try FileDescriptor(reading: folder).synchronize()
    } catch {
      // Some file systems cannot synchronize a folder, and in some folders the process may write files but not read the
      // folder.
      guard error.number == EINVAL || error.isNotPermitted else { throw error }
    }
  }

  /// Removes the file's content.
  package func empty() throws(SystemError) {
    try SystemError.check(.write, name) { ftruncate(raw, 0) }
  }

  /// Removes the content from the position of the next byte.
  func removeRest() throws(SystemError) {
    try SystemError.check(.write, name) { ftruncate(raw, lseek(raw, 0, SEEK_CUR)) }
  }

  /// Gives the file the permissions of another one, and also its owner if the process is allowed to.
  func copyAttributes(of path: String) throws(SystemError) {
    var found = stat()
    guard unsafe stat(path, &found) == 0 else { return }
    if fchown(raw, found.st_uid, found.st_gid) != 0 { _ = fchown(raw, UInt32.max, found.st_gid) }
    try SystemError.check(.set, name) { fchmod(raw, found.st_mode & 0o7777) }
    // Without its access list the group would have the rights of the list's mask.
    if !ExtendedAttributes.copy(from: path, to: raw) {
      try SystemError.check(.set, name) { fchmod(raw, found.st_mode & 0o7700) }
    }
  }

  /// Opens the standard streams that the process was started without, so that no file gets their numbers; a use of them
  /// fails as before.
  ///
  /// - Returns: Whether enough further descriptors are left for the process to begin.
  package static func prepare() -> Bool {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      _ = Self.open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    _ = allow(0)
    var free: [Int32] = []
    while free.count < leastFree {
      let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
      guard descriptor >= 0 else { break }
      free.append(descriptor)
    }
    for descriptor in free { _ = close(descriptor) }
    return free.count == leastFree
  }

  /// Discards further messages.
  static func closeStandardError() {
    let null = Self.open("/dev/null", O_WRONLY).descriptor
    guard null >= 0 else { return }
    _ = dup2(null, STDERR_FILENO)
    _ = close(null)
  }

  /// What every command opens: threads of the system's libraries end the process without some.
  package static let leastFree = 24

  /// Raises the process's limit of open files, if the system allows it, so that it can open this many at a time.
  ///
  /// A login session usually has a limit of 1,024, far below the system's limit.
  ///
  /// - Returns: Whether it can.
  package static func allow(_ count: Int) -> Bool {
    guard var limit = limits else { return true }
    let needed = rlim_t(count) + othersOpen
    guard limit.rlim_cur < needed else { return true }
    guard limit.rlim_cur < limit.rlim_max else { return false }
    limit.rlim_cur = min(needed, limit.rlim_max)
    return unsafe setrlimit(resource, &limit) == 0 && limit.rlim_cur == needed
  }

  #if canImport(Glibc)
    private static var resource: __rlimit_resource_t {
      __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    }
  #else
    private static var resource: Int32 { RLIMIT_NOFILE }
  #endif

  private static var limits: rlimit? {
    var limit = rlimit()
    return unsafe getrlimit(resource, &limit) == 0 ? limit : nil
  }

  /// How many files the process may have open at a time.
  package static var limit: Int { Int(clamping: limits?.rlim_cur ?? .max) }

  /// Whether the process may open a file for another program, and keeps this many descriptors.
  ///
  /// The system gives the lowest free number. So the last numbers stay free if no file for others gets one of them: a program
  /// without descriptors draws wrong conclusions, and the system's thread pool ends its process.
  package static func hasRoom(leaving reserve: Int) -> Bool {
    let lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard lowest >= 0 else { return errno == EBADF }
    _ = close(lowest)
    return Int(lowest) < limit - reserve
  }

  /// More than a command ever has open besides the files that it is given.
  private static let othersOpen: rlim_t = 512

  /// Renames a file; a file that already has the new name is replaced.
  package static func rename(_ old: String, to new: String) throws(SystemError) {
    try SystemError.check(.rename, old) { renameFile(old, new) }
  }

  deinit {
    if isOwned, raw >= 0 { _ = close(raw) }
  }
}

// The C library's functions whose names ``FileDescriptor`` has as well.

private func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

private func readFile(_ file: Int32, _ place: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(file, place, count)
}

private func writeFile(_ file: Int32, _ place: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, place, count)
}

private func renameFile(_ old: String, _ new: String) -> Int32 { unsafe rename(old, new) }
