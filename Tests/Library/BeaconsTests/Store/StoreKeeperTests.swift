// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconFormats
import BeaconTesting
import Foundation
import Synchronization
import SystemKit
import Testing

@testable import BeaconCore
@testable import Beacons

/// A command's run and a program keep the same client, by one rule each.
@Suite(.timeLimit(.minutes(1)))
struct StoreKeeperTests {
  private let folder = StoreFolder()

  private func files(_ owner: ClientFiles.Owner, _ name: String = "guide") -> ClientFiles {
    ClientFiles(
      name,
      of: owner,
      readingGrantsOf: folder.store,
      keepingGrantsIn: folder.store,
      keepingStateIn: folder.store,
      isOperator: false
    )
  }

  /// A command's run over nothing, whose client has read its grants.
  private func run(
    _ files: ClientFiles,
    startingAt start: Timestamp = Timeline.start,
    _ body: (inout RunCore, ClientID) throws -> Void
  ) throws {
    let keeper = StoreKeeper(
      isLive: true,
      of: files,
      regions: [Museum.hallRegion],
      restoredFor: .seconds(900),
      restores: true
    )
    let grants = keeper.readGrants()
    var core = RunCore(
      RunEngine(EngineDriver(Configuration(), startingAt: start)),
      policy: .live,
      participants: [keeper]
    )
    let connected = core.context.driver?.connect(
      Museum.manifest,
      restoring: SavedClient(authorization: grants)
    )
    let id = try #require(connected)
    core.context.client = id
    keeper.begin(id, &core.context)
    try core.begin()
    try body(&core, id)
    try core.finish(isComplete: true)
  }

  // MARK: Receivers

  /// Runs with two receivers, one of which receives the beacon.
  private func keepsInside(_ names: [String], receivedBy receiver: UInt8) throws {
    try folder.set(.always)
    try run(files(.run)) { core, _ in
      let states: [ScanInput] = [0, 1].map { .radio(receiver: $0, .listening, Timeline.start) }
      try core.supply(ScanBatch(inputs: states), receivers: names)
      while case .deliveries = try core.advance() { continue }
      let payload = BeaconEncoder.advertisingData(Museum.hall, measuredPower: -59)
      let report = AdvertisingReport(
        time: Timeline.start + .seconds(1),
        rssi: -60,
        receiver: receiver,
        address: nil,
        payloadStart: 0,
        payloadCount: UInt16(payload.count)
      )
      try core.supply(ScanBatch(bytes: payload, inputs: [.report(report)]), receivers: names)
      while case .deliveries = try core.advance() { continue }
    }
  }

  /// Row G26.
  @Test func `a later run knows by name which receivers received the beacons of its regions`()
    throws
  {
    try keepsInside(["attic", "hall"], receivedBy: 1)
    #expect(folder.state().0.runRegions.map(\.receivedBy) == [["hall"]])
    let start = Timeline.start + .seconds(5)
    try run(files(.run), startingAt: start) { core, id in
      let listening = ScanInput.radio(receiver: 0, .listening, start)
      let later = ScanInput.mark(start + .seconds(50))
      try core.supply(ScanBatch(inputs: [listening, later]), receivers: ["attic"])
      while case .deliveries = try core.advance() { continue }
      let saved = core.context.engine.saved(id).regions
      #expect(saved.map(\.state) == [.unknown])
      #expect(saved.map(\.lastKnown) == [.inside])
      // It is kept also by a run in which the receiver never was.
      #expect(saved.map(\.receivedBy) == [["hall"]])
    }
  }

  @Test func `of one receiver nothing is kept, and without its name any receiver counts`() throws {
    try keepsInside(["hall"], receivedBy: 0)
    #expect(folder.state().0.runRegions.map(\.receivedBy) == [[]])
    let start = Timeline.start + .seconds(5)
    try run(files(.run), startingAt: start) { core, id in
      let listening = ScanInput.radio(receiver: 0, .listening, start)
      let later = ScanInput.mark(start + .seconds(50))
      try core.supply(ScanBatch(inputs: [listening, later]), receivers: ["attic"])
      while case .deliveries = try core.advance() { continue }
      #expect(core.context.engine.saved(id).regions.map(\.state) == [.outside])
    }
  }

  // MARK: Grants

  @Test func `a run continues only when a decision is on the disk, and keeps no restriction`()
    throws
  {
    try run(files(.run)) { core, id in
      #expect(folder.store.clients.isEmpty)
      try core.act(.settings(authorization: .whileUsing), by: id)
      try core.act(.restriction(on: true), by: nil)
      try core.settle()
      #expect(folder.grants().0.grant == .whenInUse)
      #expect(!folder.grants().0.isRestricted)
    }
  }

