// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconFormats
import SystemKit
import BeaconTesting
import Foundation
import Synchronization
import Testing

@testable import Beacons

/// Users' decisions are never lost and never widened; state that changes by the minute may be lost.
@Suite(.timeLimit(.minutes(1)))
struct ClientStoreTests {
  private let folder = StoreFolder()
  private let grantsName = "clients/guide/grants.json"
  private let stateName = "clients/guide/state.json"

  static func state(at second: Int64 = 0, _ state: RegionState = .inside) -> ClientState {
    var kept = ClientState()
    kept.regions = [
      SavedRegion(Museum.hallRegion, state: state, savedAt: Timeline.start + .seconds(second))
    ]
    return kept
  }

  // MARK: Sites

  @Test func `offsets of receivers are kept by site, the latest sites only`() throws {
    for number in 0..<20 {
      try folder.store.keep(receiverOffsets: ["hall": 6, "c": -number], ofModel: "\(number)")
    }
    try folder.store.keep(receiverOffsets: ["hall": -6], ofModel: "19")
    #expect(folder.store.receiverOffsets(ofModel: "19") == ["hall": -6])
    #expect(folder.store.receiverOffsets(ofModel: "18") == ["hall": 6, "c": -18])
    #expect(folder.store.receiverOffsets(ofModel: "3").isEmpty)
  }

