// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTesting
import Beacons
import DBus
import DBusTestSupport
import Foundation
import Testing

/// What administrators are told: success only where a decision is in effect and lasts.
@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(2)))
struct ServiceAdministrationTests {
  /// The listed clients with their properties.
  static func clients(_ program: ServiceProgram) async throws -> [String: [String: DBusValue]] {
    guard case .array(_, let list)? = try await program.admin("ListClients").first else {
      return [:]
    }
    var clients: [String: [String: DBusValue]] = [:]
    for case .structure(let members) in list {
      guard let key = members.first?.text, case .dictionary(_, let entries)? = members.last else {
        continue
      }
      for entry in entries {
        guard case .variant(let value) = entry.value, let name = entry.key.text else { continue }
        clients[key, default: [:]][name] = value
      }
    }
    return clients
  }

  static func error(_ error: ServiceError) -> String { error.name }

  /// Makes every replacement of a file fail, also for root.
  static func block(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path + ".new/kept",
      withIntermediateDirectories: true
    )
  }

  @Test func `clients that were granted before any of their programs came are listed`()
    async throws
  {
    let bus = try PrivateBus()
    let grants = try ServiceFixture.makeFolder()
    let text = "{ client: 'unit:guide.service', authorization: 'whenInUse', accuracy: 'reduced' }"
    try Data(text.utf8).write(to: grants.appending(path: "guide.json5"))
    let folder = try ServiceFixture.makeFolder()
    let service = try await ServiceFixture(on: bus, in: folder, grants: grants.path)
    let program = try await ServiceProgram(bus)
    try await program.grant("user:anna/later", "denied")
    let session = try await program.session("now")
    let clients = try await Self.clients(program)
    #expect(clients.keys.sorted() == ["unit:guide.service", "user:anna/later", "user:anna/now"])
    let guide = try #require(clients["unit:guide.service"])
    #expect(guide["Grant"] == .string("whenInUse"))
    #expect(guide["Authorization"] == .string("authorizedWhenInUse"))
    #expect(guide["Precise"] == .boolean(false))
    #expect(guide["Verified"] == .boolean(true))
    #expect(guide["Sessions"] == .uint32(0))
    #expect(guide["Account"] == nil)
    #expect(clients["user:anna/later"]?["Limit"] == .string("denied"))
    #expect(clients["user:anna/now"]?["Sessions"] == .uint32(1))
    // Its program finds the grant that was listed, and then the client is listed once.
    _ = try await program.session("later")
    #expect(try await Self.clients(program)["user:anna/later"]?["Grant"] == .string("denied"))
    try await program.own(session, "Close")
    try await service.stop()
  }

  /// Row P2.
  @Test func `with services off a client is listed as it reads, also one that no program used`()
    async throws
  {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let program = try await ServiceProgram(bus)
    // The store keeps a client that was granted something once, also when it is undecided again.
    try await program.grant("user:anna/later", "denied")
    try await program.grant("user:anna/later", "notDetermined")
    let session = try await program.session("now")
    _ = try await program.admin("SetServices", [.boolean(false)])
    let clients = try await Self.clients(program)
    #expect(clients.keys.sorted() == ["user:anna/later", "user:anna/now"])
    for client in clients.values {
      #expect(client["Authorization"] == .string("denied"))
      #expect(client["Limit"] == .string("servicesOff"))
      #expect(client["Grant"] == .string("notDetermined"))
    }
    #expect(try await program.property(session, "Authorization") == .string("denied"))
    #expect(try await program.property(session, "Limit") == .string("servicesOff"))
    try await service.stop()
  }

  @Test func `a reset forgets a client, and there is nothing to forget of others`() async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let program = try await ServiceProgram(bus)
    try await program.grant("unit:guide.service", "always")
    _ = try await program.admin("Reset", [.string("unit:guide.service")])
    #expect(try await Self.clients(program).isEmpty)
    for key in ["unit:guide.service", "user:anna/guide", "", "operator", "../x"] {
      let error = await #expect(throws: CallError.self) {
        try await program.admin("Reset", [.string(key)])
      }
      #expect(error?.name == Self.error(.unknownClient), "\(key)")
    }
    let session = try await program.session("guide")
    try await program.grant("user:anna/guide", "always")
    _ = try await program.admin("Reset", [.string("user:anna/guide")])
    #expect(try await program.property(session, "Authorization") == .string("notDetermined"))
    try await service.stop()
  }

  @Test func `a policy restricts a client and keeps its grant, until it is granted again`()
    async throws
  {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let service = try await ServiceFixture(on: bus, in: folder)
    let program = try await ServiceProgram(bus)
    let session = try await program.session("guide")
    for key in ["user:anna/guide", "user:anna/later"] {
      try await program.grant(key, "whenInUse")
      try await program.grant(key, "restricted")
      let client = try #require(try await Self.clients(program)[key])
      #expect(client["Authorization"] == .string("restricted"), "\(key)")
      #expect(client["Limit"] == .string("restricted"), "\(key)")
      #expect(client["Grant"] == .string("whenInUse"), "\(key)")
    }
    #expect(try await program.property(session, "Limit") == .string("restricted"))
    try await service.stop()
    // It is kept.
    let again = try await ServiceFixture(on: bus, in: folder)
    let later = try await ServiceProgram(bus)
    let restored = try await later.session("guide")
    #expect(try await later.property(restored, "Authorization") == .string("restricted"))
    try await later.grant("user:anna/guide", "whenInUse")
    #expect(try await later.property(restored, "Authorization") == .string("authorizedWhenInUse"))
    try await again.stop()
  }

  @Test func `a grant that was laid down for a key that no client can have is told`() async throws {
    let grants = try ServiceFixture.makeFolder()
    let text = "{ client: 'guide', authorization: 'always' }"
    try Data(text.utf8).write(to: grants.appending(path: "guide.json5"))
    let note = try await note(ofGrantsIn: grants.path)
    #expect(note.hasSuffix("its client is neither unit:NAME.service nor user:ACCOUNT/LABEL"))
  }

  @Test func `grants that cannot be read are told of`() async throws {
    let grants = try ServiceFixture.makeFolder()
    let missing = grants.path + "/none"
    let unread = try await note(ofGrantsIn: missing)
    #expect(unread.hasPrefix("no grants of \(missing) are used: "))
    try FileManager.default.createDirectory(
      at: grants.appending(path: "guide.json5"),
      withIntermediateDirectories: false
    )
    let folder = try await note(ofGrantsIn: grants.path)
    #expect(folder.hasSuffix(".json5 is not used: it is no regular file"))
    let mode = [FileAttributeKey.posixPermissions: 0o777]
    try FileManager.default.setAttributes(mode, ofItemAtPath: grants.path)
    let shared = try await note(ofGrantsIn: grants.path)
    #expect(shared.hasPrefix("no grants are used: \(grants.path) can be written by other accounts"))
  }

  /// The first note of a service whose grants were laid down in a folder.
  private func note(ofGrantsIn folder: String) async throws -> String {
    let bus = try PrivateBus()
    var setup = ServiceSetup(
      bus: BusAddress(bus.address),
      store: ClientStore(directory: try ServiceFixture.makeFolder().path),
      grantsFolder: folder,
      show: { _ in }
    )
    let (notes, shown) = AsyncStream<ServiceEvent>.makeStream()
    setup.show = { shown.yield($0) }
    let source = PushedSource(from: Timeline.start)
    let host = BeaconServiceHost(setup, source: source)
    let running = Task { try await host.run() }
    var iterator = notes.makeAsyncIterator()
    var text = ""
    if case .note(let note)? = await iterator.next() {
      #expect(note.kind == .grantFile)
      text = note.text
    }
    running.cancel()
    source.end()
    try await running.value
    return text
  }

  @Test(arguments: [
    "unit:", "unit:guide", "unit:a/b.service", "user:anna", "user:/guide", "user:anna/a b", "guide",
  ])
  func `a key that no client can have gets no grant`(key: String) async throws {
    let bus = try PrivateBus()
    let service = try await ServiceFixture(on: bus, in: try ServiceFixture.makeFolder())
    let program = try await ServiceProgram(bus)
    let error = await #expect(throws: CallError.self) { try await program.grant(key, "always") }
    #expect(error?.name == Self.error(.unknownClient))
    #expect(try await Self.clients(program).isEmpty)
    try await service.stop()
  }

  @Test func `a decision that cannot be kept is no success`() async throws {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let store = ClientStore(directory: folder.path)
    let service = try await ServiceFixture(on: bus, in: folder)
    let program = try await ServiceProgram(bus)
    let session = try await program.session("guide")
    try await program.grant("user:anna/guide", "whenInUse")
    for client in ["user:anna/guide", "user:anna/later"] {
      try Self.block(store.grantsPath(of: client))
      let error = await #expect(throws: CallError.self) {
        try await program.grant(client, "always")
      }
      #expect(error?.name == Self.error(.notKept), "\(client)")
      let note = await service.next { if case .note = $0 { true } else { false } }
      guard case .note(let shown)? = note else { return }
      #expect(shown.kind == .storage && shown.client == client)
    }
    // What a running client was granted is in effect all the same.
    #expect(try await program.property(session, "Authorization") == .string("authorizedAlways"))
    // The same decision again is kept as soon as the disk takes it.
    try FileManager.default.removeItem(atPath: store.grantsPath(of: "user:anna/guide") + ".new")
    try await program.grant("user:anna/guide", "always")
    var notes: [ClientDiagnostic] = []
    #expect(store.grants(of: "user:anna/guide", notes: &notes).grant == .always)
    try Self.block(store.machinePath)
    let error = await #expect(throws: CallError.self) {
      try await program.admin("SetServices", [.boolean(false)])
    }
    #expect(error?.name == Self.error(.notKept))
    try await service.stop()
  }

  @Test(arguments: ["", "/clients/user%3Aanna%2Fguide"])
  func `a decision is kept whatever was removed before`(_ removed: String) async throws {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let store = ClientStore(directory: folder.path)
    let service = try await ServiceFixture(on: bus, in: folder)
    let program = try await ServiceProgram(bus)
    let key = "user:anna/guide"
    func remove() throws { try FileManager.default.removeItem(atPath: folder.path + removed) }
    func kept() -> SavedAuthorization {
      var notes: [ClientDiagnostic] = []
      return store.grants(of: key, notes: &notes)
    }
    let session = try await program.session("guide")
    try await program.grant(key, "whenInUse")
    try remove()
    try await program.grant(key, "denied")
    #expect(kept().grant == .denied)
    // The grant that is in effect is kept as well.
    try remove()
    try await program.grant(key, "denied", accuracy: "reduced")
    try remove()
    try await program.grant(key, "denied", accuracy: "reduced")
    #expect(kept() == SavedAuthorization(grant: .denied, accuracy: .reduced))
    try remove()
    _ = try await program.admin("Reset", [.string(key)])
    #expect(kept() == SavedAuthorization())
    try await program.grant(key, "denied")
    try remove()
    _ = try await program.admin("SetServices", [.boolean(false)])
    #expect(!kept().servicesOn)
    _ = try await program.admin("SetServices", [.boolean(true)])
    try await program.grant(key, "denied")
    // No later look at the files takes it back.
    try await Task.sleep(for: .milliseconds(1_200))
    #expect(kept().grant == .denied)
    #expect(try await program.property(session, "Authorization") == .string("denied"))
    try await service.stop()
    #expect(kept().grant == .denied)
  }

  @Test func `without a state folder nothing is kept, and that is said at once`() async throws {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    try Data().write(to: folder.appending(path: "file"))
    let nowhere = folder.appending(path: "file/state")
    let service = try await ServiceFixture(on: bus, in: nowhere)
    let program = try await ServiceProgram(bus)
    for key in ["user:anna/guide", "unit:guide.service"] {
      let error = await #expect(throws: CallError.self) { try await program.grant(key, "always") }
      #expect(error?.name == Self.error(.notKept))
    }
    try await service.stop()
  }
}