  @Test func `a run follows what another program changes, also after a write failed`() throws {
    try run(files(.run)) { core, id in
      folder.failing.step.withLock { $0 = .write }
      try core.act(.settings(authorization: .whileUsing), by: id)
      try core.settle()
      folder.failing.step.withLock { $0 = nil }
      #expect(folder.grants().0.grant == .notDetermined)
      try folder.set(.always)
      #expect(try core.wait())
      #expect(try core.advance() == .batch(until: core.context.engine.nextDeadline))
      #expect(core.context.driver?.grants(of: id)?.grant == .always)
    }
  }

  @Test
  func `a decision in a run is kept although the file was removed, and time brings no file back`()
    async throws
  {
    try run(files(.run)) { core, id in
      try core.act(.settings(authorization: .whileUsing), by: id)
      try core.settle()
      // In one step, since the files may just be written.
      try FileManager.default.moveItem(
        atPath: folder.path + "/clients",
        toPath: folder.path + "/gone"
      )
      try core.act(.settings(authorization: .never), by: id)
      try core.settle()
      #expect(folder.grants().0.grant == .denied)
    }
    var grants = SavedAuthorization(grant: .provisionalAlways, confirmationDue: true)
    var notes: [ClientDiagnostic] = []
    try folder.store.change("guide", notes: &notes) { $0 = grants }
    let files = files(.run)
    _ = try await files.open()
    try folder.store.reset("guide")
    grants.confirmationDue = false
    files.save(grants)
    await files.flush()
    #expect(!folder.exists("clients/guide/grants.json"))
  }

  @Test(arguments: [ClientFiles.Owner.program, .run])
  func `the second prompt stays due without the event that is held back`(
    _ owner: ClientFiles.Owner
  ) async throws {
    let files = files(owner)
    var notes: [ClientDiagnostic] = []
    _ = files.readGrants(notes: &notes)
    files.save(
      SavedAuthorization(
        grant: .provisionalAlways,
        alwaysSpent: true,
        held: HeldEvent(id: 1, time: Timeline.start)
      )
    )
    await files.flush()
    #expect(folder.grants().0.grant == .provisionalAlways)
    #expect(folder.grants().0.confirmationDue)
    #expect(folder.grants().0.held == nil)
  }

  @Test func `grants that were never read are not written`() async throws {
    let files = files(.run)
    files.save(SavedAuthorization(grant: .always))
    await files.flush()
    #expect(folder.store.clients.isEmpty)
  }

  // MARK: Regions

  @Test func `of one name a program's region and a run's are two, and neither replaces the other`()
    async throws
  {
    var kept = ClientStoreTests.state()
    kept.runRegions = ClientStoreTests.state(at: 1, .outside).regions
    try folder.keep(kept)
    let name = "clients/guide/state.json"
    #expect(folder.state().0 == kept)
    let text = try folder.text(name)
    #expect(text.matches(of: /"owner": "run"/).count == 1)
    let marked = text.replacing("\"owner\": \"run\"", with: "\"owner\": \"run\", \"mark\": 7")
    try folder.write(marked, to: name)
    let program = try await files(.program).open()
    #expect(program.state.regions == kept.regions)
    // A program that has no region any more, and a run that has left its own.
    try folder.change { $0.keepProgram(ClientState()) }
    #expect(folder.state().0.regions.isEmpty)
    #expect(folder.state().0.runRegions == kept.runRegions)
    #expect(try folder.text(name).contains("\"mark\": 7"))
    try folder.change {
      $0.keepProgram(ClientStoreTests.state(at: 2))
      $0.keepRun([], replacing: ["hall"], at: Timeline.start, for: .seconds(900))
    }
    #expect(folder.state().0 == ClientStoreTests.state(at: 2))
    #expect(try !folder.text(name).contains("mark"))
  }

  @Test func `a run restores the states of the last one, and saves at each crossing`() throws {
    try folder.set(.always)
    var kept = ClientState()
    kept.runRegions = ClientStoreTests.state().regions
    try folder.keep(kept)
    try run(files(.run)) { core, id in
      #expect(core.context.engine.saved(id).regions.map(\.state) == [.inside])
      try core.act(.settings(authorization: .never), by: id)
      try core.settle()
    }
    #expect(folder.state().0.runRegions.isEmpty)
    #expect(folder.grants().0.grant == .denied)
  }
}
