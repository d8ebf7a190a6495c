// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import SystemKit
import BeaconTestSupport
import BeaconTesting
import Foundation
import Synchronization
import Testing

@testable import Beacons

/// The state files of version 0.1.0 are migrated, and nothing in them is lost or widened.
@Suite(.timeLimit(.minutes(1)))
struct MigrationTests {
  private let folder = StoreFolder()

  init() throws {
    let fixture = ProjectFiles.root.appending(path: "Fixtures/state-0.1.0/beacons")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: folder.path))
  }

  /// The files of 0.1.0 that still exist.
  private var legacy: [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return all.filter { $0.hasSuffix(".json") && $0 != "machine.json" }.sorted()
  }

  @Test func `grants, regions and records of 0.1.0 are all there, and its files are gone`() throws {
    #expect(folder.store.clients == ["MuseumWalk", "a/b %", "guide", "museum"])
    #expect(folder.grants("guide").0 == SavedAuthorization(grant: .whenInUse))
    #expect(folder.grants("museum").0.grant == .always)
    #expect(folder.grants("a/b %").0 == SavedAuthorization(accuracy: .reduced))
    #expect(folder.state("guide").0.runRegions.map(\.region.identifier) == ["gallery"])
    #expect(folder.state("guide").0.runRegions.first?.intervals.isEmpty == false)
    let run = folder.state("operator").0.runRegions
    #expect(run.map(\.state) == [.inside])
    let program = folder.state("MuseumWalk").0
    #expect(program.regions.map(\.region.identifier) == ["museum"])
    #expect(program.regions.first?.state == .inside)
    #expect(program.handled.map(\.state) == [.satisfied])
    #expect(program.runRegions.isEmpty)
    #expect(legacy.isEmpty)
    #expect(!folder.exists("clients/operator/grants.json"))
    #expect(folder.grants("guide").0.servicesOn)
  }

  @Test func `of two different files the narrower grants hold, which is reported once`() throws {
    let (grants, notes) = folder.grants("MuseumWalk")
    #expect(grants == SavedAuthorization(grant: .whenInUse))
    #expect(notes == [.grantsNarrowed(client: "MuseumWalk")])
    #expect(folder.grants("MuseumWalk").1.isEmpty)
    try folder.set(.always, "MuseumWalk")
    #expect(folder.grants("MuseumWalk").0.grant == .always)
  }

  @Test func `a file of a running program is left and migrated later`() async throws {
    let path = folder.path + "/MuseumWalk.monitor.json"
    var old = FileLock(path + ".lock")
    #expect(old != nil)
    #expect(folder.grants("MuseumWalk").0.grant == .always)
    #expect(legacy.contains("MuseumWalk.monitor.json"))
    #expect(folder.state("MuseumWalk").0 == ClientState())
    let client = StoredClient("MuseumWalk", in: folder.store)
    await #expect(throws: SessionError.self) { _ = try await client.open() }
    #expect(throws: StoreError.self) { try folder.store.forget("MuseumWalk") }
    #expect(legacy.contains("MuseumWalk.monitor.json"))
    old = nil
    let contents = try await client.open()
    #expect(contents.grants?.grant == .whenInUse)
    #expect(contents.state.regions.count == 1)
    #expect(!legacy.contains("MuseumWalk.monitor.json"))
  }

  @Test(arguments: DurableFile.Step.allCases, ["grants.json", "state.json"])
  func `a migration that is stopped anywhere is done again`(
    _ step: DurableFile.Step,
    _ name: String
  ) throws {
    let expected = SavedAuthorization(grant: .whenInUse)
    let stopping = ClientStore(
      directory: folder.path,
      isStandard: true,
      files: DurableFile { at, path throws(SystemError) in
        guard at == step, path.hasSuffix(name) else { return }
        throw SystemError(ENOSPC, .write, path)
      }
    )
    var notes: [ClientDiagnostic] = []
    #expect(stopping.grants(of: "MuseumWalk", notes: &notes) == expected)
    #expect(legacy.contains("MuseumWalk.monitor.json"))
    #expect(legacy.contains("MuseumWalk.client.json"))
    #expect(stopping.state(of: "MuseumWalk", notes: &notes).regions.count == 1)
    #expect(folder.grants("MuseumWalk").0 == expected)
    #expect(folder.state("MuseumWalk").0.regions.count == 1)
    #expect(!legacy.contains("MuseumWalk.monitor.json"))
  }

  @Test func `damaged grants of 0.1.0 are set aside and allow nothing`() throws {
    try folder.write("{", to: "museum.client.json")
    let (grants, notes) = folder.grants("museum")
    #expect(grants == SavedAuthorization(grant: .denied))
    #expect(notes.count == 1)
    #expect(folder.exists("museum.client.json.damaged-1"))
    #expect(folder.grants("museum").0.grant == .denied)
    try folder.write("{", to: "MuseumWalk.client.json")
    #expect(folder.grants("MuseumWalk").0.grant == .denied)
    #expect(folder.state("MuseumWalk").0.regions.map(\.state) == [.unknown])
  }

  @Test(arguments: ["MuseumWalk.monitor.json", "clients/MuseumWalk/grants.json"])
  func `any damaged grants beside whole ones deny`(_ name: String) throws {
    try folder.write("{", to: name)
    #expect(folder.grants("MuseumWalk").0.grant == .denied)
    #expect(folder.exists(name + ".damaged-1"))
    #expect(folder.grants("MuseumWalk").0.grant == .denied)
  }

  @Test func `damaged regions of 0.1.0 cost no grant`() throws {
    try folder.write("{", to: "guide.regions.json")
    #expect(folder.grants("guide").0 == SavedAuthorization(grant: .whenInUse))
    #expect(folder.state("guide").0.runRegions.isEmpty)
  }

  @Test func `services that 0.1.0 had off for one client are off`() throws {
    let old = try folder.text("guide.client.json")
    let off = old.replacing(/"servicesOn"\s*:\s*true/, with: "\"servicesOn\": false")
    try folder.write(off, to: "guide.client.json")
    try #require(off != old)
    #expect(!folder.grants("guide").0.servicesOn)
    #expect(!folder.grants("museum").0.servicesOn)
  }

  @Test func `a region that is kept already is not added again`() throws {
    let old = try folder.text("guide.regions.json")
    let first = folder.state("guide").0.runRegions
    try folder.write(old, to: "guide.regions.json")
    #expect(folder.state("guide").0.runRegions.map(\.region) == first.map(\.region))
  }

  @Test func `reset forgets what 0.1.0 kept too`() throws {
    try folder.store.reset("guide")
    #expect(folder.grants("guide").0 == SavedAuthorization())
    #expect(folder.state("guide").0 == ClientState())
    #expect(!legacy.contains("guide.client.json"))
  }
}
