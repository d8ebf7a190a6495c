// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// The record of a client whose program does not run: its account, its manifest, the program to wake, its notifications.
struct ClientRecord: Sendable, Equatable {
  var client: String
  var uid: UInt32
  var wake: String?
  var manifest: Manifest
  var notifications: [ServedNotification] = []
}

extension ClientRecord: FormedObject {
  static var blank: ClientRecord { ClientRecord(client: "", uid: 0, manifest: Manifest()) }

  mutating func form(_ form: inout Form) {
    form.constant("version", .integer(1))
    form("uid", &uid)
    form.nullable("wake", &wake)
    manifest.form(&form)
    form.optional("notifications", &notifications)
  }
}

/// The records, each in a file next to the client's grants.
///
/// A record is written when it changes, and further changes once a second: programs that ask for much do not keep the disk busy.
final class ClientRecords {
  private let store: ClientStore
  private let note: (String, _ client: String) -> Void
  private var known: [String: ClientRecord] = [:]
  /// The clients whose records were written in this second, and those that changed since.
  private var written: Set<String> = []
  private var changed: Set<String> = []

  init(
    _ store: ClientStore,
    noting note: @escaping (String, _ client: String) -> Void = { _, _ in }
  ) {
    (self.store, self.note) = (store, note)
  }

  deinit { write() }

  private func path(of client: String) -> String { store.folder(of: client) + "/service.json" }

  /// The records on the disk, in the order of their clients; one that cannot be read is left out.
  func all() -> [ClientRecord] {
    for name in store.clientNames {
      guard store.distrust(of: path(of: name)) == nil,
        let bytes = try? WholeFile.read(path(of: name), mayWait: false),
        var record = try? ClientRecord.read(bytes, named: "the record", isStrict: false)
      else { continue }
      record.client = name
      known[name] = record
    }
    return known.values.sorted { $0.client < $1.client }
  }

  /// Changes a record.
  func change(_ client: String, _ change: (inout ClientRecord) -> Void) {
    let old = known[client]
    var record = old ?? .blank
    record.client = client
    change(&record)
    guard record != old else { return }
    known[client] = record
    guard written.insert(client).inserted else {
      changed.insert(client)
      return
    }
    write(record)
  }

  /// Writes the changes of the last second.
  func write() {
    for client in changed.sorted() { if let record = known[client] { write(record) } }
    (written, changed) = (changed, [])
  }

  private func write(_ record: ClientRecord) {
    var writer = JSONLineWriter()
    writer.value(record.written(FormContext()))
    writer.line([])
    do throws(SystemError) {
      let path = path(of: record.client)
      try store.makeFolders(for: path)
      try DurableFile().replace(path, with: writer.bytes)
    } catch {
      note("what \(record.client) said of itself cannot be kept: \(error)", record.client)
    }
  }
}
