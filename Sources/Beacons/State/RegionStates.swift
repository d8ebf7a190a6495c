// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
package import BeaconCore
internal import FoundationEssentials
internal import Glibc

/// The regions' states that a command keeps between its runs: a file a client, beside the one of its grants.
///
/// A run keeps the regions it names. Those of other runs stay until they are too old to be restored, so the file is
/// bounded by what was monitored lately.
package struct RegionStates: Sendable {
  private let store: StateStore

  /// Takes the store that keeps them.
  package init(_ store: StateStore) {
    self.store = store
  }

  /// The file of a client.
  package func path(of client: String) -> String {
    "\(store.directory)/\(StateStore.escaped(client)).regions.json"
  }

  /// Reads what earlier runs kept of a client's regions.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - notes: Receives what a person should know: a damaged file was set aside, or nothing could be read.
  /// - Returns: The regions, in the order of their identifiers.
  package func regions(
    of client: String,
    notes: inout [ClientDiagnostic]
  ) -> [SavedRegion] {
    guard FileManager.default.fileExists(atPath: path(of: client)),
      let place = store.placeForAMoment(path(of: client))
    else { return [] }
    let (contents, found) = place.read()
    notes += found
    return contents?.client.regions ?? []
  }

  /// Keeps the states of some regions.
  ///
  /// - Parameters:
  ///   - regions: What is known of them; nothing is kept of one of which nothing is.
  ///   - names: The regions meant, of which what earlier runs kept is replaced.
  ///   - client: The client.
  ///   - time: When.
  ///   - age: How old a state may be and still be restored.
  ///   - notes: Receives what a person should know.
  /// - Throws: ``SystemError`` when the file cannot be written.
  package func keep(
    _ regions: [SavedRegion],
    ofThose names: Set<RegionIdentifier>,
    of client: String,
    at time: Timestamp,
    for age: TimeSpan,
    notes: inout [ClientDiagnostic]
  ) throws {
    let path = path(of: client)
    let place = try store.lockedPlace(path)
    let (contents, found) = place.read()
    notes += found
    let others = (contents?.client.regions ?? []).filter { other in
      let elapsed = time - other.savedAt
      return !names.contains(other.region.identifier) && elapsed >= .zero && elapsed <= age
    }
    let known = regions.filter { $0.state != .unknown || !$0.intervals.isEmpty }
    guard !known.isEmpty || !others.isEmpty else {
      if contents != nil { try remove(place) }
      return
    }
    let all = (known + others).sorted { $0.region.identifier < $1.region.identifier }
    try place.write(StateFile.Contents(client: SavedClient(regions: all)))
  }

  /// Forgets a client's regions.
  ///
  /// - Throws: ``SystemError`` when the file cannot be removed.
  package func forget(_ client: String) throws {
    let path = path(of: client)
    guard FileManager.default.fileExists(atPath: path) else { return }
    let place = try store.lockedPlace(path)
    try remove(place)
  }

  private func remove(_ place: StateFile.Place) throws {
    try SystemError.check(.remove, place.path) { unsafe unlink(place.path) }
  }
}
