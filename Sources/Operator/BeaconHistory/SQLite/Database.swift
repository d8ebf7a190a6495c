// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import CSQLite
internal import Glibc
internal import Synchronization
internal import SystemKit

/// A connection to one database file; only one thread at a time uses it.
@safe
final class Database {
  /// How a file is opened.
  enum Access {
    /// Reads and writes; the file is made if it does not exist.
    case writing
    /// Only reads.
    case reading
    /// Reads a file without a writer, in a folder that may not be writable.
    case readingStill
    /// Makes an empty database that is not a file.
    case memory
  }

  let path: String
  private let access: Access
  private let library: SQLiteLibrary
  private let connection: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// How often a call looks whether another process still writes, in milliseconds.
  private static let look: Int32 = 20
  /// How often at most: longer than a slow card takes for a transaction.
  private static let looks: Int32 = 250
  /// How often all calls together once the program was asked to stop, since it ends within a second.
  private static let lastLooks: Int32 = 20
  private static let looksAtEnd = Atomic<Int32>(0)
  /// After how many of SQLite's instructions a statement that reads looks whether the program was asked to stop.
  private static let progressInterval: Int32 = 10_000
  /// The longest text or row that is read: a thousand times the program's longest.
  private static let longestValue: Int32 = 1 << 20

  /// - Parameters:
  ///   - path: The file.
  ///   - access: How it is opened.
  ///   - other: The copy that is opened in its place.
  /// - Throws: ``HistoryError``.
  init(_ path: String, _ access: Access, openedAs other: String? = nil) throws(HistoryError) {
    self.path = path
    self.access = access
    library = try SQLiteLibrary.load()
    let path = other ?? path
    if access != .memory { try Self.checkHeader(path, access) }
    let flags =
      switch access {
      case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
      case .reading: SQLITE_OPEN_READONLY
      case .readingStill: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    let name = access == .readingStill ? Self.uri(path) : path
    if access == .writing { Self.makeForOwner(path) }
    var opened: OpaquePointer?
    let code = unsafe library.functions.open_v2(
      name,
      &opened,
      flags | SQLITE_OPEN_NOMUTEX,
      nil
    )
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let error = unsafe Self.error(code, path, library, opened)
      if let opened = unsafe opened { _ = unsafe library.functions.close_v2(opened) }
      throw error
    }
    unsafe connection = opened
    unsafe _ = library.functions.busy_handler(
      connection,
      { _, looked in Database.waits(looked) ? 1 : 0 },
      nil
    )
    unsafe _ = library.functions.limit(connection, SQLITE_LIMIT_LENGTH, Self.longestValue)
    // A file from outside may have views and functions in its schema: none of them is trusted.
    if access == .reading || access == .readingStill {
      // A result can be large, and is not complete without the end of the statement.
      unsafe library.functions.progress_handler(
        connection,
        Self.progressInterval,
        { _ in Interruption.cause == nil ? 0 : 1 },
        nil
      )
    }
    for (option, value) in [(SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)] {
      var functions = library.functions
      _ = unsafe csql_configure(&functions, connection, Int32(option), Int32(value))
    }
  }

  /// Waits a moment for another process that writes; returns whether to try again.
  private static func waits(_ looked: Int32) -> Bool {
    if Interruption.cause == nil {
      looksAtEnd.store(0, ordering: .relaxed)
      guard looked < looks else { return false }
    } else {
      guard looksAtEnd.add(1, ordering: .relaxed).newValue <= lastLooks else { return false }
    }
    _ = poll(nil, 0, look)
    return true
  }

  deinit {
    statements.removeAll()
    unsafe _ = library.functions.close_v2(connection)
  }

  /// Makes the file only for its owner, whatever the folder allows; SQLite gives its other files the same rights.
  private static func makeForOwner(_ path: String) {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    // SQLite reports the cause when it opens the file.
    if file >= 0 { _ = close(file) }
  }

