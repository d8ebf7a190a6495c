// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
internal import BeaconFormats

// The files of version 0.1.0, which lay side by side in the store's folder: NAME.client.json and NAME.regions.json of
// the command, NAME.monitor.json of a program. (Its machine.json is the account's switch as it is today.)
//
// They are read together with the new files and removed only once those are on the disk. So a migration that is stopped
// at any point is done again, with the same result.

extension ClientStore {
  fileprivate enum LegacyKind: String, CaseIterable {
    case client, monitor, regions
  }

  private func legacyPath(_ kind: LegacyKind, of name: String) -> String {
    "\(directory)/\(Self.escaped(name)).\(kind.rawValue).json"
  }

  private func legacyKinds(of name: String) -> [LegacyKind] {
    LegacyKind.allCases.filter { FileStatus(legacyPath($0, of: name)) != nil }
  }

  /// A client's files of version 0.1.0, with their locks.
  func legacyFiles(of name: String) -> [String] {
    legacyKinds(of: name).flatMap { kind in
      let path = legacyPath(kind, of: name)
      return FileStatus(path + ".lock") == nil ? [path] : [path, path + ".lock"]
    }
  }

  /// The names of the clients that have files of version 0.1.0.
  var legacyClients: [String] {
    let entries = (try? Folder.names(in: directory)) ?? []
    let names = entries.flatMap { entry in
      LegacyKind.allCases.compactMap { kind -> String? in
        let ending = ".\(kind.rawValue).json"
        return entry.hasSuffix(ending)
          ? Self.unescaped(String(entry.dropLast(ending.count))) : nil
      }
    }
    return Set(names).sorted()
  }

  /// A client's data in files of version 0.1.0.
  fileprivate struct Legacy {
    var grants: [SavedAuthorization] = []
    var state = ClientState()
    var paths: [String] = []
    var locks: [FileLock] = []
  }

  /// Reads a client's files of version 0.1.0.
  ///
  /// A file whose lock is held belongs to an old program that still runs: it is ignored. Damaged grants count as denied,
  /// since they may have been.
  private func readLegacy(
    of name: String,
    settingDamageAside: Bool,
    notes: inout [ClientDiagnostic]
  ) throws -> Legacy {
    var legacy = Legacy()
    for kind in legacyKinds(of: name) {
      let file = StoreFile(path: legacyPath(kind, of: name), files: files)
      guard let lock = FileLock(file.path + ".lock") else { continue }
      legacy.locks.append(lock)
      switch file.read() {
      case .absent: continue
      case .newer(let version):
        notes.append(.stateOfNewerVersion(path: file.path, version: version))
      case .unreadable(let error): throw error
      case .damaged(let reason):
        try setAside(file, reason, kind, &legacy, settingDamageAside, &notes)
      case .value(let value):
        do {
          guard let section = value["authorization"] else {
            throw StoreFile.Damage(description: "'authorization' is missing")
          }
          let grants = try GrantsCodec.read(section)
          legacy.add(try StateForm.decode(value), grants, of: section, from: kind)
          legacy.paths.append(file.path)
        } catch {
          let reason = (error as? JSON5Faults)?.faults.first?.message ?? "\(error)"
          try setAside(file, reason, kind, &legacy, settingDamageAside, &notes)
        }
      }
    }
    return legacy
  }

  private func setAside(
    _ file: StoreFile,
    _ reason: String,
    _ kind: LegacyKind,
    _ legacy: inout Legacy,
    _ settingDamageAside: Bool,
    _ notes: inout [ClientDiagnostic]
  ) throws {
    if kind != .regions { legacy.grants.append(Self.unread) }
    if settingDamageAside { notes.append(try file.setAside(reason)) }
  }

  /// Whether a program of version 0.1.0 runs as a client.
  func isRunByOldProgram(_ name: String) -> Bool {
    let path = legacyPath(.monitor, of: name)
    return FileStatus(path) != nil && FileLock(path + ".lock") == nil
  }

  /// Returns a client's grants from files of version 0.1.0 that cannot be migrated; `nil` if there are none.
  func legacyGrants(of name: String) -> SavedAuthorization? {
    var notes: [ClientDiagnostic] = []
    let legacy = try? readLegacy(of: name, settingDamageAside: false, notes: &notes)
    guard let legacy else { return Self.unread }
    return legacy.grants.first.map { legacy.grants.reduce($0) { $0.narrowed(by: $1) } }
  }