  @Test(arguments: ["", "{}", #"{"version":1,"sites":[{"model":7}]}"#, #"{"version":1,"sites":4}"#])
  func `a damaged file of sites is set aside when offsets are kept`(content: String) throws {
    try folder.write(content, to: "sites.json")
    #expect(folder.store.receiverOffsets(ofModel: "a").isEmpty)
    try folder.store.keep(receiverOffsets: ["hall": 6], ofModel: "a")
    #expect(folder.store.receiverOffsets(ofModel: "a") == ["hall": 6])
    #expect(folder.exists("sites.json.damaged-1"))
  }

  @Test func `a file of sites that a newer program wrote stays`() throws {
    try folder.write(#"{"version":2}"#, to: "sites.json")
    #expect(folder.store.receiverOffsets(ofModel: "a").isEmpty)
    #expect(throws: StoreError.self) {
      try folder.store.keep(receiverOffsets: ["hall": 6], ofModel: "a")
    }
  }

  // MARK: Names

  @Test(arguments: [
    "guide", "", "machine", "../../etc", "a b/c%", ".", "\u{1F3DB}",
    String(repeating: "é", count: 400),
    String(repeating: "x", count: 141),
  ])
  func `each name has a folder of its own below the longest name of a file`(_ name: String) throws {
    try folder.set(.always, name)
    try folder.set(.denied, name + "2")
    #expect(folder.store.clients == [name, name + "2"].sorted())
    #expect(folder.grants(name).0.grant == .always)
    #expect(!folder.exists("machine.json"))
    let parts = folder.store.grantsPath(of: name).dropFirst(folder.path.count).split(separator: "/")
    #expect(parts.allSatisfy { $0.utf8.count < 255 && $0 != ".." && $0 != "." })
  }

  @Test func `a folder that the store has not named is no client`() throws {
    try folder.set(.always)
    for name in ["%61", "a.b", "%6", "%2f"] {
      try folder.write(#"{"version":1,"grants":{}}"#, to: "clients/\(name)/grants.json")
    }
    #expect(folder.store.clientNames == ["guide"])
  }

  @Test func `a name that no path can hold is refused`() {
    #expect(throws: StoreError.nameTooLong) {
      try folder.set(.always, String(repeating: "x", count: 1001))
    }
  }

  @Test func `nobody but the operator is called so`() async throws {
    let session = BeaconSession(try Museum.source("-"))
    await #expect(throws: SessionError.reservedName("operator")) {
      _ = try await session.openMonitor(
        "operator",
        for: Museum.manifest,
        keepingStateIn: ClientStore(directory: folder.path)
      )
    }
  }

  // MARK: Revisions

  @Test func `writing a state never makes a decision of a user fail`() throws {
    try folder.set(.whenInUse)
    let known = folder.grants().0
    try folder.keep(Self.state())
    #expect(try folder.set(.always, from: known)?.grant == .always)
    #expect(try folder.set(.denied, from: known) == nil)
    #expect(folder.grants().0.grant == .always)
  }

  @Test func `two changes of one client at the same time are both stored`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<8 {
        group.addTask { [store = folder.store] in
          var notes: [ClientDiagnostic] = []
          let client = "client\(index % 2)"
          try store.change(client, notes: &notes) {
            $0.until = Timestamp(microseconds: ($0.until?.microseconds ?? 0) + 1)
          }
        }
      }
      try await group.waitForAll()
    }
    for client in ["client0", "client1"] {
      #expect(folder.grants(client).0.until?.microseconds == 4)
    }
  }

  @Test func `whoever changes a client's files holds their lock`() throws {
    var notes: [ClientDiagnostic] = []
    let store = folder.store
    let lock = store.folder(of: "guide") + "/lock"
    try store.change("guide", notes: &notes) { _ in #expect((try? FileLock(lock)) == nil) }
    #expect(try FileLock(lock) != nil)
  }

  @Test func `a lease keeps a second program out and lets grants be set`() async throws {
    let first = ClientFiles("guide", in: folder.store)
    _ = try await first.open()
    let second = ClientFiles("guide", in: folder.store)
    await #expect(throws: SessionError.monitorAlreadyOpen("guide")) { _ = try await second.open() }
    #expect(try folder.set(.always)?.grant == .always)
    await first.close()
    #expect(try await second.open().grants?.grant == .always)
  }

  @Test func `one lease of all clients keeps others out, and costs one descriptor`() async throws {
    let all = folder.store.leased()
    var clients: [ClientFiles] = []
    for number in 0..<3 {
      let client = ClientFiles("guide\(number)", in: all)
      _ = try await client.open()
      clients.append(client)
      #expect(try FileLock(all.folder(of: "guide\(number)") + "/lease") != nil)
    }
    let other = ClientFiles("guide1", in: folder.store)
    await #expect(throws: SessionError.monitorAlreadyOpen("guide1")) { _ = try await other.open() }
    #expect(throws: StoreError.self) { try folder.store.forget("guide1") }
    // Who has a client's lease keeps it from a process that runs as all.
    let second = StoreFolder()
    let first = ClientFiles("guide", in: second.store)
    _ = try await first.open()
    let late = ClientFiles("guide", in: second.store.leased())
    await #expect(throws: SessionError.monitorAlreadyOpen("guide")) { _ = try await late.open() }
  }

  @Test func `grants that are too large are set aside like others that cannot be read`() throws {
    try folder.write(String(repeating: " ", count: WholeFile.limit + 1), to: grantsName)
    #expect(folder.grants().0.grant == .denied)
    #expect(folder.exists(grantsName + ".damaged-1"))
    #expect(try folder.set(.always)?.grant == .always)
    #expect(folder.grants().0.grant == .always)
  }

  @Test func `a client whose folder others may write is listed`() throws {
    try folder.set(.always, "museum")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/clients/guide",
      withIntermediateDirectories: true
    )
    #expect(folder.store.clients == ["museum"])
    chmod(folder.path + "/clients/guide", 0o777)
    #expect(folder.store.clients == ["guide", "museum"])
    #expect(folder.grants().1.count == 1)
  }

  @Test func `a client is known once it ran, and writes nothing after its end`() async throws {
    let client = ClientFiles("guide", in: folder.store)
    #expect(try await !client.open().isKnown)
    client.save(SavedAuthorization())
    await client.flush()
    #expect(folder.store.clients == ["guide"])
    await client.close()
    client.save(SavedAuthorization(grant: .always))
    await client.flush()
    #expect(folder.grants().0.grant == .notDetermined)
  }

  @Test func `the operator has no grants, and a program's state leaves a command's regions`()
    async throws
  {
    let name = ClientStore.operatorName
    var kept = Self.state()
    kept.runRegions = kept.regions
    try folder.keep(kept, name, grants: nil)
    let client = ClientFiles(name, in: folder.store, isOperator: true)
    _ = try await client.open()
    client.save(SavedAuthorization(grant: .denied))
    client.saveState(nil, isLast: true) { $0.keepProgram(ClientState()) }
    await client.close()
    #expect(!folder.exists("clients/operator/grants.json"))
    #expect(folder.state(name).0.regions.isEmpty)
    #expect(folder.state(name).0.runRegions == kept.runRegions)
  }

  @Test func `a time of saving alone is written at the end or when it has aged`() throws {
    try folder.keep(Self.state(at: 0))
    let written = try folder.text(stateName)
    try folder.keep(Self.state(at: 60))
    #expect(try folder.text(stateName) == written)
    try folder.keep(Self.state(at: 60), isLast: true)
    #expect(folder.state().0 == Self.state(at: 60))
    try folder.keep(Self.state(at: 359))
    #expect(folder.state().0 == Self.state(at: 60))
    try folder.keep(Self.state(at: 360))
    #expect(folder.state().0 == Self.state(at: 360))
    try folder.keep(Self.state(at: 361, .outside))
    #expect(folder.state().0 == Self.state(at: 361, .outside))
  }

  // MARK: Crashes and full disks

  /// Law L9.
  @Test(arguments: DurableFile.Step.allCases)
  func `whenever writing stops, the old grants or the new ones are there`(
    _ step: DurableFile.Step
  ) throws {
    try folder.set(.whenInUse)
    try folder.keep(Self.state())
    folder.failing.step.withLock { $0 = step }
    #expect(throws: SystemError.self) { try folder.set(.denied) }
    #expect(throws: SystemError.self) { try folder.keep(Self.state(at: 1, .outside)) }
    for name in [grantsName, stateName] { #expect(!folder.exists(name + ".new")) }
    let isThere = step == .synchronizeFolder
    #expect(folder.grants().0.grant == (isThere ? .denied : .whenInUse))
    #expect(folder.state().0 == (isThere ? Self.state(at: 1, .outside) : Self.state()))
    folder.failing.step.withLock { $0 = nil }
    // A file left by a killed process does not prevent the write.
    try folder.write("{ \"vers", to: grantsName + ".new")
    #expect(try folder.set(.always)?.grant == .always)
    #expect(!folder.exists(grantsName + ".new"))
  }

  @Test func `a folder that cannot be made is reported, and nothing is granted`() throws {
    try folder.write("", to: "file")
    let store = ClientStore(directory: folder.path + "/file/below")
    var notes: [ClientDiagnostic] = []
    let error = #expect(throws: SystemError.self) {
      try store.change("guide", notes: &notes) { $0.grant = .always }
    }
    // The reason is the folder, and not that a file in it cannot be written.
    #expect(error?.kind == .make)
    #expect(notes.isEmpty)
    #expect(store.grants(of: "guide", notes: &notes).grant == .denied)
    #expect(!notes.isEmpty)
  }

  @Test func `a writer reports a full disk once, and what the user decided holds in the program`()
    async throws
  {
    let client = ClientFiles("guide", in: folder.store)
    _ = try await client.open()
    let (reports, reported) = AsyncStream.makeStream(of: ClientDiagnostic.self)
    client.onFailure { reported.yield($0) }
    folder.failing.step.withLock { $0 = .write }
    for grant in [SavedAuthorization.Grant.whenInUse, .always] {
      client.save(SavedAuthorization(grant: grant))
      await client.flush()
    }
    folder.failing.step.withLock { $0 = nil }
    // The user's decision is never mistaken for another program's change.
    #expect(await client.look().isEmpty)
    client.save(SavedAuthorization(grant: .always))
    #expect(await client.look().isEmpty)
    await client.close()
    reported.finish()
    #expect(await reports.reduce(0) { count, _ in count + 1 } == 1)
    #expect(folder.grants().0.grant == .always)
  }

  // MARK: Damage and versions

  @Test(arguments: ["", "{", "[1]", "{\"version\":0}", "{\"version\":1}", "\u{0}\u{1}"])
  func `a torn state costs no grant, and damaged grants allow nothing`(_ damage: String) throws {
    try folder.set(.always)
    try folder.keep(Self.state())
    try folder.write(damage, to: stateName)
    let (state, notes) = folder.state()
    #expect(state == ClientState())
    #expect(notes.count == 1)
    #expect(folder.grants().0.grant == .always)
    #expect(try folder.text(stateName + ".damaged-1") == damage)
    try folder.write(damage, to: grantsName)
    #expect(folder.grants().0.grant == .denied)
    #expect(try folder.text(grantsName + ".damaged-1") == damage)
    // Nobody is asked again because of the damage, also not the next time.
    #expect(folder.grants().0.grant == .denied)
    try folder.write(damage, to: grantsName)
    try folder.set(.denied)
    #expect(try folder.text(grantsName + ".damaged-2") == damage)
    #expect(folder.grants().0.grant == .denied)
  }

  @Test func `files of a newer version are neither read nor written, and reported`() throws {
    let newer = #"{"version": 2, "grants": {"authorization": "always"}}"#
    try folder.write(newer, to: grantsName)
    try folder.write(newer, to: stateName)
    try folder.write(newer, to: "machine.json")
    let (grants, notes) = folder.grants()
    #expect(grants.grant == .denied)
    #expect(!grants.servicesOn)
    #expect(notes.count == 2)
    #expect(folder.state().0 == ClientState())
    #expect(throws: StoreError.self) { try folder.set(.denied) }
    #expect(throws: StoreError.self) { try folder.keep(Self.state()) }
    #expect(throws: StoreError.self) { try folder.store.setServices(on: true) }
    #expect(throws: StoreError.self) { try folder.store.reset("guide") }
    for name in [grantsName, stateName, "machine.json"] {
      #expect(try folder.text(name) == newer)
    }
  }

  @Test func `a client that is forgotten leaves nothing, not even what was set aside`() throws {
    try folder.write("{", to: grantsName)
    #expect(folder.grants().0.grant == .denied)
    #expect(folder.exists(grantsName + ".damaged-1"))
    try folder.store.reset("guide")
    #expect(!folder.exists(grantsName) && !folder.exists(grantsName + ".damaged-1"))
    #expect(folder.grants().0 == SavedAuthorization())
  }

  @Test func `a folder in the place of a file is set aside whole`() throws {
    for name in [grantsName, stateName] {
      try folder.write("mine", to: name + "/notes")
    }
    #expect(folder.grants().0.grant == .denied)
    #expect(folder.state().0 == ClientState())
    try folder.set(.always)
    try folder.keep(Self.state())
    #expect(folder.grants().0.grant == .always)
    try folder.store.reset("guide")
    for name in [grantsName, stateName] {
      #expect(try folder.text(name + ".damaged-1/notes") == "mine")
      #expect(!folder.exists(name))
      try folder.write("mine", to: name + "/notes")
    }
    try folder.store.reset("guide")
    for name in [grantsName, stateName] {
      #expect(try folder.text(name + ".damaged-2/notes") == "mine")
    }
    try folder.set(.always)
    #expect(try folder.store.forget("guide").map { $0.hasSuffix("/grants.json") } == [true])
    #expect(try folder.text(grantsName + ".damaged-1/notes") == "mine")
  }

  // MARK: Others on the machine

  @Test func `a folder that every account may write is not believed`() throws {
    try folder.set(.always)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    let (grants, notes) = folder.grants()
    #expect(grants.grant == .denied)
    #expect(!grants.servicesOn)
    #expect(notes.contains { "\($0)".contains("can be written by other accounts") })
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
    #expect(folder.grants().0.grant == .always)
  }

  @Test(arguments: [0o777, 0o775], ["", "clients", "clients/guide", "clients/guide/grants.json"])
  func `each level down to the file is judged`(_ mode: Int, _ level: String) throws {
    try folder.set(.always)
    let path = folder.path + "/" + level
    let shared = mode & 0o1000 == 0
    #expect(chown(path, UInt32.max, 4242) == 0 || geteuid() != 0)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let isOwnGroup = geteuid() != 0 && mode == 0o775
    #expect((folder.grants().0.grant == .denied) == (shared && !isOwnGroup), "\(level)")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    #expect(folder.grants().0.grant == .always)
  }

  @Test(
    .enabled(if: geteuid() == 0),
    arguments: ["", "clients/guide", "clients/guide/grants.json"]
  )
  func `a file or folder of another account is not believed`(_ level: String) throws {
    try folder.set(.always)
    #expect(chown(folder.path + "/" + level, 65_534, 0) == 0)
    #expect(folder.grants().0.grant == .denied)
    #expect(folder.grants().1.contains { "\($0)".contains("'chown' it") })
    // Also if all of it is that account's.
    #expect(chown(folder.path, 65_534, 0) == 0)
    #expect(folder.grants().0.grant == .denied)
    #expect(throws: StoreError.self) { try folder.set(.always) }
  }

  @Test(.enabled(if: geteuid() == 0), arguments: [SavedAuthorization.Grant.always, .denied])
  func `a decision replaces a file of another account, also one with the same decision`(
    _ grant: SavedAuthorization.Grant
  ) throws {
    try folder.set(.always)
    try folder.keep(Self.state())
    try folder.store.keep(receiverOffsets: ["a": 1], ofModel: "old")
    for name in [grantsName, stateName, "sites.json"] {
      #expect(chown(folder.path + "/" + name, 65_534, 0) == 0)
    }
    try folder.set(grant)
    #expect(folder.grants().0.grant == grant && folder.grants().1.isEmpty)
    try folder.change { _ in }
    try folder.store.keep(receiverOffsets: ["a": 1], ofModel: "new")
    // Nothing of the others is taken over.
    #expect(folder.state().0 == ClientState())
    #expect(folder.store.receiverOffsets(ofModel: "old").isEmpty)
  }

  @Test(arguments: ["file", "link", "pipe"], ["", "clients"])
  func `clients that cannot be listed are not none`(_ kind: String, _ level: String) throws {
    #expect(try folder.store.knownClients().isEmpty)
    try folder.set(.always)
    let path = folder.path + (level.isEmpty ? "" : "/" + level)
    try FileManager.default.removeItem(atPath: path)
    switch kind {
    case "file": try Data().write(to: URL(fileURLWithPath: path))
    case "link": #expect(symlink("/nowhere/at/all", path) == 0)
    default: #expect(mkfifo(path, 0o600) == 0)
    }
    #expect(throws: SystemError.self) { try folder.store.knownClients() }
    #expect(folder.grants().0.grant == .denied)
    #expect(folder.grants().0.servicesOn == !level.isEmpty)
  }

  @Test func `nothing is made in a folder that is not believed`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    // Whoever runs as the client runs, without a lease.
    #expect(try folder.store.lease(of: "guide") != nil)
    #expect(throws: StoreError.self) { try folder.set(.always) }
    #expect(throws: StoreError.self) { try folder.keep(Self.state()) }
    #expect(throws: StoreError.self) { try folder.store.setServices(on: false) }
    #expect(throws: StoreError.self) {
      try folder.store.keep(receiverOffsets: ["a": 1], ofModel: "m")
    }
    #expect(throws: SystemError.self) {
      try folder.store.makeFolders(for: folder.store.folder(of: "guide") + "/service.json")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a folder to which a link of another account leads is not believed`() throws {
    try folder.set(.always)
    let link = folder.path + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
    defer { unlink(link) }
    #expect(lchown(link, 65_534, 65_534) == 0)
    var notes: [ClientDiagnostic] = []
    #expect(ClientStore(directory: link).grants(of: "guide", notes: &notes).grant == .denied)
    #expect(throws: StoreError.self) {
      try ClientStore(directory: link).change("guide", notes: &notes) { $0.grant = .denied }
    }
    #expect(folder.grants().0.grant == .always)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a pipe in the place of a file is set aside and not waited for`() throws {
    try folder.set(.always)
    let path = folder.path + "/" + grantsName
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(folder.grants().0.grant == .denied)
    #expect(folder.exists(grantsName + ".damaged-1"))
  }

  @Test func `a link in the place of the new file is not followed`() throws {
    try folder.set(.always)
    try folder.write("victim", to: "victim")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/" + grantsName + ".new",
      withDestinationPath: folder.path + "/victim"
    )
    try folder.set(.whenInUse)
    #expect(try folder.text("victim") == "victim")
    #expect(folder.grants().0.grant == .whenInUse)
    let status = FileStatus(folder.path + "/" + grantsName)
    #expect(status?.mode == 0o600)
  }

  @Test func `a lock says which process holds it`() throws {
    try folder.set(.always)
    let path = folder.path + "/held"
    let lock = try FileLock(path)
    let holder = FileLock.holder(of: path)
    #expect(lock != nil)
    #expect(holder.hasPrefix("process \(getpid()) ("))
    #expect(try FileLock(path) == nil)
    #expect("\(StoreError.locked(path: path, holder: holder))".contains("process \(getpid())"))
  }

  @Test func `keys that this version does not know survive, also inside of sections`() throws {
    try folder.set(.whenInUse)
    try folder.keep(Self.state())
    try folder.store.setServices(on: false)
    func add(_ key: String, after place: String, in name: String) throws {
      let text = try folder.text(name)
      let changed = text.replacing(place, with: "\(place) \"\(key)\": [1.5, {\"a\": null}],")
      #expect(changed != text)
      try folder.write(changed, to: name)
    }
    try add("top", after: "{\n", in: grantsName)
    try add("inner", after: "\"grants\": {", in: grantsName)
    try add("inner", after: "\"regions\": [\n    {", in: stateName)
    try add("top", after: "{\n", in: "machine.json")
    try folder.set(.always)
    try folder.keep(Self.state(at: 1, .outside))
    try folder.store.setServices(on: true)
    #expect(try folder.text(grantsName).contains("\"top\""))
    #expect(try folder.text(grantsName).contains("\"inner\""))
    #expect(try folder.text(stateName).contains("\"inner\""))
    #expect(try folder.text("machine.json").contains("\"top\""))
    #expect(folder.grants().0.grant == .always)
    #expect(folder.state().0 == Self.state(at: 1, .outside))
    // A removed region's keys are removed with it.
    try folder.keep(ClientState(), isLast: true)
    #expect(!folder.exists(stateName))
  }

  // MARK: Switches

  @Test(arguments: ["", "{", "{\"version\":1}", "{\"version\":1,\"services\":1}"])
  func `a switch that cannot be read counts as off and stays in its place`(_ damage: String) throws
  {
    for name in ["machine.json", "root/machine.json"] {
      try folder.write(damage, to: name)
      #expect(!folder.grants().0.servicesOn)
      #expect(folder.grants().1.count == 1)
      #expect(try folder.text(name) == damage)
      let scope = name == "machine.json" ? ClientStore.ServicesScope.account : .machine
      try folder.store.setServices(on: true, of: scope)
      #expect(folder.grants().0.servicesOn)
      let isJSON = damage.hasSuffix("}")
      #expect(try isJSON || folder.text(name + ".damaged-1") == damage)
    }
  }

  /// An entry with the name of a file or of its folder is there, even if it leads nowhere.
  @Test(arguments: ["clients/guide/grants.json", "clients/guide", "clients"])
  func `a link that leads nowhere is not nothing`(name: String) throws {
    try folder.set(.always)
    for name in [name, "machine.json"] {
      try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/" + name,
        withDestinationPath: "/nowhere/\(name)"
      )
    }
    #expect(folder.grants().0.grant == .denied)
    #expect(!folder.grants().0.servicesOn)
  }

  @Test func `grants that cannot be opened count as denied, and are not replaced`() throws {
    try folder.set(.always)
    let path = folder.path + "/" + grantsName
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    #expect(folder.grants().0.grant == .denied)
    #expect(throws: SystemError.self) { try folder.set(.always) }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == path)
  }

  @Test func `a switch that cannot be opened counts as off`() throws {
    // Also for root, who may open what has no permissions.
    try folder.set(.always)
    let path = folder.path + "/machine.json"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    #expect(!folder.grants().0.servicesOn)
    #expect(folder.grants().1.count == 1)
  }

  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func `services are on where the account's switch and the machine's are`(
    _ account: Bool,
    _ machine: Bool
  ) throws {
    try folder.store.setServices(on: account)
    try folder.write(#"{"version":1,"services":\#(machine)}"#, to: "root/machine.json")
    #expect(folder.grants().0.servicesOn == (account && machine))
  }

  @Test func `the machine's switch is written for every account to read`() throws {
    try folder.store.setServices(on: false, of: .machine)
    #expect(!folder.grants().0.servicesOn)
    #expect(!folder.exists("machine.json"))
    let file = folder.path + "/root/machine.json"
    #expect(FileStatus(file)?.mode == 0o644)
    #expect(FileStatus(folder.path + "/root")?.mode == 0o755)
    try folder.store.setServices(on: true, of: .machine)
    #expect(folder.grants().0.servicesOn)
  }

  @Test(.enabled(if: geteuid() == 0), arguments: ["machine.json", "root/machine.json"])
  func `a switch of another account counts as off until it is set again`(_ name: String) throws {
    let scope = name == "machine.json" ? ClientStore.ServicesScope.account : .machine
    try folder.store.setServices(on: true, of: scope)
    #expect(chown(folder.path + "/" + name, 65_534, 0) == 0)
    #expect(!folder.grants().0.servicesOn)
    #expect(folder.grants().1.contains { "\($0)".contains("'chown' it") })
    try folder.store.setServices(on: true, of: scope)
    #expect(folder.grants().0.servicesOn && folder.grants().1.isEmpty)
    guard scope == .machine else { return }
    #expect(chown(folder.path + "/root", 65_534, 0) == 0)
    #expect(!folder.grants().0.servicesOn)
    #expect(throws: StoreError.self) { try folder.store.setServices(on: true, of: scope) }
  }

  // MARK: What a limited client may not know

  @Test(arguments: [
    SavedAuthorization(grant: .denied), SavedAuthorization(grant: .always, accuracy: .reduced),
    SavedAuthorization(grant: .always, servicesOn: false), SavedAuthorization(),
    SavedAuthorization(grant: .always, isRestricted: true),
  ])
  func `a limited client's file contains only its requests`(_ grants: SavedAuthorization) throws {
    var state = Self.state()
    state.regions[0].intervals = [MonitorTests.intervals]
    state.runRegions = state.regions
    state.held = HeldEvent(id: 1, time: Timeline.start)
    state.heldEvents = [.regionState("hall", .inside, .observed, .received)]
    let event = MonitorEvent(
      identifier: "hall",
      time: Timeline.start,
      state: .satisfied,
      origin: .observed,
      reason: .received,
      refinement: Museum.hall
    )
    (state.handled, state.unhandled) = ([event], [event])
    try folder.keep(state)
    #expect(folder.state().0 == state)
    let text = try folder.text(stateName)
    try folder.write(text.replacing("{\n", with: "{\n\"nearest\": \"here\",\n"), to: stateName)
    try folder.keep(state, grants: grants)
    let kept = folder.state().0
    #expect(kept.regions.map(\.region) == [Museum.hallRegion])
    #expect(kept.regions.map(\.state) == [.unknown])
    var only = ClientState()
    only.regions = kept.regions
    #expect(kept == only)
    #expect(try !folder.text(stateName).contains("nearest"))
  }

  @Test func `every key that is written is one that the store knows`() throws {
    var state = Self.state()
    state.regions[0].intervals = [MonitorTests.intervals]
    state.regions[0].clock = SavedExitClock(
      present: [.init(Museum.hall, remaining: .seconds(1))],
      packetsDue: .seconds(2),
      common: MonitorTests.intervals
    )
    let old = try JSON5.parse(StoreFile.bytes(of: state))
    // The data of a removed region is not mistaken for unknown keys, and neither is a clock that nobody needs any more.
    for intervals in [[], [MonitorTests.intervals]] {
      var later = Self.state(at: 1, .unknown)
      later.regions[0].intervals = intervals
      #expect(StoreFile.bytes(of: later, keeping: old) == StoreFile.bytes(of: later))
    }
  }
}