  /// Looks at a file before SQLite does, which takes a later SQLite format for damage or for an error.
  ///
  /// - Throws: ``HistoryError`` for a file that is not a database, and for a format that the program does not know.
  private static func checkHeader(_ path: String, _ access: Access) throws(HistoryError) {
    if access == .writing {
      for ending in endings {
        guard let status = FileStatus(path + ending), status.isForeign else { continue }
        throw .failed(path: path + ending, "it belongs to another account (\(status.owner))")
      }
    }
    try checkCompanions(of: path)
    guard let status = FileStatus(path) else { return }
    guard status.isRegular else {
      let reason = "it is not a file"
      throw access == .writing ? .failed(path: path, reason) : .damaged(path: path, reason)
    }
    // With a journal the file changes when SQLite opens it.
    guard status.size > 0, FileStatus(path + "-journal") == nil else { return }
    let head: [UInt8]
    do throws(SystemError) {
      head = try FileDescriptor(reading: path).read(upTo: headerSize, at: 0)
    } catch {
      if error.isNotPermitted { throw .notPermitted(path: path) }
      throw .failed(path: path, "\(error)")
    }
    guard head.count == headerSize, head.starts(with: "SQLite format 3\0".utf8) else {
      throw .damaged(path: path, "it is not a database of SQLite")
    }
    // The versions for writers and readers, and the number of the schema's format, four bytes long.
    let isKnown = head[18] <= 2 && head[19] <= 2 && head[44...46].allSatisfy { $0 == 0 }
    guard isKnown, head[47] <= 4 else { throw .unknownFormat(path: path) }
  }

  /// A database's file, and those that SQLite keeps next to it.
  private static let endings = ["", "-journal", "-wal", "-shm"]

  /// Whether another account owns a part of a database.
  static func isForeign(_ path: String) -> Bool {
    endings.contains { FileStatus(path + $0)?.isForeign ?? false }
  }

  /// Checks that the files next to a database, which SQLite writes, cuts and removes, are a database's: an input can have another
  /// name there.
  ///
  /// A journal can name a further file, which SQLite then removes: ours never does.
  private static func checkCompanions(of path: String) throws(HistoryError) {
    for ending in endings.dropFirst() {
      guard let status = FileStatus(withoutFollowing: path + ending) else { continue }
      var isOwn = status.isReplaceable
      if isOwn, let file = try? FileDescriptor(reading: path + ending),
        let head = try? file.read(upTo: 8, at: 0),
        let tail = try? file.read(upTo: 8, at: max(0, status.size - 8))
      {
        isOwn =
          switch ending {
          case "-journal":
            head.allSatisfy { $0 == 0 }
              || head == journalMark && (tail != journalMark || status.size == 8)
          case "-wal":
            head.isEmpty || head.starts(with: [0x37, 0x7F, 0x06]) || head.allSatisfy { $0 == 0 }
          // SQLite rebuilds an index that a power cut left in part.
          default: head.starts(with: indexMark) || status.size % indexPart == 0
          }
      }
      if !isOwn { throw .notOwn(.isNotOwn(path: path + ending)) }
    }
  }

  /// How an index of the log begins: its version, and four zeros.
  private static let indexMark: [UInt8] = [0x18, 0xE2, 0x2D, 0x00, 0, 0, 0, 0]
  private static let indexPart = 32_768
  /// How a journal of SQLite begins; an unused journal begins with a zero.
  private static let journalMark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// How many bytes at its beginning identify a file.
  private static let headerSize = 100

  private static func uri(_ path: String) -> String {
    var text = "file:"
    for byte in path.utf8 {
      if byte > 0x20, byte < 0x7F, !"%?#".utf8.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16)
        text += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return text + "?immutable=1"
  }

  // MARK: Statements

  /// Runs statements without values.
  func execute(_ text: String) throws(HistoryError) {
    try check(unsafe library.functions.exec(connection, text, nil, nil, nil))
  }

