// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// The record of a client whose program does not run: its account, its manifest, the program to wake.
struct ClientRecord: Sendable, Equatable {
  var client: String
  var uid: UInt32
  var wake: String?
  var manifest: Manifest
}

extension ClientRecord: FormedObject {
  static var blank: ClientRecord { ClientRecord(client: "", uid: 0, manifest: Manifest()) }

  mutating func form(_ form: inout Form) {
    form.constant("version", .integer(1))
    form("uid", &uid)
    form.nullable("wake", &wake)
    manifest.form(&form)
  }
}

/// The records, each in a file next to the client's grants.
final class ClientRecords {
  private let store: ClientStore
  private var known: [String: ClientRecord] = [:]

  init(_ store: ClientStore) {
    self.store = store
  }

  private func path(of client: String) -> String { store.folder(of: client) + "/service.json" }

  /// The records on the disk, in the order of their clients; one that cannot be read is left out.
  func all() -> [ClientRecord] {
    for name in store.clientNames {
      guard let bytes = try? WholeFile.read(path(of: name)),
        var record = try? ClientRecord.read(bytes, named: "the record", isStrict: false)
      else { continue }
      record.client = name
      known[name] = record
    }
    return known.values.sorted { $0.client < $1.client }
  }

  /// Writes a record, unless the disk has it already.
  func keep(_ record: ClientRecord, noting note: (String) -> Void) {
    guard known[record.client] != record else { return }
    known[record.client] = record
    var writer = JSONLineWriter()
    writer.value(record.written(FormContext()))
    writer.line([])
    do throws(SystemError) {
      let path = path(of: record.client)
      try FileDescriptor.createFolders(for: path)
      try DurableFile().replace(path, with: writer.bytes)
    } catch {
      note("what \(record.client) said of itself cannot be kept: \(error)")
    }
  }
}
