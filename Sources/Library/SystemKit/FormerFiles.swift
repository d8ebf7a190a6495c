// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension OutputFiles {
  /// Replaces a file that a user may want back: its former content stays next to it, as `NAME.1`, `NAME.2` and so on.
  ///
  /// Whenever the machine stops, the file is whole, and so is each former one.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: The new content.
  /// - Returns: The path of the former content; `nil` without one, or if the content is the same, so that nothing is written.
  /// - Throws: ``SystemError`` if a file cannot be read or written.
  package func replace(_ path: String, keepingFormerWith bytes: [UInt8]) throws -> String? {
    var former: String?
    try withFormer(of: path) { path in
      let old = try FileStatus(path) == nil ? [] : WholeFile.read(path, mayWait: false)
      if old == bytes { return }
      if !old.isEmpty { former = try keep(old, as: path) }
      try write(bytes, to: path, editing: true)
    }
    return former
  }

  /// Keeps content next to a file that stays as it is, as the one that ``exchangeFormer(of:if:)`` takes.
  ///
  /// - Parameters:
  ///   - bytes: The content.
  ///   - path: The file.
  /// - Returns: The path of the content.
  /// - Throws: ``SystemError`` if it cannot be written.
  package func keep(_ bytes: [UInt8], nextTo path: String) throws -> String {
    var kept = ""
    try withFormer(of: path) { kept = try keep(bytes, as: $0) }
    return kept
  }

  /// Gives a file its latest former content, and keeps the present one; a second call exchanges them again.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - check: Throws if the former content is not to be used.
  /// - Returns: The path of the content that the file had; `nil` if it has no former one.
  /// - Throws: What `check` throws, and ``SystemError`` if a file cannot be read or written.
  package func exchangeFormer(
    of path: String,
    if check: (_ former: String) throws -> Void
  ) throws -> String? {
    var kept: String?
    try withFormer(of: path) { path in
      let present = try WholeFile.read(path, mayWait: false)
      // A run that was killed may have kept the present content without replacing it.
      let other = try Self.formers(of: path).first { try WholeFile.read($0) != present }
      guard let former = other else { return }
      try check(former)
      kept = try keep(present, as: path)
      try FileDescriptor.rename(former, to: path)
      try FileDescriptor.synchronizeFolder(of: path)
    }
    return kept
  }

  /// Returns the latest former contents of a file that equal the present one, which ``exchangeFormer(of:if:)`` passes over.
  ///
  /// - Throws: ``SystemError`` if a file cannot be read.
  package func copies(of path: String) throws -> [String] {
    let isLink = FileStatus(withoutFollowing: path)?.isLink ?? false
    let path = isLink ? Self.place(of: path) : path
    let present = try WholeFile.read(path, mayWait: false)
    return try Array(Self.formers(of: path).prefix { try WholeFile.read($0) == present })
  }

  /// Whether a file has a former content.
  package func hasFormer(of path: String) -> Bool {
    (try? Self.formers(of: Self.place(of: path)))?.isEmpty == false
  }

  /// The former contents of a file, the latest first.
  private static func formers(of path: String) throws(SystemError) -> [String] {
    try numbers(of: path).reversed().map { "\(path).\($0)" }.filter(isOwn)
  }

  private func keep(_ bytes: [UInt8], as path: String) throws -> String {
    let taken = try Self.numbers(of: path)
    var number = (taken.last { Self.isOwn("\(path).\($0)") } ?? 0) + 1
    while taken.contains(number) { number += 1 }
    let former = "\(path).\(number)"
    let file = OutputFile(
      former,
      try FileDescriptor.creating(beside: former, mode: Self.ownerOnly),
      .rename(to: former, replaces: false)
    )
    try file.descriptor.copyAttributes(of: path)
    try file.write(bytes)
    try file.commit()
    return former
  }

  /// Performs a change while no other program changes files of the folder; the path that it gets is not a link.
  private func withFormer(of path: String, _ change: (String) throws -> Void) throws {
    try OutputFiles.checkOwner(of: path)
    let isLink = FileStatus(withoutFollowing: path)?.isLink ?? false
    try FileLock.withLock(ofFolder: Self.folder(of: path)) {
      try change(isLink ? Self.place(of: path) : path)
    }
  }

  /// Whether a path is a file of this account or of root, and not a link.
  private static func isOwn(_ path: String) -> Bool {
    FileStatus(withoutFollowing: path).map { $0.isRegular && !$0.isForeign } ?? false
  }

  /// Former contents have smaller numbers.
  private static let numberLimit = 1_000_000_000

  /// The numbers of the files next to a file that its former contents could have, in ascending order.
  private static func numbers(of path: String) throws(SystemError) -> [Int] {
    let name = path.split(separator: "/").last.map { "\($0)." } ?? ""
    return try Folder.names(in: folder(of: path)).filter { $0.hasPrefix(name) }
      .compactMap { file in
        let number = Int(file.dropFirst(name.count))
        return number.flatMap {
          (1..<numberLimit).contains($0) && "\(name)\($0)" == file ? $0 : nil
        }
      }
      .sorted()
  }
}
