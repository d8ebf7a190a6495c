// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconFormats

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A file of a store: a JSON object with a version, always replaced as a whole.
struct StoreFile {
  /// The version of the files written; a file of a later version is neither read nor replaced.
  static let version = 1

  /// The key of the version; a reader has checked it before.
  static func version(_ form: inout Form) { form.constant("version", .integer(version)) }

  /// The bytes of a file, indented so that people can read it; of the content that is replaced, the keys that this
  /// version does not know are kept.
  static func bytes(of content: some FormedObject, keeping old: JSON5Value? = nil) -> [UInt8] {
    bytes(of: content.written(FormContext(keeping: old)))
  }

  static func bytes(of value: FormValue) -> [UInt8] {
    var writer = JSONLineWriter()
    writer.value(value)
    return writer.indentedBytes + [UInt8(ascii: "\n")]
  }

  /// The findings in the file's place.
  enum Content<Value> {
    case absent
    case value(Value)
    case damaged(String)
    case newer(Int)
    case unreadable(SystemError)
  }

  let path: String
  let files: DurableFile

  /// Reads the file.
  func read() -> Content<JSON5Value> {
    // Reading a pipe or a terminal could wait forever.
    if let status = FileStatus(path), !status.isRegular { return .damaged("it is no regular file") }
    let bytes: [UInt8]
    do {
      bytes = try WholeFile.read(path, mayWait: false)
    } catch {
      if error.isTooLarge { return .damaged("it is larger than \(WholeFile.limit >> 20) MiB") }
      // Without a descriptor the system does not look whether the file exists.
      let isMissing = error.isNoSuchFile || error.isShortage && FileStatus.isMissing(path)
      return isMissing && Self.isAbsent(path) ? .absent : .unreadable(error)
    }
    guard let value = try? JSON5.parse(bytes) else { return .damaged("it is no JSON") }
    guard case .number(let number) = value["version"]?.content, let version = number.integer else {
      return .damaged("'version' is missing")
    }
    if version > Int64(Self.version) { return .newer(Int(version)) }
    guard version == Int64(Self.version) else {
      return .damaged("version \(version); this program reads \(Self.version)")
    }
    return .value(value)
  }

  /// Reads the file as a value of a form.
  func read<Value: FormedObject>(_ type: Value.Type, named name: String) -> Content<Value> {
    Self.decode(read(), type, named: name)
  }

  private static func decode<Value: FormedObject>(
    _ content: Content<JSON5Value>,
    _ type: Value.Type,
    named name: String
  ) -> Content<Value> {
    switch content {
    case .absent: return .absent
    case .damaged(let reason): return .damaged(reason)
    case .newer(let version): return .newer(version)
    case .unreadable(let error): return .unreadable(error)
    case .value(let value):
      do throws(JSON5Faults) {
        return .value(try Value.read(value, named: name))
      } catch {
        return .damaged(error.faults.first?.message ?? "\(error)")
      }
    }
  }

  /// Reads the file before a change; a damaged one is set aside.
  ///
  /// - Returns: The content of a file that stays, and its value, which is blank for an absent one.
  func readForChange<Value: FormedObject>(
    named name: String,
    damaged: Value = .blank,
    notes: inout [ClientDiagnostic]
  ) throws -> (old: JSON5Value?, value: Value) {
    let content = read()
    switch Self.decode(content, Value.self, named: name) {
    case .absent: return (nil, .blank)
    case .value(let value):
      guard case .value(let old) = content else { return (nil, value) }
      return (old, value)
    case .damaged(let reason):
      notes.append(try setAside(reason))
      return (nil, damaged)
    case .newer(let version): throw StoreError.newerVersion(path: path, version: version)
    case .unreadable(let error): throw error
    }
  }

  /// Whether nothing has a name or that of one of its folders, not even a link that leads nowhere or a file.
  static func isAbsent(_ path: String) -> Bool {
    var level = path[...]
    while FileStatus(withoutFollowing: String(level)) == nil {
      guard let slash = level.lastIndex(of: "/"), slash > level.startIndex else { return true }
      level = level[..<slash]
    }
    return FileStatus(String(level))?.isFolder == true
  }

  /// Whether a folder has the file's name.
  var isFolder: Bool { FileStatus(withoutFollowing: path)?.isFolder == true }

  /// Renames the damaged file, or whatever else has its name, to a name that is free, so that nothing is lost.
  func setAside(_ reason: String) throws(SystemError) -> ClientDiagnostic {
    let isFolder = isFolder
    for number in 1...999 {
      let aside = "\(path).damaged-\(number)"
      // Both fail if the name is in use, so nothing is overwritten. A folder has no second name, but replaces an empty one.
      do throws(SystemError) {
        try SystemError.check(.make, aside) {
          isFolder ? unsafe mkdir(aside, 0o700) : unsafe link(path, aside)
        }
      } catch {
        if error.number == EEXIST { continue }
        throw error
      }
      if isFolder { try FileDescriptor.rename(path, to: aside) } else { try files.remove(path) }
      return .stateSetAside(path: aside, reason: reason)
    }
    throw SystemError(EEXIST, .rename, path)
  }
}

/// The reasons why a store does not change a file.
package enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A later version of the program wrote the file.
  case newerVersion(path: String, version: Int)
  /// Another account could change the files.
  case distrusted(String)
  /// The name is too long for a path.
  case nameTooLong
  /// Another process has held the lock all the time.
  case locked(path: String, holder: String)
  /// Other programs change the file all the time.
  case contested(path: String)
  /// The program is about to end.
  case closed
  /// A program runs as the client.
  case inUse(client: String, holder: String)

  package var description: String {
    switch self {
    case .newerVersion(let path, let version):
      "\(path) is of version \(version) and was written by a newer program; this one leaves it as it is"
    case .distrusted(let reason): reason
    case .nameTooLong: "the client's name is too long"
    case .locked(let path, let holder): "\(holder) holds \(path); try again when it has ended"
    case .contested(let path): "other programs change \(path) at the same time; try again"
    case .closed: "the program is about to end"
    case .inUse(let client, let holder):
      "\(holder) runs as \(client); nothing was removed, try again when it has ended"
    }
  }
}
