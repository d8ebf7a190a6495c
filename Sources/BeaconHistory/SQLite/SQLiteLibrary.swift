// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CSQLite

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
  /// - Throws: ``HistoryError/noLibrary`` where this machine does not have it.
  static func load() throws(HistoryError) -> SQLiteLibrary {
    guard let loaded else { throw .noLibrary }
    return loaded
  }
}

/// A fault of a history.
package enum HistoryError: Error, Sendable, Equatable, CustomStringConvertible {
  /// This machine does not have the SQLite library.
  case noLibrary
  /// A file is no history or is damaged.
  case damaged(path: String, String)
  /// A file is of a later version of the program.
  case newer(path: String, version: Int)
  /// The disk or the folder's quota is full.
  case full(path: String)
  /// The folder cannot be used.
  case folder(path: String, String)
  /// Another process writes the history.
  case inUse(path: String, holder: String)
  /// Another call failed.
  case failed(path: String, String)

  package var description: String {
    switch self {
    case .noLibrary: "libsqlite3.so.0 is missing (Debian: libsqlite3-0)"
    case .damaged(let path, let reason): "\(path) is damaged: \(reason)"
    case .newer(let path, let version):
      "\(path) is of a later version of beaconctl (history version \(version)); it is neither read nor written"
    case .full(let path): "cannot write \(path): the disk is full"
    case .folder(let path, let reason): "cannot use the folder \(path): \(reason)"
    case .inUse(let path, let holder): "\(holder) writes the history in \(path)"
    case .failed(let path, let reason): "cannot use \(path): \(reason)"
    }
  }
}