  /// Returns a client's state from files of version 0.1.0 that cannot be migrated.
  func legacyState(of name: String) -> ClientState? {
    var notes: [ClientDiagnostic] = []
    return try? readLegacy(of: name, settingDamageAside: false, notes: &notes).state
  }

  /// Migrates a client's files of version 0.1.0, if there are any that can be migrated.
  func migrate(_ name: String, notes: inout [ClientDiagnostic]) {
    guard !legacyKinds(of: name).isEmpty else { return }
    do {
      try withLock(of: name) { try migrateLocked(name, notes: &notes) }
    } catch {
      notes.append(.persistenceUnavailable(reason: "\(error)"))
    }
  }

  /// Migrates a client's files of version 0.1.0 for a caller that holds the client's lock.
  func migrateLocked(_ name: String, notes: inout [ClientDiagnostic]) throws {
    guard !legacyKinds(of: name).isEmpty else { return }
    let legacy = try readLegacy(of: name, settingDamageAside: true, notes: &notes)
    try withExtendedLifetime(legacy.locks) {
      guard !legacy.paths.isEmpty || !legacy.grants.isEmpty else { return }
      let grants = try migrateGrants(legacy, of: name, notes: &notes)
      if legacy.state != ClientState() {
        try changeLocked(of: name, grants: grants, isLast: true, notes: &notes) {
          $0.fill(from: legacy.state)
        }
      }
      for path in legacy.paths { try files.remove(path) }
    }
  }

  /// Writes the narrowest grants of all the files.
  ///
  /// - Returns: The grants; `nil` if no file has any, as for the operator.
  private func migrateGrants(
    _ legacy: Legacy,
    of name: String,
    notes: inout [ClientDiagnostic]
  ) throws -> SavedAuthorization? {
    let file = grantsFile(of: name)
    let content = file.read()
    var all = legacy.grants
    switch Self.decode(content) {
    case .absent: break
    case .grants(let grants):
      if all.isEmpty { return grants }
      all.append(grants)
    case .damaged(let reason):
      notes.append(try file.setAside(reason))
      all.append(Self.unread)
    case .newer(let version): throw StoreError.newerVersion(path: file.path, version: version)
    case .unreadable(let error): throw error
    }
    guard let first = all.first else { return nil }
    if all.contains(where: { $0.lasting != first.lasting }) {
      notes.append(.grantsNarrowed(client: name))
    }
    let grants = all.reduce(first) { $0.narrowed(by: $1) }
    // In version 0.1.0 each program had its own switch; now the account has one.
    if !grants.servicesOn { try setServices(on: false) }
    var old: JSON5Value?
    if case .value(let value) = content { old = value }
    try write(grants.lasting, keeping: old, in: file)
    return grants
  }
}

extension ClientStore.Legacy {
  fileprivate mutating func add(
    _ state: ClientState,
    _ grants: SavedAuthorization,
    of section: JSON5Value,
    from kind: ClientStore.LegacyKind
  ) {
    switch kind {
    case .client: self.grants.append(grants)
    case .regions: self.state.runRegions = state.regions
    case .monitor:
      self.grants.append(grants)
      self.state.regions = state.regions
      self.state.handled = state.handled
      self.state.unhandled = state.unhandled
      self.state.heldEvents = state.heldEvents
      guard case .number(let id) = section["held"]?["id"]?.content, let number = id.integer,
        case .number(let time) = section["held"]?["time"]?.content, let stamp = time.integer
      else { return }
      self.state.held = HeldEvent(
        id: UInt64(clamping: number),
        time: Timestamp(microseconds: stamp)
      )
    }
  }
}

extension ClientState {
  /// Fills what this state lacks from another one.
  fileprivate mutating func fill(from other: ClientState) {
    if regions.isEmpty, handled.isEmpty, unhandled.isEmpty, held == nil {
      (regions, handled, unhandled) = (other.regions, other.handled, other.unhandled)
      (heldEvents, held) = (other.heldEvents, other.held)
    }
    let known = Set(runRegions.map(\.region.identifier))
    runRegions += other.runRegions.filter { !known.contains($0.region.identifier) }
    runRegions.sort { $0.region.identifier < $1.region.identifier }
  }
}
