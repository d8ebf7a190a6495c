// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
package import BeaconCore
internal import BeaconFormats

// A user's decisions: grants of clients, and the switches of the account and of the machine.

extension ClientStore {
  /// The stamps of all files that concern a client's grants, taken at one time with three system calls and no read.
  package struct Stamp: Sendable, Equatable {
    private let grants: FileStamp?
    private let account: FileStamp
    private let machine: FileStamp

    fileprivate init(_ store: ClientStore, _ client: String?) {
      grants = client.map { FileStamp(store.grantsPath(of: $0)) }
      account = FileStamp(store.machinePath)
      machine = FileStamp(store.machineWidePath)
    }

    /// The stamp of files that were never read.
    static let never = Stamp()

    private init() {
      // No file has the path.
      let none = FileStamp.never
      (grants, account, machine) = (none, none, none)
    }

    /// Stamps a file of grants now; the switches are as another stamp of the same store has them.
    init(ofGrants path: String?, switchesOf other: Stamp) {
      grants = path.map { FileStamp($0) }
      account = other.account
      machine = other.machine
    }
  }

  /// Returns the current stamps of the files that concern a client's grants; `nil` stamps only the switches.
  package func stamp(of client: String?) -> Stamp { Stamp(self, client) }

  /// The clients that have grants, by name.
  package var clients: [String] { (try? knownClients()) ?? [] }

  /// Returns the clients that have grants, by name, and those whose folder another account could have put there.
  ///
  /// - Throws: `SystemError` if a folder cannot be read, so that the clients are not known.
  package func knownClients() throws(SystemError) -> [String] {
    try clientFolders().filter { hasGrants($0) || distrust(of: folder(of: $0)) != nil }
  }

  /// The clients that have a folder, by name: they have grants, a state, or a service's state of them.
  package var clientNames: [String] { (try? clientFolders()) ?? [] }

  /// Whether a file of a client's grants exists, whatever its content.
  package func hasGrants(_ client: String) -> Bool {
    if case .absent = grantsFile(of: client).read() { return false }
    return true
  }

  // MARK: Reading

  /// Reads a client's grants, with the switches of the account and of the machine applied.
  ///
  /// Grants that cannot be read count as denied, since they may have been: the client may know nothing, and does not ask,
  /// until a user decides. A damaged file is set aside, and the denial takes its place.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - notes: Receives diagnostics for the user: a damaged file was set aside, or nothing could be read.
  /// - Returns: The grants; those of an unknown client otherwise.
  package func grants(
    of client: String,
    notes: inout [ClientDiagnostic]
  ) -> SavedAuthorization {
    do throws(SystemError) {
      return try readGrants(of: client, notes: &notes)
    } catch {
      notes.append(.persistenceUnavailable(reason: "\(error)"))
      return Self.unread
    }
  }

  /// Reads the same for a program that can try again later.
  ///
  /// - Throws: `SystemError` if descriptors or memory are missing; the user's decision is unknown then.
  func readGrants(
    of client: String,
    notes: inout [ClientDiagnostic]
  ) throws(SystemError) -> SavedAuthorization {
    var grants = try storedGrants(of: client, notes: &notes)
    grants.servicesOn = try readSwitches(notes: &notes)
    return grants
  }

  private func storedGrants(
    of client: String,
    notes: inout [ClientDiagnostic]
  ) throws(SystemError) -> SavedAuthorization {
    if let reason = distrust(of: grantsPath(of: client)) {
      notes.append(.persistenceUnavailable(reason: reason))
      return Self.unread
    }
    let file = grantsFile(of: client)
    switch file.read(GrantsFile.self, named: Self.fileName) {
    case .value(let content): return content.grants
    case .absent: return SavedAuthorization()
    case .newer(let version): notes.append(.stateOfNewerVersion(path: file.path, version: version))
    case .unreadable(let error) where error.isShortage: throw error
    case .unreadable(let error): notes.append(.persistenceUnavailable(reason: "\(error)"))
    case .damaged:
      do {
        // Another process may have replaced the file, so it is read again under the lock.
        return try withLock(of: client) {
          let (old, grants) = try readForChange(file, notes: &notes)
          if old == nil, grants == Self.unread { try write(grants, keeping: nil, in: file) }
          return grants
        }
      } catch {
        notes.append(.persistenceUnavailable(reason: "\(error)"))
      }
    }
    return Self.unread
  }

