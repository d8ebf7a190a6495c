// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import FoundationEssentials
internal import Glibc

/// The one place where what must outlive a program is kept: a folder a client, and the account's location services.
///
/// ```
/// clients/NAME/grants.json   what a user decided
/// clients/NAME/state.json    regions, arrival intervals, a monitor's records, what is held back
/// machine.json               whether location services of this account are on
/// ```
///
/// Programs of one account share it. A file is replaced whole, under a lock on a file of its own that is never renamed
/// or removed. A damaged file is set aside under another name; one that a newer program wrote is left as it is.
public struct ClientStore: Sendable, Hashable {
  /// The store's folder; it is made when something is first kept.
  public let directory: String
  /// Whether it is the account's own store, which only live runs write.
  package let isStandard: Bool
  /// The switch of the whole machine, which root writes and all read.
  package let machineWidePath: String
  package let files: DurableFile

  package static let machineWidePath = "/var/lib/beacons/machine.json"

  /// Creates a store.
  ///
  /// - Parameter directory: Where; `nil` is the account's own store, `$XDG_STATE_HOME/beacons` or
  ///   `~/.local/state/beacons`, which a replay never writes.
  public init(directory: String? = nil) {
    self.init(
      directory: directory
        ?? Self.standardDirectory(in: ProcessInfo.processInfo.environment),
      isStandard: directory == nil
    )
  }

  /// Creates the account's own store, as an environment has it.
  package init(environment: [String: String]) {
    self.init(directory: Self.standardDirectory(in: environment), isStandard: true)
  }

  package init(
    directory: String,
    isStandard: Bool,
    machineWide machineWidePath: String = Self.machineWidePath,
    files: DurableFile = DurableFile()
  ) {
    self.directory = directory
    self.isStandard = isStandard
    self.machineWidePath = machineWidePath
    self.files = files
  }

  private static func standardDirectory(in environment: [String: String]) -> String {
    if let home = environment["XDG_STATE_HOME"], home.hasPrefix("/") { return home + "/beacons" }
    let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
    return home + "/.local/state/beacons"
  }

  /// Whether two are the same store.
  public static func == (one: ClientStore, other: ClientStore) -> Bool {
    one.directory == other.directory && one.isStandard == other.isStandard
      && one.machineWidePath == other.machineWidePath
  }

  /// Hashes the folder.
  public func hash(into hasher: inout Hasher) { hasher.combine(directory) }

  // MARK: Places

  /// The operator's name, under which no client has grants.
  package static let operatorName = "operator"

  /// The folder of a client.
  ///
  /// What is not a letter, a digit, `-` or `_` is written as `%` and two digits, so that a name is never a path. A name
  /// that is longer than a file's may be goes on in a folder inside.
  public func folder(of name: String) -> String {
    var rest = Self.escaped(name)[...]
    var folder = "\(directory)/clients"
    while rest.utf8.count > Self.longestPart {
      folder += "/\(rest.prefix(Self.longestPart))\(Self.continuation)"
      rest = rest.dropFirst(Self.longestPart)
    }
    return "\(folder)/\(rest)"
  }

  /// The file of what a user granted a client.
  public func grantsPath(of name: String) -> String { folder(of: name) + "/grants.json" }
  /// The file of a client's regions and records.
  public func statePath(of name: String) -> String { folder(of: name) + "/state.json" }
  /// The file that switches location services of the account.
  public var machinePath: String { directory + "/machine.json" }

  func grantsFile(of name: String) -> StoreFile {
    StoreFile(path: grantsPath(of: name), files: files)
  }

  func stateFile(of name: String) -> StoreFile {
    StoreFile(path: statePath(of: name), files: files)
  }

  /// Linux allows 255 bytes; some encrypting file systems only 143.
  private static let longestPart = 140
  private static let continuation: Character = "+"
  /// Leaves room for the store's own folder and the files' names below Linux's 4,096.
  private static let longestName = 1_000

  /// The names that have a folder, in order.
  var clientFolders: [String] {
    names(in: "\(directory)/clients", after: "").sorted()
  }

  private func names(in folder: String, after start: String) -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return entries.flatMap { entry in
      if entry.last == Self.continuation {
        return names(in: "\(folder)/\(entry)", after: start + entry.dropLast())
      }
      return Self.unescaped(start + entry).map { [$0] } ?? []
    }
  }

  // MARK: Locks

  /// Does something while no other process changes what is kept of a client.
  func withLock<Result>(of name: String, _ body: () throws -> Result) throws -> Result {
    guard name.utf8.count <= Self.longestName else { throw StoreError.nameTooLong }
    return try withLock(folder(of: name), "lock", body)
  }

  /// Does something while no other process changes the account's switch.
  func withMachineLock<Result>(_ body: () throws -> Result) throws -> Result {
    try withLock(directory, "machine.lock", body)
  }

  private func withLock<Result>(
    _ folder: String,
    _ file: String,
    _ body: () throws -> Result
  ) throws -> Result {
    Self.makeFolder(folder)
    let path = "\(folder)/\(file)"
    for _ in 0..<Self.tries {
      if let lock = FileLock(path) { return try withExtendedLifetime(lock, body) }
      usleep(Self.patience)
    }
    throw SystemError(EWOULDBLOCK, .lock, path)
  }

  /// Says that this process runs as a client, for as long as the value is kept; `nil` while another does.
  func lease(of name: String) -> FileLock? {
    let folder = folder(of: name)
    Self.makeFolder(folder)
    return FileLock(folder + "/lease")
  }

  /// Ten seconds in steps of 10 ms: a change waits for the disk three times, which on a busy memory card takes a second.
  private static let tries = 1_000
  private static let patience: UInt32 = 10_000

  /// Makes a folder, where it can be made.
  private static func makeFolder(_ path: String) {
    try? FileManager.default.createDirectory(
      atPath: path,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
  }

  // MARK: Names

  /// Returns the name that was escaped to a text; `nil` for a text that no name is escaped to.
  static func unescaped(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let number = UInt8(String(Substring(rest.prefix(2))), radix: 16) else {
        return text == "%" ? "" : nil
      }
      bytes.append(number)
      rest = rest.dropFirst(2)
    }
    // What is not written as this store writes it is none of its names.
    return String(validating: bytes, as: UTF8.self).flatMap { escaped($0) == text ? $0 : nil }
  }

  static func escaped(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F:
        text.append(Character(Unicode.Scalar(byte)))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return text.isEmpty ? "%" : text
  }
}
