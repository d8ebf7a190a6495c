// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTesting
import Foundation
import Testing

@testable import Beacons

/// A client connected by name is the account's client of that name.
@Suite(.timeLimit(.minutes(1)))
struct NamedClientTests {
  private let folder = StoreFolder()

  /// A live session on which nothing is received, with the account's own store.
  private func session(_ prompter: (any Prompter)? = nil) throws -> BeaconSession {
    BeaconSession(
      EndingTests.Endless(try Timeline("--", of: Museum.hall), isLive: true),
      prompter: prompter,
      followingSwitchOf: folder.store
    )
  }

  /// Runs a live session until a closure has returned.
  private func run<Result>(
    _ session: BeaconSession,
    during work: () async throws -> Result
  ) async throws -> Result {
    let running = Task { try await session.run() }
    let result = try await work()
    running.cancel()
    _ = await running.result
    return result
  }

  // MARK: Names

  /// Row N14.
  @Test(arguments: [true, false]) func `a session has one client of a name`(isLive: Bool)
    async throws
  {
    let session =
      isLive
      ? try session() : BeaconSession(try Museum.source("-"), followingSwitchOf: folder.store)
    let guide = try await session.connect(Museum.manifest, named: "guide")
    let monitor = try await session.openMonitor(
      "museum",
      for: Museum.manifest,
      keepingStateIn: folder.store
    )
    await #expect(throws: SessionError.nameInUse("guide")) {
      try await session.connect(Museum.manifest, named: "guide")
    }
    await #expect(throws: SessionError.nameInUse("guide")) {
      try await session.openMonitor("guide", for: nil, keepingStateIn: nil)
    }
    await #expect(throws: SessionError.monitorAlreadyOpen("museum")) {
      try await session.connect(Museum.manifest, named: "museum")
    }
    await guide.terminate()
    await monitor.close()
    _ = try await session.connect(Museum.manifest, named: "museum")
    _ = try await session.openMonitor("guide", for: nil, keepingStateIn: nil)
  }

  @Test(arguments: [true, false]) func `the operator's name is no client's`(isLive: Bool)
    async throws
  {
    let session =
      isLive
      ? try session() : BeaconSession(try Museum.source("-"), followingSwitchOf: folder.store)
    await #expect(throws: SessionError.reservedName("operator")) {
      try await session.connect(Museum.manifest, named: "operator")
    }
    _ = try await session.connect()
    _ = try await session.connect()
  }

  @Test func `a client without a name is recorded under a name of its own`() async throws {
    let path = folder.path + "/run.jsonl"
    try folder.write("", to: "made")
    let session = BeaconSession(try Museum.source("-*-"), recording: Recording(path: path))
    let operation = try await session.connect()
    await operation.startMonitoring(Museum.hallRegion)
    _ = try await session.connect(Museum.manifest, named: "client2")
    _ = try await session.connect(Museum.manifest)
    await #expect(throws: SessionError.nameInUse("client3")) {
      try await session.connect(Museum.manifest, named: "client3")
    }
    try await session.run()
    let lines = try String(contentsOfFile: path, encoding: .utf8)
    let names = lines.matches(of: /"client":"(\w+)"/).map { String($0.output.1) }
    #expect(names == ["client2", "client3"])
  }

  // MARK: Grants

  @Test func `a client connected by name starts with the account's grants`() async throws {
    try folder.set(.denied)
    let always = SavedClient(authorization: SavedAuthorization(grant: .always))
    let first = try session()
    let client = try await first.connect(Museum.manifest, named: "guide", restoring: always)
    #expect(await client.snapshot?.status == .denied)
    // The store does not know this one.
    let other = try await first.connect(Museum.manifest, named: "other", restoring: always)
    #expect(await other.snapshot?.status == .authorizedAlways)
    await other.terminate()
    #expect(folder.grants("other").0.grant == .always)
    // A client without a name keeps nothing.
    _ = try await first.connect(Museum.manifest)
    #expect(folder.store.clients == ["guide", "other"])
  }

  @Test func `one program at a time runs as a client, until its session has ended`() async throws {
    let (first, second) = (try session(), try session())
    _ = try await first.connect(Museum.manifest, named: "guide")
    await #expect(throws: SessionError.nameInUse("guide")) {
      try await second.connect(Museum.manifest, named: "guide")
    }
    try await run(first) {}
    _ = try await second.connect(Museum.manifest, named: "guide")
    await #expect(throws: SessionError.monitorAlreadyOpen("guide")) {
      try await session().openMonitor(
        "guide",
        for: Museum.manifest,
        keepingStateIn: folder.store
      )
    }
  }

  @Test func `what the user answers is kept, and what another program sets arrives`() async throws {
    let session = try session(ScriptedPrompter(.whileUsing))
    let client = try await session.connect(Museum.manifest, named: "guide")
    var changes = client.authorizationChanges.makeAsyncIterator()
    try await run(session) {
      await client.requestAuthorization(.whenInUse)
      #expect(await changes.next()?.status == .authorizedWhenInUse)
      await session.files(of: client.id)?.flush()
      #expect(folder.grants().0.grant == .whenInUse)
      try folder.set(.always)
      #expect(await changes.next()?.status == .authorizedAlways)
      try folder.store.setServices(on: false)
      #expect(await changes.next()?.status == .denied)
    }
    #expect(folder.grants().0.grant == .always)
    #expect(!folder.grants().0.servicesOn)
  }

  @Test func `a monitor's state stays as it is for a client of its name`() async throws {
    try folder.keep(ClientStoreTests.state())
    try folder.set(.always)
    let before = try folder.text("clients/guide/state.json")
    let session = try session()
    let client = try await session.connect(Museum.manifest, named: "guide")
    #expect(await client.monitoredRegions.isEmpty)
    try await run(session) { await client.startMonitoring(Museum.hallRegion) }
    #expect(try folder.text("clients/guide/state.json") == before)
  }

  @Test func `damaged grants count as denied, and a diagnostic says so`() async throws {
    try folder.write("damaged", to: "clients/guide/grants.json")
    let client = try await session().connect(Museum.manifest, named: "guide")
    #expect(await client.snapshot?.status == .denied)
    for await notice in client.diagnostics {
      guard case .stateSetAside(let path, _) = notice else { continue }
      #expect(path.hasSuffix("clients/guide/grants.json.damaged-1"))
      break
    }
  }

  /// How a source yields inputs that nobody receives now.
  enum Unreal: CaseIterable {
    case replay, simulation, pacedSimulation

    func source() throws -> any ScanSource {
      let timeline = try Timeline("-*-", of: Museum.hall)
      switch self {
      case .replay: return TimelineSource(timeline)
      case .simulation: return TimelineSource(timeline, isLive: true)
      case .pacedSimulation:
        return PacedSource(TimelineSource(timeline, isLive: true), speed: 1e6)
      }
    }
  }

  @Test(arguments: Unreal.allCases)
  func `a replay or a simulation neither reads nor writes the account's own store`(
    _ kind: Unreal
  ) async throws {
    try folder.set(.denied)
    try folder.set(.denied, "museum")
    try folder.store.setServices(on: false)
    let before = try folder.text("clients/guide/grants.json")
    let session = BeaconSession(
      try kind.source(),
      prompter: ScriptedPrompter(.whileUsing),
      followingSwitchOf: folder.store
    )
    let client = try await session.connect(Museum.manifest, named: "guide")
    let monitor = try await session.openMonitor(
      "museum",
      for: Museum.manifest,
      granted: .authorizedAlways,
      keepingStateIn: folder.store
    )
    #expect(await client.snapshot?.status == .notDetermined)
    #expect(await monitor.client.snapshot?.status == .authorizedAlways)
    await client.changeSettings(authorization: .always)
    await monitor.add(Museum.hallRegion)
    try await session.run()
    await monitor.close()
    #expect(try folder.text("clients/guide/grants.json") == before)
    #expect(!folder.exists("clients/museum/state.json"))
    #expect(!folder.exists("clients/guide/lease") && !folder.exists("clients/museum/lease"))
  }

  @Test func `a simulation that does not wait uses a store that the caller names`() async throws {
    let store = ClientStore(
      directory: folder.path,
      isStandard: false,
      machineWide: folder.path + "/root/machine.json"
    )
    try folder.set(.denied)
    let session = BeaconSession(try Unreal.simulation.source(), followingSwitchOf: store)
    let client = try await session.connect(Museum.manifest, named: "guide")
    #expect(await client.snapshot?.status == .denied)
  }
}

extension BeaconSession {
  /// The files of a client.
  fileprivate func files(of client: ClientID) -> ClientFiles? { keeper.client(client)?.files }
}