  /// Runs a statement with values, to its end.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  func run(_ text: String, _ values: [SQLiteValue] = []) throws(HistoryError) -> Int {
    try read(text, values) { _ in true }
    return Int(unsafe library.functions.changes(connection))
  }

  /// Runs a statement with values, and gives each row until the reader wants no more.
  func read(
    _ text: String,
    _ values: [SQLiteValue] = [],
    _ row: (SQLiteRow) -> Bool
  ) throws(HistoryError) {
    let statement = try prepare(text)
    defer { statement.reset() }
    for (index, value) in values.enumerated() {
      try check(statement.bind(value, at: Int32(index + 1)))
    }
    while true {
      let code = statement.step()
      guard code == SQLITE_ROW else {
        guard code == SQLITE_DONE else { throw stepError(code) }
        return
      }
      if !row(SQLiteRow(statement)) { return }
    }
  }

  /// Returns the first value of a statement's first row as a whole number.
  func integer(_ text: String, _ values: [SQLiteValue] = []) throws(HistoryError) -> Int64? {
    var found: Int64?
    try read(text, values) { row in
      found = row.integer(0)
      return false
    }
    return found
  }

  private func prepare(_ text: String) throws(HistoryError) -> Statement {
    if let known = statements[text] { return known }
    var prepared: OpaquePointer?
    let code = unsafe library.functions.prepare_v2(connection, text, -1, &prepared, nil)
    // The statements are the program's own: one with an error does not fit the tables of the file.
    if code & 0xFF == SQLITE_ERROR { throw .damaged(path: path, reason(code)) }
    try check(code)
    guard let prepared = unsafe prepared else {
      throw .failed(path: path, "an empty statement")
    }
    let statement = unsafe Statement(prepared, library)
    statements[text] = statement
    return statement
  }

  private func check(_ code: Int32) throws(HistoryError) {
    if code != SQLITE_OK { throw error(code) }
  }

  private func error(_ code: Int32) -> HistoryError {
    unsafe Self.error(code, path, library, connection)
  }

  /// The error of a statement that runs; an error of the file's rows or tables is damage.
  private func stepError(_ code: Int32) -> HistoryError {
    let isOfTheFile = [SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH].contains(code & 0xFF)
    // A row to be written may be too long as well.
    let isOfARow = access != .writing && code & 0xFF == SQLITE_TOOBIG
    return isOfTheFile || isOfARow ? .damaged(path: path, reason(code)) : error(code)
  }

  private func reason(_ code: Int32) -> String { unsafe Self.reason(code, library, connection) }

  private static func reason(
    _ code: Int32,
    _ library: SQLiteLibrary,
    _ connection: OpaquePointer?
  ) -> String {
    let text =
      unsafe (connection.map { unsafe library.functions.errmsg($0) }
      ?? library.functions.errstr(code))
    return unsafe text.map { unsafe String(cString: $0) } ?? "error \(code)"
  }

  private static func error(
    _ code: Int32,
    _ path: String,
    _ library: SQLiteLibrary,
    _ connection: OpaquePointer?
  ) -> HistoryError {
    let reason = unsafe reason(code, library, connection)
    return switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(path: path, reason)
    case SQLITE_FULL: .full(path: path)
    default: .failed(path: path, reason)
    }
  }
}

/// A value of a statement.
enum SQLiteValue {
  case integer(Int64)
  case text(String)
  case null

  init(_ number: Int?) { self = number.map { .integer(Int64($0)) } ?? .null }
}

/// A row of a result, valid until the next one.
struct SQLiteRow {
  private let statement: Statement

  fileprivate init(_ statement: Statement) { self.statement = statement }

  /// A column as a whole number; 0 for anything else.
  func integer(_ column: Int32) -> Int64 { statement.integer(column) }

  /// A column as a whole number of a size; `nil` for `NULL` and for a number beyond it.
  func optional(_ column: Int32) -> Int? {
    statement.isNull(column) ? nil : Int(exactly: statement.integer(column))
  }

  /// A column as text; invalid UTF-8 is repaired.
  func text(_ column: Int32) -> String { statement.text(column) }

  /// A column as text; `nil` for `NULL`.
  func optionalText(_ column: Int32) -> String? {
    statement.isNull(column) ? nil : statement.text(column)
  }
}

/// A prepared statement.
@safe
private final class Statement {
  private let statement: OpaquePointer
  private let library: SQLiteLibrary

  init(_ statement: OpaquePointer, _ library: SQLiteLibrary) {
    unsafe self.statement = statement
    self.library = library
  }

  deinit { unsafe _ = library.functions.finalize(statement) }

  func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .integer(let number):
      return unsafe library.functions.bind_int64(statement, index, number)
    case .null: return unsafe library.functions.bind_null(statement, index)
    case .text(let text):
      var functions = library.functions
      let count = Int32(clamping: text.utf8.count)
      return unsafe csql_bind_text(&functions, statement, index, text, count)
    }
  }

  func step() -> Int32 { unsafe library.functions.step(statement) }

  func reset() {
    unsafe _ = library.functions.reset(statement)
    unsafe _ = library.functions.clear_bindings(statement)
  }

  func isNull(_ column: Int32) -> Bool {
    unsafe library.functions.column_type(statement, column) == SQLITE_NULL
  }

  func integer(_ column: Int32) -> Int64 {
    unsafe library.functions.column_int64(statement, column)
  }

  func text(_ column: Int32) -> String {
    guard let bytes = unsafe library.functions.column_text(statement, column) else { return "" }
    let count = Int(unsafe library.functions.column_bytes(statement, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
