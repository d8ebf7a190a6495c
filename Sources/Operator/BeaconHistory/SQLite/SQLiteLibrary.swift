// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CSQLite
package import SystemKit

/// The C library, loaded when the first history is opened and kept loaded from then on.
@safe
struct SQLiteLibrary: @unchecked Sendable {
  // Addresses of functions, which never change.
  let functions: csql_functions

  private static let loaded: SQLiteLibrary? = {
    var functions = csql_functions()
    guard unsafe csql_load(&functions) else { return nil }
    return SQLiteLibrary(functions: functions)
  }()

  /// Returns the library.
  ///
  /// - Throws: ``HistoryError/noLibrary`` if this machine does not have it.
  static func load() throws(HistoryError) -> SQLiteLibrary {
    guard let loaded else { throw .noLibrary }
    return loaded
  }
}

/// A fault of a history.
package enum HistoryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// This machine does not have the SQLite library.
  case noLibrary
  /// A file is not a history or is damaged.
  case damaged(path: String, String)
  /// A file is of a later version of the program.
  case newer(path: String, version: Int)
  /// A file has a format of SQLite that this program does not know.
  case unknownFormat(path: String)
  /// The disk or the folder's quota is full.
  case full(path: String)
  /// The folder cannot be used.
  case folder(path: String, String)
  /// This account may not use the file or folder.
  case notPermitted(path: String)
  /// Another process writes the history.
  case inUse(path: String, holder: String)
  /// A file of the folder is not the history's.
  case notOwn(OutputRefusal)
  /// Another call failed.
  case failed(path: String, String)

  package var description: String {
    switch self {
    case .noLibrary: "libsqlite3.so.0 is missing (Debian: libsqlite3-0)"
    case .damaged(let path, let reason):
      "\(path) is damaged: \(reason); to use the rest, move it out of the folder"
    case .newer(let path, let version):
      "\(path) is of a later version of beaconctl (history version \(version)) and is left as it is;"
        + " use that version, or move the file out of the folder"
    case .unknownFormat(let path):
      "\(path) has a later format of SQLite and is left as it is;"
        + " use the program that wrote it, or move the file out of the folder"
    case .full(let path): "cannot write \(path): the disk is full"
    case .folder(let path, let reason):
      "cannot use the folder \(path): \(reason); name the folder of a history"
    case .notPermitted(let path):
      "cannot use \(path): permission denied; use the account that writes the history,"
        + " or name another folder with --history"
    case .inUse(let path, let holder):
      "\(holder) writes the history in \(path); end it first, or name another folder with --history"
    case .notOwn(let refusal): refusal.description
    case .failed(let path, let reason): "cannot use \(path): \(reason)"
    }
  }
}
