// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats
internal import Beacons
internal import SystemKit

/// What the service must know of a client whose program does not run: its account, what it said of itself, whom to wake.
struct ClientRecord: Sendable, Equatable {
  let client: String
  let uid: UInt32
  let wake: String?
  let manifest: Manifest
}

/// The records, each in a file beside the client's grants.
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
        let value = try? JSON5.parse(bytes), let record = Self.record(name, value)
      else { continue }
      known[name] = record
    }
    return known.values.sorted { $0.client < $1.client }
  }

  private static func record(_ name: String, _ value: JSON5Value) -> ClientRecord? {
    guard case .number(let number)? = value["uid"]?.content, let uid = number.integer,
      let uid = UInt32(exactly: uid)
    else { return nil }
    var manifest = Manifest(
      whenInUse: text(value["whenInUse"]),
      alwaysAndWhenInUse: text(value["alwaysAndWhenInUse"])
    )
    if case .object(let purposes)? = value["purposes"]?.content {
      manifest.purposes = purposes.compactMap { member in
        text(member.value).map { Manifest.Purpose(key: member.key, text: $0) }
      }
    }
    manifest.backgroundLocation = value["backgroundLocation"]?.content == .bool(true)
    return ClientRecord(client: name, uid: uid, wake: text(value["wake"]), manifest: manifest)
  }

  private static func text(_ value: JSON5Value?) -> String? {
    if case .string(let text)? = value?.content { text } else { nil }
  }

  /// Writes a record, unless the disk has it already.
  func keep(_ record: ClientRecord, noting note: (String) -> Void) {
    guard known[record.client] != record else { return }
    known[record.client] = record
    var writer = JSONLineWriter()
    writer.beginObject()
    writer.key("version")
    writer.integer(1)
    writer.key("uid")
    writer.integer(Int(record.uid))
    writer.key("wake")
    writer.string(record.wake)
    writer.key("whenInUse")
    writer.string(record.manifest.whenInUse)
    writer.key("alwaysAndWhenInUse")
    writer.string(record.manifest.alwaysAndWhenInUse)
    writer.key("backgroundLocation")
    writer.bool(record.manifest.backgroundLocation)
    writer.key("purposes")
    writer.beginObject()
    for purpose in record.manifest.purposes {
      writer.key(purpose.key)
      writer.string(purpose.text)
    }
    writer.endObject()
    writer.endLine()
    do throws(SystemError) {
      let path = path(of: record.client)
      try FileDescriptor.createFolders(for: path)
      try DurableFile().replace(path, with: writer.bytes)
    } catch {
      note("what \(record.client) said of itself cannot be kept: \(error)")
    }
  }
}
