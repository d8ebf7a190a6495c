// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconFormats
import Foundation
import Synchronization
import SystemKit

@testable import Beacons

/// A store in a temporary folder that is removed with the test.
final class StoreFolder {
  let path: String
  /// The step at which replacing a file fails, as after a power cut or with a full disk.
  let failing = FailingStep()

  final class FailingStep: Sendable {
    let step: Mutex<DurableFile.Step?> = Mutex(nil)
  }

  init() {
    let name = "beacons-store-\(UInt64.random(in: .min ... .max))"
    path = FileManager.default.temporaryDirectory.appending(path: name).path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The account's own store, as a live run uses it.
  var store: ClientStore {
    ClientStore(
      directory: path,
      isStandard: true,
      machineWide: path + "/root/machine.json",
      files: DurableFile { [failing] step, path throws(SystemError) in
        guard failing.step.withLock({ $0 }) == step else { return }
        throw SystemError(ENOSPC, .write, path)
      }
    )
  }

  func write(_ text: String, to name: String) throws {
    let place = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: place)
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path + "/" + name)
  }

  /// Reads the grants of a client, and the warnings given while reading.
  func grants(_ client: String = "guide") -> (SavedAuthorization, [ClientDiagnostic]) {
    var notes: [ClientDiagnostic] = []
    let grants = store.grants(of: client, notes: &notes)
    return (grants, notes)
  }

  @discardableResult
  func set(
    _ grant: SavedAuthorization.Grant,
    _ client: String = "guide",
    from expected: SavedAuthorization? = nil
  ) throws -> SavedAuthorization? {
    var notes: [ClientDiagnostic] = []
    return try store.change(client, from: expected, notes: &notes) { $0.grant = grant }
  }

  /// Changes the state of a client that may know everything.
  func change(_ change: (inout ClientState) -> Void) throws {
    var notes: [ClientDiagnostic] = []
    let grants = SavedAuthorization(grant: .always)
    try store.changeState(of: "guide", grants: grants, isLast: true, notes: &notes, change)
  }

  func keep(
    _ state: ClientState,
    _ client: String = "guide",
    grants: SavedAuthorization? = SavedAuthorization(grant: .always),
    isLast: Bool = false
  ) throws {
    var notes: [ClientDiagnostic] = []
    try store.changeState(of: client, grants: grants, isLast: isLast, notes: &notes) { $0 = state }
  }

  func state(_ client: String = "guide") -> (ClientState, [ClientDiagnostic]) {
    var notes: [ClientDiagnostic] = []
    let state = store.state(of: client, notes: &notes)
    return (state, notes)
  }
}

extension ClientState {
  /// Reads a file's bytes, as the store does.
  init(file bytes: [UInt8]) throws {
    self = try ClientState.read(bytes, named: "the state", isStrict: false)
  }
}
