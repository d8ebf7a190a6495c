// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
package import BeaconCore
internal import BeaconFormats

// What changes while a client runs: regions, arrival intervals, records, held events. It may be lost.

extension ClientStore {
  /// How much older the file may be than the state if only the time of saving differs: a third of the age up to which a
  /// state is restored by default.
  static let freshness = TimeSpan.seconds(5 * 60)

  /// Reads a client's saved regions and records.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - notes: Receives diagnostics for the user: a damaged file was set aside, or nothing could be read.
  /// - Returns: The saved state; an empty one otherwise.
  package func state(of client: String, notes: inout [ClientDiagnostic]) -> ClientState {
    let file = stateFile(of: client)
    if let reason = distrust(of: file.path) {
      notes.append(.persistenceUnavailable(reason: reason))
      return ClientState()
    }
    switch file.read(ClientState.self, named: Self.stateName) {
    case .absent: return ClientState()
    case .value(let state): return state
    case .newer(let version): notes.append(.stateOfNewerVersion(path: file.path, version: version))
    case .unreadable(let error): notes.append(.persistenceUnavailable(reason: "\(error)"))
    case .damaged:
      do {
        return try withLock(of: client) {
          try file.readForChange(named: Self.stateName, notes: &notes).value
        }
      } catch {
        notes.append(.persistenceUnavailable(reason: "\(error)"))
      }
    }
    return ClientState()
  }

  /// Reads the saved state of a client whose program has not started, without taking its lease.
  ///
  /// - Returns: The saved state; `nil` if the store does not know the client.
  package func savedClient(of name: String) -> SavedClient? {
    guard hasGrants(name) else { return nil }
    var notes: [ClientDiagnostic] = []
    return SavedClient(
      authorization: grants(of: name, notes: &notes),
      regions: state(of: name, notes: &notes).regions
    )
  }

  private static let stateName = "the state"

  /// Changes a client's saved regions and records; sections that the change does not touch stay as they are.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - grants: The client's grants; `nil` for the operator. If the client may not know of beacons, nothing derived
  ///     from them is kept, not even in unknown keys.
  ///   - isLast: Whether to write even if only the time of saving differs.
  ///   - notes: Receives diagnostics for the user.
  ///   - change: Changes the state.
  /// - Throws: `SystemError` when the file cannot be written, ``StoreError`` when it must not be written.
  package func changeState(
    of client: String,
    grants: SavedAuthorization?,
    isLast: Bool = false,
    notes: inout [ClientDiagnostic],
    _ change: (inout ClientState) -> Void
  ) throws {
    try withLock(of: client) {
      try changeLocked(of: client, grants: grants, isLast: isLast, notes: &notes, change)
    }
  }

  /// Changes the state for a caller that holds the client's lock.
  func changeLocked(
    of client: String,
    grants: SavedAuthorization?,
    isLast: Bool,
    notes: inout [ClientDiagnostic],
    _ change: (inout ClientState) -> Void
  ) throws {
    let file = stateFile(of: client)
    let (old, stored): (_, ClientState) = try readForChange(
      file,
      named: Self.stateName,
      notes: &notes
    )
    var state = stored
    change(&state)
    let mayKnow = grants.map(\.mayKnowOfBeacons) ?? true
    if !mayKnow { state = state.limited }
    if state == ClientState() {
      if old != nil { try files.remove(file.path) }
      return
    }
    let bytes = StoreFile.bytes(of: state, keeping: mayKnow ? old : nil)
    if let old, bytes == StoreFile.bytes(of: FormValue(old)) { return }
    let isAged = isLast || state.savedAt - stored.savedAt >= Self.freshness
    if old != nil, mayKnow, !isAged, state.ignoringSavedTimes == stored.ignoringSavedTimes {
      return
    }
    try files.replace(file.path, with: bytes)
  }
}
