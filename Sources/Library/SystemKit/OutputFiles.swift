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

/// Opens every file that a run writes.
///
/// A run never writes a file that it reads, and no two outputs share a file. Files are compared by device and inode,
/// whatever their names are: a path, a link, or a descriptor that a shell opened, such as `/dev/fd/3`. A file with content
/// is replaced only if the user asked for it, and never while another process records to it. A terminal, a pipe or `/dev/null` is
/// written directly; a disk never. A file of another account is not written, since that account can read it: an edit is
/// refused, and a new file of this account takes the place of a whole one if the user asked to replace it. A new file has the
/// mode 600 if the run reads a file that not every account may read, or a pipe.
package final class OutputFiles: Sendable {
  /// A file that the run reads or writes: its name, its resolved path, and its status if it exists.
  private struct Known {
    let path: String
    let place: String
    let status: FileStatus?
    let isInput: Bool

    /// Whether it is the file of a status.
    func isSame(as other: FileStatus?) -> Bool {
      guard let status, let other else { return false }
      return status.isSame(as: other)
    }
  }

  /// Whether the user asked to replace existing files.
  package let replaces: Bool
  private let known: Mutex<[Known]> = Mutex([])
  private let announced = Mutex(AnnouncedOutputs())
  private let privacy = Mutex(PrivateInputs())
  /// The files that were given another name until an output is complete.
  private let aside: Mutex<[Known]> = Mutex([])

  /// - Parameter replaces: Whether the user asked to replace existing files.
  package init(replacing replaces: Bool = false) {
    self.replaces = replaces
  }

  // MARK: Knowledge of the run

  /// Adds a file that the run reads, now or later; `-` is standard input.
  ///
  /// - Throws: ``OutputRefusal`` if an output of the run goes to the file.
  package func addInput(_ path: String) throws(OutputRefusal) {
    let input = FileDescriptor(standard: STDIN_FILENO)
    guard let status = path == "-" ? input.status : FileStatus(path) else { return }
    privacy.withLock { $0.add(status, at: Self.place(of: path == "-" ? "/proc/self/fd/0" : path)) }
    guard status.isRegular else { return }
    let name = path == "-" ? "standard input" : path
    let announced = announced.withLock { $0.name(of: status) }
    let output = announced ?? output(status)
    if let output { throw .isInput(path: output, input: name) }
    add(name, status, isInput: true)
  }

  /// Adds a file that the run keeps for the next one, and so may read: its outputs are as private as that file.
  package func addKept(_ path: String) {
    guard let status = FileStatus(path) else { return }
    privacy.withLock { $0.add(status, at: Self.place(of: path)) }
  }

  /// The name of the output that goes to a file, if any.
  private func output(_ status: FileStatus) -> String? {
    known.withLock { known in known.first { !$0.isInput && $0.isSame(as: status) }?.path }
  }

  /// Adds the streams that the process writes, if they are files.
  ///
  /// - Throws: ``OutputRefusal`` if one of them is a file that the run reads: it would never reach its end.
  package func addStandardStreams() throws(OutputRefusal) {
    for stream in [STDOUT_FILENO, STDERR_FILENO] {
      let name = stream == STDOUT_FILENO ? "standard output" : "standard error"
      guard let status = FileDescriptor(standard: stream).status, status.isRegular else { continue }
      if let other = match(status, place: nil), other.isInput {
        // Not even the message may be written into it.
        if stream == STDERR_FILENO { FileDescriptor.closeStandardError() }
        throw .isInput(path: name, input: other.path)
      }
      add(name, status, isInput: false)
    }
  }

  private func add(_ path: String, _ status: FileStatus?, isInput: Bool) {
    let entry = Known(path: path, place: Self.place(of: path), status: status, isInput: isInput)
    known.withLock { $0.append(entry) }
  }

  private func match(_ status: FileStatus?, place: String?) -> Known? {
    known.withLock { known in
      known.first { $0.isSame(as: status) || (place != nil && $0.place == place) }
    }
  }

  /// The path with every symbolic link resolved, also if the file does not exist yet.
  static func place(of path: String) -> String {
    if let whole = resolved(path) { return whole }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    return (resolved(folder) ?? folder) + "/" + name
  }

  private static func resolved(_ path: String) -> String? {
    guard let text = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  // MARK: Checking

  /// Announces a file that the run will write, and checks whether it can be written, without touching it.
  ///
  /// A run announces all its outputs before it reads anything, so that it does not fail at its end.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - existing: What will happen to an existing file.
  /// - Throws: ``OutputRefusal`` if the file must stay as it is, or if it cannot be a file; ``SystemError`` if the account
  ///   may not write there.
  package func announce(_ path: String, _ existing: Existing = .setAside) throws {
    if let stream = Self.descriptor(named: path) {
      let status = try check(stream: stream, path)
      try announce(stream: stream, as: path)
      if let status { try announced.withLock { try $0.add(path, status) } }
      return
    }
    let status = FileStatus(path)
    if status?.isFolder ?? false { throw OutputRefusal.isFolder(path: path) }
    try check(path, keepingContent: existing == .continued)
    if let status, !status.isRegular { return }
    let place = Self.place(of: path)
    if let status, !existing.makesFile(besides: status) || !status.isReplaceable {
      try Self.checkAccess(to: path, W_OK, of: path)
    }
    if existing.makesFile(besides: status) { try Self.checkFolder(of: path, place) }
    try announced.withLock { try $0.add(path, at: place, status) }
  }

  /// Announces that an output goes to standard output.
  ///
  /// - Parameter path: The user's name for it; `nil` for a command's own file.
  /// - Throws: ``OutputRefusal`` if another output goes there as well.
  package func announceStandardOutput(as path: String? = nil) throws(OutputRefusal) {
    try announce(stream: STDOUT_FILENO, as: path ?? "standard output")
  }

  private func announce(stream: Int32, as path: String) throws(OutputRefusal) {
    try announced.withLock { announced throws(OutputRefusal) in
      try announced.add(stream: stream, as: path)
    }
  }

  /// Announces a folder in which the run keeps files, and which it makes if it does not exist.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - makesParents: Whether the run also makes the folders in which it lies.
  ///   - owns: Returns whether the run uses a name in the folder.
  /// - Throws: ``OutputRefusal`` if it cannot be a folder, or if an output goes to one of its files; ``SystemError`` if
  ///   the account may not write there.
  package func announceFolder(
    _ path: String,
    makingParents makesParents: Bool,
    owning owns: @escaping @Sendable (String) -> Bool = { _ in false }
  ) throws {
    try Self.checkLinks(on: path)
    var trimmed = path
    while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
    let place = Self.place(of: trimmed)
    if let status = FileStatus(trimmed) {
      guard status.isFolder else { throw OutputRefusal.isNoFolder(path: path, file: path) }
      try Self.checkAccess(to: trimmed, W_OK | X_OK, of: path)
    } else if makesParents {
      try Self.checkParents(of: trimmed)
    } else {
      try Self.checkFolder(of: trimmed, place)
    }
    try announced.withLock { try $0.addFolder(path, at: place, owning: owns) }
  }

  /// Checks that what exists of a path is folders.
  private static func checkParents(of path: String) throws(OutputRefusal) {
    for index in path.indices.dropFirst() where path[index] == "/" {
      let folder = String(path[..<index])
      guard let status = FileStatus(folder) else { return }
      guard status.isFolder else { throw .isNoFolder(path: path, file: folder) }
    }
  }

  private static func checkFolder(of path: String, _ place: String) throws {
    let slash = place.lastIndex(of: "/") ?? place.startIndex
    let folder = slash == place.startIndex ? "/" : String(place[..<slash])
    guard let status = FileStatus(folder) else {
      let end = path.lastIndex(of: "/") ?? path.startIndex
      throw OutputRefusal.noFolder(path: path, folder: String(path[..<end]))
    }
    guard status.isFolder else { throw OutputRefusal.isNoFolder(path: path, file: folder) }
    try checkAccess(to: folder, W_OK | X_OK, of: path)
  }

  private static func checkAccess(to place: String, _ mode: Int32, of path: String) throws {
    try SystemError.check(.write, path) { unsafe access(place, mode) }
  }

  /// Checks whether a file could be written, without touching it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - keepsContent: Whether existing content stays in the file.
  /// - Throws: ``OutputRefusal`` if the file must stay as it is.
  package func check(
    _ path: String,
    keepingContent keepsContent: Bool = false
  ) throws(OutputRefusal) {
    if let stream = Self.descriptor(named: path) {
      _ = try check(stream: stream, path)
    } else {
      try Self.checkLinks(on: path)
      try refuse(path, FileStatus(path), keepsContent)
    }
  }

  /// Checks whether a descriptor of the process could be written, which another program opened before.
  ///
  /// - Returns: The status of its file, which no other output may have; `nil` if it is not a file, or if it is that of
  ///   standard output or standard error.
  /// - Throws: ``OutputRefusal`` if the file must stay as it is.
  private func check(stream: Int32, _ path: String) throws(OutputRefusal) -> FileStatus? {
    let file = FileDescriptor(standard: stream)
    guard let status = file.status else { return nil }
    if status.isDisk { throw .isDisk(path: path) }
    guard status.isRegular else { return nil }
    let isStandard = stream == STDOUT_FILENO || stream == STDERR_FILENO
    let other = known.withLock { known in
      known.first { $0.isSame(as: status) && ($0.isInput || !isStandard) }
    }
    if let other, other.isInput { throw .isInput(path: path, input: other.path) }
    if let other { throw .isOutput(path: path, other: other.path) }
    // Bytes appended, or written into a file that the shell emptied, replace nothing.
    if !replaces, file.isBeforeContent { throw .exists(path: path) }
    return isStandard ? nil : status
  }

  private func refuse(
    _ path: String,
    _ status: FileStatus?,
    _ keepsContent: Bool
  ) throws(OutputRefusal) {
    if let status, status.isDisk { throw .isDisk(path: path) }
    if let status, status.isForeign, !status.isDevice, !status.isFolder {
      // A regular file is replaced by one of this account.
      guard status.isRegular, replaces, !keepsContent else {
        // No pipe is replaced, and nothing if the user asked for it in vain.
        let canReplace = status.isRegular && !replaces
        throw .isForeign(path: path, owner: status.owner, canReplace: canReplace)
      }
    }
    if let status, !status.isRegular { return }
    if let other = match(status, place: Self.place(of: path)) {
      if other.isInput { throw .isInput(path: path, input: other.path) }
      throw .isOutput(path: path, other: other.path)
    }
    // Nothing is lost with a file that has no content; `mktemp` makes such files.
    guard let status, status.size > 0, !keepsContent else { return }
    if !replaces { throw .exists(path: path) }
    if FileLock.isHeld(of: path) { throw .isRecorded(path: path) }
  }

  // MARK: Opening

  /// The treatment of an existing file that is opened for output.
  package enum Existing: Sendable {
    /// The output has the name from the start, for its readers; a file with content is `FILE.old` until it is complete.
    case setAside
    /// The output gets the name when it is complete; until then it is written next to it, and an existing file stays.
    case whole
    /// Its content stays, and the output continues after it. The caller has checked the content.
    case continued

    /// Whether a new file is made next to a regular one, or in place of none.
    fileprivate func makesFile(besides status: FileStatus?) -> Bool {
      guard let status else { return true }
      return self == .whole || self == .setAside && status.size > 0
    }
  }

  /// Opens a file for output.
  ///
  /// - Parameters:
  ///   - path: The file. `/dev/stdout` and the like are the streams of this process.
  ///   - existing: The treatment of an existing file.
  ///   - mode: The permissions of a new file; `nil` for those that the inputs of the run allow.
  ///   - appends: Whether every write goes to the end of the file, also after another program emptied it.
  /// - Returns: The file; call ``OutputFile/commit()`` when it is complete.
  /// - Throws: ``OutputRefusal`` if the file must stay as it is, ``SystemError`` if it cannot be written.
  package func open(
    _ path: String,
    _ existing: Existing = .setAside,
    mode: UInt32? = nil,
    appending appends: Bool = false
  ) throws -> OutputFile {
    if let stream = Self.descriptor(named: path) {
      let status = try check(stream: stream, path)
      let file = try FileDescriptor(duplicating: stream, name: path)
      if file.isBeforeContent { try file.removeRest() }
      if let status { add(path, status, isInput: false) }
      return OutputFile(path, file)
    }
    try check(path, keepingContent: existing == .continued)
    let status = FileStatus(path)
    let isNew = status == nil && FileStatus(withoutFollowing: path) == nil
    if existing == .whole, status?.isRegular ?? isNew {
      return try openBeside(path, mode: isNew ? mode ?? newMode(path) : nil, status)
    }
    let former = try setAside(path, existing, status)
    // Its other names and descriptors are of this output as well.
    if let former { add(path, former.status, isInput: false) }
    let keepsMode = former.map { !$0.status.isForeign } ?? false
    let mode = keepsMode ? Self.ownerOnly : mode ?? newMode(path)
    do {
      var isMade = true
      let file = try Self.descriptor(of: path, mode, appends, &isMade)
      if let status = file.status, status.isRegular {
        // The name may have got another file since the check.
        if !isMade { try refuse(path, status, existing == .continued) }
        if existing != .continued, status.size > 0 { try file.empty() }
        if let former, keepsMode { try file.copyAttributes(of: former.path) }
        add(path, status, isInput: false)
      }
      return OutputFile(path, file, former.map { .remove($0.path, $0.status.identity) } ?? .none)
    } catch {
      if let former { try? FileDescriptor.rename(former.path, toFree: Self.place(of: path)) }
      throw error
    }
  }

  /// Gives an existing file the name `FILE.old` until an output is complete; removes one of another account without content.
  ///
  /// - Returns: That name, and the file; `nil` if nothing is to be kept.
  private func setAside(
    _ path: String,
    _ existing: Existing,
    _ status: FileStatus?
  ) throws(SystemError) -> (path: String, status: FileStatus)? {
    guard let status, status.isRegular, existing != .continued else { return nil }
    let place = Self.place(of: path)
    guard status.size > 0 else {
      if status.isForeign { try SystemError.check(.remove, path) { unsafe unlink(place) } }
      return nil
    }
    var number = 1
    while true {
      let former = place + (number == 1 ? ".old" : ".old-\(number)")
      do throws(SystemError) {
        try FileDescriptor.rename(place, toFree: former)
        let moved = Known(path: path, place: former, status: status, isInput: false)
        aside.withLock { $0.append(moved) }
        return (former, status)
      } catch {
        guard error.number == EEXIST else { throw error }
        number += 1
      }
    }
  }

  /// Each output that replaces a file and is not complete, and the file that has the former content.
  package var leftAside: [(path: String, former: String)] {
    aside.withLock { aside in
      aside.filter { FileStatus(withoutFollowing: $0.place)?.identity == $0.status?.identity }
        .map { ($0.path, $0.place) }
    }
  }

  /// Creates a file, or opens the one that exists.
  private static func descriptor(
    of path: String,
    _ mode: UInt32?,
    _ appends: Bool,
    _ isNew: inout Bool
  ) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      return try FileDescriptor(creating: path, mode: mode, appending: appends)
    } catch {
      guard error.number == EEXIST else { throw error }
      isNew = false
      return try FileDescriptor(writingInto: path, mode: mode, appending: appends)
    }
  }

  /// The permissions of a new file: only those of its owner if an input is private; `nil` for the process's default.
  private func newMode(_ path: String) -> UInt32? {
    privacy.withLock { $0.hide(Self.place(of: path)) } ? Self.ownerOnly : nil
  }

  /// The mode of a file that only its owner may read.
  static let ownerOnly: UInt32 = 0o600

  /// Opens a file that is written next to another one; an existing one keeps its permissions, a new one has the mode.
  private func openBeside(
    _ path: String,
    mode: UInt32?,
    _ existing: FileStatus?
  ) throws(SystemError) -> OutputFile {
    let file = try Self.beside(path, mode: mode, existing)
    add(path, existing, isInput: false)
    return file
  }

  private static func beside(
    _ path: String,
    mode: UInt32?,
    _ existing: FileStatus?
  ) throws(SystemError) -> OutputFile {
    // A symbolic link is kept: its target is replaced.
    let target = Self.place(of: path)
    // It gets the permissions of the file that it replaces when it is complete.
    let file = try FileDescriptor.creating(
      beside: target,
      mode: existing == nil ? mode : Self.ownerOnly
    )
    let isCopied = existing.map { !$0.isReplaceable && !$0.isForeign } ?? false
    return OutputFile(
      path,
      file,
      isCopied ? .copy(to: target) : .rename(to: target, replaces: existing != nil)
    )
  }

  /// Removes an output whose file was renamed, so that its old name can be used again.
  package func release(_ path: String) {
    known.withLock { known in known.removeAll { !$0.isInput && $0.path == path } }
  }

  /// Writes a whole file, so that a reader never gets half of it.
  ///
  /// - Parameters:
  ///   - bytes: The file's content.
  ///   - path: The file.
  ///   - isEdit: Whether the bytes are the file's own content with a change. Such a file may exist, and the run may
  ///     have read it.
  /// - Throws: ``OutputRefusal`` if the file must stay as it is, ``SystemError`` if it cannot be written.
  package func write(_ bytes: [UInt8], to path: String, editing isEdit: Bool = false) throws {
    if isEdit { try Self.checkOwner(of: path) } else { try check(path) }
    let old = FileStatus(path)
    let isPlain = Self.descriptor(named: path) == nil && old?.isRegular ?? true
    guard isPlain else {
      let file = try isEdit ? OutputFile(path, Self.inPlace(path)) : open(path)
      try file.write(bytes)
      return try file.commit()
    }
    let file = try Self.beside(path, mode: newMode(path), old)
    try file.write(bytes)
    try file.commit()
    if !isEdit { add(path, FileStatus(path), isInput: false) }
  }

  /// Changes a file that several programs change, such as a configuration; one that does not exist is empty.
  ///
  /// Programs that change files of one folder wait for each other, so that they do not overwrite another's
  /// change.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - change: Returns the new content.
  /// - Throws: What `change` throws, and ``SystemError`` if the file cannot be read or written.
  package func edit(_ path: String, _ change: ([UInt8]) throws -> [UInt8]) throws {
    do {
      try Self.checkLinks(on: path)
    } catch {
      try Self.checkOwner(of: path)
      throw error
    }
    try FileLock.withLock(ofFolder: Self.folder(of: path)) {
      let exists = FileStatus(path) != nil
      let old = exists ? try WholeFile.read(path, mayWait: false) : []
      let new = try change(old)
      if !exists || new != old { try write(new, to: path, editing: true) }
    }
  }

  /// Throws if a file that is to be changed, or the link that has its name, belongs to another account, also to root.
  static func checkOwner(of path: String) throws(OutputRefusal) {
    for status in [FileStatus(withoutFollowing: path), FileStatus(path)].compactMap(\.self)
    where !status.isDevice && status.owner != geteuid() {
      throw .isOfAnother(path: path, owner: status.owner)
    }
    try checkLinks(on: path)
  }

  /// The folder in which a file, or the target of a link, lies.
  static func folder(of path: String) -> String {
    let place = place(of: path)
    let folder = place.prefix(upTo: place.lastIndex(of: "/") ?? place.startIndex)
    return folder.isEmpty ? "/" : String(folder)
  }

  /// Opens a stream, or anything but a regular file, for writing in place.
  private static func inPlace(_ path: String) throws(SystemError) -> FileDescriptor {
    let file = try FileDescriptor(writingInto: path, appending: false)
    if file.status?.isRegular ?? false { try file.empty() }
    return file
  }

  /// Whether a path stands for a stream of this process, such as `/dev/stdout`.
  package static func isStream(_ path: String) -> Bool { descriptor(named: path) != nil }

  /// The descriptor of this process that a path stands for; `nil` for any other path.
  private static func descriptor(named path: String) -> Int32? {
    switch path {
    case "/dev/stdin": return STDIN_FILENO
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default: break
    }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      return Int32(path.dropFirst(folder.count))
    }
    return nil
  }
}
