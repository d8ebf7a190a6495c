// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconFormats
package import SystemKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Stores what must outlive a program: a folder for each client, and the switch of the account's location services.
///
/// ```
/// clients/NAME/grants.json   the user's decisions
/// clients/NAME/state.json    regions, arrival intervals, a monitor's records, held events
/// machine.json               whether location services of this account are on
/// sites.json                 offsets that the receivers of a site were found to have
/// ```
///
/// Programs of one account share it. A file is always replaced as a whole, under a lock on a separate file that is
/// never renamed or removed. A damaged file is set aside under another name; a file that a newer version of the program
/// wrote is left unchanged.
public struct ClientStore: Sendable, Hashable {
  /// The store's folder, created when something is first saved.
  public let directory: String
  /// Whether it is the account's own store, which only live runs write.
  package let isStandard: Bool
  /// The switch of the whole machine, which root writes and everyone reads.
  package let machineWidePath: String
  package let files: DurableFile
  /// The lease of all clients, if this process has it.
  private var leaseOfAll: FileLock?

  package static let machineWidePath = "/var/lib/beacons/machine.json"

  /// Creates a store.
  ///
  /// - Parameter directory: The store's folder; `nil` is the account's own store, `$XDG_STATE_HOME/beacons` or
  ///   `~/.local/state/beacons`, which a replay never writes.
  public init(directory: String? = nil) {
    self.init(
      directory: directory
        ?? Self.standardDirectory(
          home: Self.variable("HOME"),
          state: Self.variable("XDG_STATE_HOME")
        ),
      isStandard: directory == nil
    )
  }

