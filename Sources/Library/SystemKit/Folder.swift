// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Lists, makes and removes folders.
package enum Folder {
  /// Returns the names in a folder, in no order, without `.` and `..`.
  ///
  /// - Throws: ``SystemError`` when the folder cannot be read.
  package static func names(in path: String) throws(SystemError) -> [String] {
    guard let folder = unsafe opendir(path) else { throw SystemError(errno, .open, path) }
    defer { _ = unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// The account's home folder: `HOME` if that is a path from the root, else the one in the system's list of accounts; `nil` if
  /// neither is one.
  ///
  /// A relative path would be another folder for each place in which a program starts.
  ///
  /// - Parameter variable: The value of `HOME`; `nil` if it is not set.
  /// - Returns: The folder, or `nil`.
  package static func home(_ variable: String?) -> String? {
    if let variable, variable.hasPrefix("/") { return variable }
    guard let entry = unsafe getpwuid(geteuid()), let home = unsafe entry.pointee.pw_dir else {
      return nil
    }
    let text = unsafe String(cString: home)
    return text.hasPrefix("/") ? text : nil
  }

  /// Makes a folder and those above it, as far as they do not exist.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - mode: The permissions of new folders, whatever the process's mask is.
  /// - Throws: ``SystemError`` when a folder cannot be made, also if a link of another account leads to its place.
  package static func make(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
    if let link = ForeignLink(on: path) { throw SystemError(EACCES, .make, link.path) }
    let path = path.hasSuffix("/") ? path : path + "/"
    for index in path.indices.dropFirst() where path[index] == "/" {
      let folder = String(path[..<index])
      guard FileStatus(folder) == nil else { continue }
      do throws(SystemError) {
        try SystemError.check(.make, folder) { unsafe mkdir(folder, mode_t(mode)) }
      } catch {
        // Another process made it by now.
        if error.number == EEXIST { continue }
        throw error
      }
      try SystemError.check(.set, folder) { unsafe chmod(folder, mode_t(mode)) }
    }
  }

  /// Why another account could change what lies below a folder, at a link that leads to it, at the folder itself, at a file
  /// or at a level between them; `nil` if none could, or if nothing is there.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - path: The path of the file, which begins with that of the folder; `nil` for the folder only.
  /// - Returns: The reason, with the path of the level.
  package static func distrust(
    _ folder: String,
    upTo path: String? = nil
  ) -> String? {
    let rest = path?.dropFirst(folder.utf8.count).split(separator: "/") ?? []
    if let link = ForeignLink(on: path ?? folder) { return link.reason }
    var level = folder
    for name in [""] + rest {
      level += name.isEmpty ? "" : "/" + name
      guard let status = FileStatus(level) else { return nil }
      if let reason = status.distrust { return "\(level) \(reason)" }
    }
    return nil
  }

  /// Makes a new folder that only this account can read.
  ///
  /// - Parameters:
  ///   - name: The beginning of its name.
  ///   - place: The folder in which it is made; `nil` for `/tmp`.
  /// - Returns: Its path.
  /// - Throws: ``SystemError`` when it cannot be made.
  package static func makeTemporary(
    named name: String,
    in place: String?
  ) throws(SystemError) -> String {
    let path = "\(place ?? "/tmp")/\(name).XXXXXX"
    var bytes = Array(path.utf8CString)
    guard unsafe mkdtemp(&bytes) != nil else { throw SystemError(errno, .make, path) }
    return String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes an empty folder.
  ///
  /// - Throws: ``SystemError`` when it is not empty or cannot be removed.
  package static func remove(_ path: String) throws(SystemError) {
    try SystemError.check(.remove, path) { unsafe rmdir(path) }
  }
}