  /// What grants count as that cannot be read.
  static let unread = SavedAuthorization(grant: .denied)

  /// Whether location services are on: on in the account's switch and in the machine's.
  ///
  /// They are on until someone switches them off. A switch that exists but cannot be read counts as off.
  package func areServicesOn(notes: inout [ClientDiagnostic]) -> Bool {
    let account = areServicesOn(of: .account, notes: &notes)
    return areServicesOn(of: .machine, notes: &notes) && account
  }

  /// Returns the same for a program that can try again later.
  ///
  /// - Throws: `SystemError` if descriptors or memory are missing.
  package func readSwitches(notes: inout [ClientDiagnostic]) throws(SystemError) -> Bool {
    let account = try isOn(.account, notes: &notes)
    return try isOn(.machine, notes: &notes) && account
  }

  /// Whether one of the two switches is on.
  package func areServicesOn(of scope: ServicesScope, notes: inout [ClientDiagnostic]) -> Bool {
    do throws(SystemError) {
      return try isOn(scope, notes: &notes)
    } catch {
      notes.append(.switchUnreadable(path: path(of: scope), reason: "\(error)"))
      return false
    }
  }

  private func isOn(
    _ scope: ServicesScope,
    notes: inout [ClientDiagnostic]
  ) throws(SystemError) -> Bool {
    if let reason = distrust(ofSwitch: scope) {
      notes.append(.switchUnreadable(path: path(of: scope), reason: reason))
      return false
    }
    return try isOn(StoreFile(path: path(of: scope), files: files), notes: &notes)
  }

  private func path(of scope: ServicesScope) -> String {
    scope == .machine ? machineWidePath : machinePath
  }

  private func isOn(
    _ file: StoreFile,
    notes: inout [ClientDiagnostic]
  ) throws(SystemError) -> Bool {
    switch file.read() {
    case .absent: return true
    case .value(let value):
      if let file = try? SwitchFile.read(value, named: "the file") { return file.isOn }
      notes.append(
        .switchUnreadable(path: file.path, reason: "'services' is neither true nor false")
      )
    case .damaged(let reason):
      notes.append(.switchUnreadable(path: file.path, reason: reason))
    case .newer(let version):
      notes.append(.switchUnreadable(path: file.path, reason: "it is of version \(version)"))
    case .unreadable(let error) where error.isShortage: throw error
    case .unreadable(let error):
      notes.append(.switchUnreadable(path: file.path, reason: "\(error)"))
    }
    return false
  }

  // MARK: Changing

  /// Changes a client's grants, creating its file if it is missing.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - expected: The grants that must be in the file for the change to be made; `nil` makes the change in any case.
  ///   - replacesAbsent: Whether the change is also made if the file does not exist, whatever was expected in it.
  ///   - notes: Receives diagnostics for the user.
  ///   - change: Changes the grants.
  /// - Returns: The grants after the change; `nil` if the grants were not as expected and nothing was changed.
  /// - Throws: `SystemError` when the file cannot be written, ``StoreError`` when it must not be written.
  @discardableResult
  package func change(
    _ client: String,
    from expected: SavedAuthorization? = nil,
    orAbsent replacesAbsent: Bool = false,
    notes: inout [ClientDiagnostic],
    _ change: (inout SavedAuthorization) -> Void
  ) throws -> SavedAuthorization? {
    try withLock(of: client) {
      let file = grantsFile(of: client)
      let (old, stored) = try readForChange(file, notes: &notes)
      let isAsExpected = replacesAbsent && FileStatus.isMissing(file.path)
      if let expected, !isAsExpected, stored.lasting != expected.lasting { return nil }
      var grants = stored
      change(&grants)
      grants = grants.lasting
      if old == nil || grants != stored.lasting { try write(grants, keeping: old, in: file) }
      return grants
    }
  }