  /// Creates the account's own store, in the folder that environment variables name.
  package init(environment: [String: String]) {
    self.init(
      directory: Self.standardDirectory(
        home: environment["HOME"],
        state: environment["XDG_STATE_HOME"]
      ),
      isStandard: true
    )
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

  private static func standardDirectory(home: String?, state: String?) -> String {
    if let state, state.hasPrefix("/") { return state + "/beacons" }
    return (Folder.home(home) ?? "/") + "/.local/state/beacons"
  }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Whether two values stand for the same store.
  public static func == (one: ClientStore, other: ClientStore) -> Bool {
    one.directory == other.directory && one.isStandard == other.isStandard
      && one.machineWidePath == other.machineWidePath
  }

  /// Hashes the folder.
  public func hash(into hasher: inout Hasher) { hasher.combine(directory) }

  // MARK: Paths

  /// The operator's name, under which no client has grants.
  package static let operatorName = "operator"

  /// The folder of a client.
  ///
  /// Every byte that is not a letter, a digit, `-` or `_` is written as `%` and two digits, so that a name can never be
  /// a path. A name too long for one folder name continues in a nested folder.
  public func folder(of name: String) -> String {
    var rest = Self.escaped(name)[...]
    var folder = "\(directory)/clients"
    while rest.utf8.count > Self.longestPart {
      folder += "/\(rest.prefix(Self.longestPart))\(Self.continuation)"
      rest = rest.dropFirst(Self.longestPart)
    }
    return "\(folder)/\(rest)"
  }

  /// The file of a client's grants.
  public func grantsPath(of name: String) -> String { folder(of: name) + "/grants.json" }
  /// The file of a client's regions and records.
  public func statePath(of name: String) -> String { folder(of: name) + "/state.json" }
  /// The file that switches location services of the account.
  public var machinePath: String { directory + "/machine.json" }

  /// Returns whether a run may write to the store: a replay or a simulation only to one that was named for it.
  ///
  /// Inputs are real that are received now, and not replayed or simulated.
  package func isKept(isReal: Bool) -> Bool { isReal || !isStandard }

  /// Whether a store has a file of this name in its folder.
  package static func keeps(_ name: String) -> Bool {
    name.hasPrefix("clients/") || name.hasPrefix("machine.") || name.hasPrefix("sites.")
      || name == leaseName
  }

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

  /// Returns the names that have a folder, in order.
  ///
  /// - Throws: `SystemError` if a folder cannot be read, so that the names are not known.
  func clientFolders() throws(SystemError) -> [String] {
    try names(in: "\(directory)/clients", after: "").sorted()
  }

  private func names(in folder: String, after start: String) throws(SystemError) -> [String] {
    let entries: [String]
    do throws(SystemError) {
      entries = try Folder.names(in: folder)
    } catch {
      guard error.isNoSuchFile, StoreFile.isAbsent(folder) else { throw error }
      return []
    }
    var found: [String] = []
    for entry in entries {
      if entry.last == Self.continuation {
        found += try names(in: "\(folder)/\(entry)", after: start + entry.dropLast())
      } else if let name = Self.unescaped(start + entry) {
        found.append(name)
      }
    }
    return found
  }

  // MARK: Trust

  /// Why a file of the store cannot be believed, since another account could have written it or a folder above it, up to
  /// the store's own; `nil` if it can.
  package func distrust(of path: String) -> String? { Folder.distrust(directory, upTo: path) }

  /// The same for a file with a switch of location services.
  func distrust(ofSwitch scope: ServicesScope) -> String? {
    switch scope {
    case .account: distrust(of: machinePath)
    case .machine: Folder.distrust(machineWideFolder, upTo: machineWidePath)
    }
  }

  /// The folder of the machine's switch.
  private var machineWideFolder: String {
    String(machineWidePath[..<(machineWidePath.lastIndex(of: "/") ?? machineWidePath.startIndex)])
  }

  /// Reads a file before a change; one that is damaged, or that another account could have written, is set aside.
  ///
  /// - Returns: The content of a file that stays, and its value, which is blank for an absent one.
  func readForChange<Value: FormedObject>(
    _ file: StoreFile,
    named name: String,
    damaged: Value = .blank,
    notes: inout [ClientDiagnostic]
  ) throws -> (old: JSON5Value?, value: Value) {
    guard let reason = distrust(of: file.path) else {
      return try file.readForChange(named: name, damaged: damaged, notes: &notes)
    }
    // If the system gives another account's file no second name, it is replaced.
    if let note = try? file.setAside(reason) { notes.append(note) }
    return (nil, damaged)
  }

  // MARK: Locks

  /// Calls a closure while no other process can change a client's files.
  func withLock<Result>(of name: String, _ body: () throws -> Result) throws -> Result {
    guard name.utf8.count <= Self.longestName else { throw StoreError.nameTooLong }
    return try withLock(folder(of: name), "lock", body)
  }

  /// Calls a closure while no other process can change a switch of location services.
  func withSwitchLock<Result>(of scope: ServicesScope, _ body: () throws -> Result) throws -> Result
  {
    switch scope {
    case .account: return try withLock(directory, "machine.lock", body)
    case .machine:
      if let reason = Folder.distrust(machineWideFolder) { throw StoreError.distrusted(reason) }
      return try withLock(machineWideFolder, "machine.lock", mode: 0o755, body)
    }
  }

  func withLock<Result>(
    _ folder: String,
    _ file: String,
    mode: UInt32 = 0o700,
    _ body: () throws -> Result
  ) throws -> Result {
    let path = "\(folder)/\(file)"
    // Nothing is made, either, where another account could change it.
    if "\(folder)/".hasPrefix("\(directory)/"), let reason = distrust(of: folder) {
      throw StoreError.distrusted(reason)
    }
    for _ in 0..<Self.tries {
      // Each time: the client may have been forgotten, with its folder.
      try Folder.make(folder, mode: mode)
      if let lock = try FileLock(path) { return try withExtendedLifetime(lock, body) }
      usleep(Self.patience)
    }
    throw StoreError.locked(path: path, holder: FileLock.holder(of: path))
  }

  /// Returns a lease to run as a client, valid for as long as the value is kept; `nil` while another process has it.
  ///
  /// In a store that is not believed there is nothing to protect, so nothing is made there.
  func lease(of name: String) throws(OutputRefusal) -> FileLock? {
    let folder = folder(of: name)
    guard distrust(of: folder) == nil else { return FileLock() }
    try? Folder.make(folder)
    guard let lease = try FileLock(folder + "/lease") else { return nil }
    // Both take their lock before they look for that of the other.
    if leaseOfAll != nil { return FileLock() }
    return try FileLock.isHeld(pathOfLease) ? nil : lease
  }

  private static let leaseName = "lease"
  /// The lock of a process that runs as all clients.
  var pathOfLease: String { "\(directory)/\(Self.leaseName)" }

  /// The store for a process that runs as all clients of it, unless another one does: one lock in place of one for each client,
  /// which would be an open file for each.
  package func leased() -> ClientStore {
    var store = self
    guard leaseOfAll == nil, distrust(of: pathOfLease) == nil else { return self }
    try? Folder.make(directory)
    // Another process that looks at the lock has it for a moment.
    for _ in 0..<Self.triesOfLease where store.leaseOfAll == nil {
      store.leaseOfAll = try? FileLock(pathOfLease)
      if store.leaseOfAll == nil { usleep(Self.patience) }
    }
    return store
  }

  private static let triesOfLease = 20

  /// Makes the folders that lead to a file of the store, unless another account could change it there.
  ///
  /// - Throws: `SystemError` when a folder cannot be made, or must not be.
  package func makeFolders(for path: String) throws(SystemError) {
    guard distrust(of: path) == nil else { throw SystemError(EACCES, .make, path) }
    try FileDescriptor.createFolders(for: path)
  }

  /// Ten seconds in steps of 10 ms.
  ///
  /// A change waits for the disk three times, and on a busy memory card that takes a second.
  private static let tries = 1_000
  private static let patience: UInt32 = 10_000

  // MARK: Names

  /// Returns the name whose escaped form is a text; `nil` if the text is not the escaped form of a name.
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
    // A text in another form than this store writes is not one of its names.
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
