// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import SystemKit
package import BeaconCore
internal import FoundationEssentials
internal import Glibc

/// The grants that a command keeps: a file a client, and one for the machine's own switch.
///
/// Several processes may look at them and change them at once: a file is replaced whole, and nobody changes one while
/// another does.
package struct ClientStates: Sendable {
  /// What a file was when it was looked at; two that are equal hold the same.
  package struct Revision: Sendable, Equatable {
    fileprivate var bytes: [UInt8]?
  }

  private let store: StateStore

  /// Takes the store that keeps them.
  package init(_ store: StateStore) {
    self.store = store
  }

  /// The file of a client.
  package func path(of client: String) -> String {
    "\(store.directory)/\(StateStore.escaped(client)).client.json"
  }

  /// The file of the machine's switch.
  package var machinePath: String { "\(store.directory)/machine.json" }

  /// The clients that have a file, by name.
  package var clients: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: store.directory)) ?? []
    return names.compactMap { name in
      name.hasSuffix(".client.json")
        ? StateStore.unescaped(String(name.dropLast(".client.json".count))) : nil
    }.sorted()
  }

  // MARK: Reading

  /// Reads a client's grants, with the machine's switch put in.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - notes: Receives what a person should know: a damaged file was set aside, or nothing could be read.
  /// - Returns: The grants; those of a client never seen where there are none.
  package func grants(
    of client: String,
    notes: inout [ClientDiagnostic]
  ) -> SavedAuthorization {
    var grants = grantsOfFile(of: client, notes: &notes)
    grants.servicesOn = areServicesOn(notes: &notes)
    return grants
  }

  private func grantsOfFile(
    of client: String,
    notes: inout [ClientDiagnostic]
  ) -> SavedAuthorization {
    guard FileManager.default.fileExists(atPath: path(of: client)),
      let place = store.placeForAMoment(path(of: client))
    else { return SavedAuthorization() }
    let (contents, found) = place.read()
    notes += found
    return contents?.client.authorization ?? SavedAuthorization()
  }

  /// Whether location services of the machine are on, as they are until somebody switches them off.
  package func areServicesOn(notes: inout [ClientDiagnostic]) -> Bool {
    let path = machinePath
    guard FileManager.default.fileExists(atPath: path), let place = store.placeForAMoment(path)
    else { return true }
    let (machine, found) = place.read(MachineForm.decode)
    notes += found
    return machine?.services ?? true
  }

  /// What the files that concern a client are now; changes when any of them does.
  package func revision(of client: String) -> Revision {
    var bytes: [UInt8] = []
    for path in [path(of: client), machinePath] {
      guard let file = try? WholeFile.read(path) else { continue }
      bytes += file
    }
    return Revision(bytes: bytes)
  }

  // MARK: Changing

  /// Changes a client's grants, and makes its file where there is none.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - expected: What the files must be for the change to be made; `nil` makes it in any case.
  ///   - notes: Receives what a person should know.
  ///   - change: Changes the grants.
  /// - Returns: What the files are after it; `nil` where they were not what they must be, and nothing was changed.
  /// - Throws: ``SystemError`` when the file cannot be written.
  @discardableResult
  package func change(
    _ client: String,
    from expected: Revision? = nil,
    notes: inout [ClientDiagnostic],
    _ change: (inout SavedAuthorization) -> Void
  ) throws -> Revision? {
    let place = try store.lockedPlace(path(of: client))
    if let expected, revision(of: client) != expected { return nil }
    let (read, found) = place.read()
    notes += found
    var contents = read ?? StateFile.Contents()
    let before = contents.client.authorization
    change(&contents.client.authorization)
    // The switch is the machine's, and an event held back belongs to the run that held it.
    contents.client.authorization.servicesOn = true
    contents.client.authorization.held = nil
    if read == nil || contents.client.authorization != before { try place.write(contents) }
    return revision(of: client)
  }

  /// Forgets a client: it is as if it had never been seen.
  ///
  /// - Throws: ``SystemError`` when the file cannot be removed.
  package func reset(_ client: String) throws {
    let path = path(of: client)
    guard FileManager.default.fileExists(atPath: path) else { return }
    let place = try store.lockedPlace(path)
    try SystemError.check(.write, place.path) { unsafe unlink(place.path) }
  }

  /// Switches location services of the machine on or off, for all clients.
  ///
  /// - Throws: ``SystemError`` when the file cannot be written.
  package func setServices(on: Bool) throws {
    let place = try store.lockedPlace(machinePath)
    try place.write(bytes: MachineForm(version: StateFile.version, services: on).encoded())
  }
}

/// The form of the machine's file.
private struct MachineForm: Codable {
  var version: Int
  var services: Bool

  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    return try [UInt8](encoder.encode(self)) + [0x0A]
  }

  static func decode(_ bytes: [UInt8]) throws(StateFile.Damage) -> MachineForm {
    do {
      let form = try JSONDecoder().decode(MachineForm.self, from: Data(bytes))
      if form.version == StateFile.version { return form }
    } catch {}
    throw StateFile.Damage(description: "it is no version \(StateFile.version) of the switch")
  }
}