  /// Reads the grants before a change; a file that is not believed is set aside.
  private func readForChange(
    _ file: StoreFile,
    notes: inout [ClientDiagnostic]
  ) throws -> (old: JSON5Value?, grants: SavedAuthorization) {
    let damaged = GrantsFile(grants: Self.unread)
    let (old, content) = try readForChange(
      file,
      named: Self.fileName,
      damaged: damaged,
      notes: &notes
    )
    return (old, content.grants)
  }

  private static let fileName = "the file"

  func write(_ grants: SavedAuthorization, keeping old: JSON5Value?, in file: StoreFile) throws {
    try files.replace(
      file.path,
      with: StoreFile.bytes(of: GrantsFile(grants: grants), keeping: old)
    )
  }

  /// Forgets a client, as if it had never been known.
  ///
  /// - Throws: `SystemError` when a file cannot be removed.
  package func reset(_ client: String) throws {
    guard !FileStatus.isMissing(folder(of: client)) else { return }
    try withLock(of: client) {
      for file in [grantsFile(of: client), stateFile(of: client)] {
        if case .newer(let version) = file.read() {
          throw StoreError.newerVersion(path: file.path, version: version)
        }
        // The content of a folder is not the client's.
        if file.isFolder { _ = try file.setAside("a folder") } else { try files.remove(file.path) }
      }
      // Files set aside are the client's as well.
      for name in (try? Folder.names(in: folder(of: client))) ?? []
      where name.includes(".json.damaged-") {
        let path = folder(of: client) + "/" + name
        if !StoreFile(path: path, files: files).isFolder { try files.remove(path) }
      }
    }
  }

  /// Whose programs a switch of location services is for.
  package enum ServicesScope: Sendable {
    /// The programs of this account.
    case account
    /// The programs of every account; only root can write the file.
    case machine
  }

  /// Switches location services on or off, for all clients.
  ///
  /// - Throws: `SystemError` when the file cannot be written, ``StoreError`` when it must not be written.
  package func setServices(on isOn: Bool, of scope: ServicesScope = .account) throws {
    try withSwitchLock(of: scope) {
      let file = StoreFile(path: path(of: scope), files: files)
      let distrust = distrust(ofSwitch: scope)
      var old: JSON5Value?
      switch file.read() {
      case .absent: break
      // If the system gives another account's file no second name, it is replaced.
      case _ where distrust != nil: _ = try? file.setAside("")
      case .value(let value): old = value
      case .damaged(let reason): _ = try file.setAside(reason)
      case .unreadable(let error) where error.isNotPermitted: _ = try file.setAside("\(error)")
      case .newer(let version): throw StoreError.newerVersion(path: file.path, version: version)
      case .unreadable(let error): throw error
      }
      let bytes = StoreFile.bytes(of: SwitchFile(isOn: isOn), keeping: old)
      if let old, bytes == StoreFile.bytes(of: FormValue(old)) { return }
      try files.replace(file.path, with: bytes, mode: scope == .machine ? 0o644 : 0o600)
    }
  }
}

/// The content of a client's file of grants.
private struct GrantsFile: FormedObject {
  static var blank: GrantsFile { GrantsFile(grants: SavedAuthorization()) }

  var grants: SavedAuthorization

  mutating func form(_ form: inout Form) {
    StoreFile.version(&form)
    form("grants", &grants)
  }
}

/// The content of a file with the switch of location services.
private struct SwitchFile: FormedObject {
  static var blank: SwitchFile { SwitchFile(isOn: true) }

  var isOn: Bool

  mutating func form(_ form: inout Form) {
    StoreFile.version(&form)
    form("services", &isOn)
  }
}

extension SavedAuthorization {
  /// The part that is kept in the grants file.
  ///
  /// The switches belong to the account and the machine, and an event that is held back belongs to the state, which may
  /// be lost: the second prompt is due even without it.
  var lasting: SavedAuthorization {
    var grants = self
    grants.servicesOn = true
    grants.confirmationDue = confirmationDue || held != nil
    grants.held = nil
    return grants
  }

  /// Whether a client with these grants may know of beacons.
  ///
  /// Nothing derived from beacons is kept of a client that may not.
  package var mayKnowOfBeacons: Bool { accuracy == .full && effective.isAuthorized }
}
