// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import Testing

/// AC6: limits and names, and the restoring of a later run.
@Suite struct RegionTableTests {
  private func region(_ name: String, _ major: UInt16 = 1) -> Region {
    Region(RegionIdentifier(name), .major(RegionHarness.uuid, major))
  }

  @Test func `AC6: the twenty-first region fails with code 5 and changes nothing`() throws {
    var table = RegionTable(policy: .coreLocation)
    for number in 1...20 { _ = try table.add(region("r\(number)")) }
    let before = table.regions
    let error = #expect(throws: RegionFailure.self) { try table.add(region("r21")) }
    #expect(error?.code == 5)
    #expect(table.regions == before)
  }

  @Test func `AC6 and row G1: the same name replaces, also in a full table`() throws {
    var table = RegionTable(policy: .coreLocation)
    for number in 1...20 { _ = try table.add(region("r\(number)")) }
    let slot = try #require(table.slot(of: "r7"))
    #expect(try table.add(region("r7", 9)) == .replaced(slot: slot, region("r7", 1)))
    #expect(table.count == 20)
    #expect(table.machine(in: slot)?.region.constraint == .major(RegionHarness.uuid, 9))
  }

  @Test func `slots stay while others come and go, and names are in order of their bytes`() throws {
    var table = RegionTable(policy: .standard)
    var slots: [RegionIdentifier: Int] = [:]
    for name in ["b", "a", "é", "e\u{301}", "Z", ""] {
      slots[RegionIdentifier(name)] = try table.add(region(name)).slot
    }
    #expect(table.regions.map(\.identifier.rawValue.utf8.first) == [nil, 90, 97, 98, 101, 195])
    let freed = table.remove("a")
    #expect(freed != nil && table.remove("a") == nil)
    for (name, slot) in slots where name != "a" { #expect(table.slot(of: name) == slot) }
    #expect(try table.add(region("c")).slot == freed)
  }

  @Test func `a machine changes in place and a free slot returns nil`() throws {
    var table = RegionTable(policy: .standard)
    let slot = try table.add(region("a")).slot
    var actions: [RegionAction] = []
    table.withMachine(in: slot) { $0.began(at: .earliest, into: &actions) }
    #expect(table.machine(in: slot)?.nextDeadline == Timestamp.earliest + .seconds(10))
    #expect(table.withMachine(in: slot + 1) { $0.state } == nil)
  }

  // MARK: Restoring

  private let museum = Region("museum", .uuid(RegionHarness.uuid))

  private func savedInside(at seconds: Double) -> SavedRegion {
    var harness = RegionHarness(museum, .coreLocation)
    harness.begin()
    harness.receive(RegionHarness.beacon(1), at: seconds - 12)
    return harness.machine.saved(at: RegionHarness.at(seconds))
  }

  @Test func `a restart continues where the earlier run stopped`() {
    var harness = RegionHarness(museum, .coreLocation)
    harness.begin(at: 500, .restored(savedInside(at: 100)))
    harness.end(at: 518)
    #expect(
      harness.lines == [
        "500 inside restored restored", "518 exit allSilent", "518 outside allSilent",
      ]
    )
    #expect(harness.exitExplanation?.identity == RegionHarness.beacon(1))
  }

  @Test func `a restored outside lets the first packet enter`() {
    var harness = RegionHarness(museum, .coreLocation)
    let saved = SavedRegion(museum, state: .outside, savedAt: RegionHarness.at(1))
    harness.begin(at: 2, .restored(saved))
    harness.receive(RegionHarness.beacon(1), at: 3)
    #expect(
      harness.lines == ["2 outside restored restored", "3 enter heard", "3 inside heard"]
    )
    #expect(harness.machine.origin == .observed)
  }

  @Test(arguments: [1001.0, 50.0])
  func `too old or of the future is as good as nothing saved`(_ seconds: Double) {
    var harness = RegionHarness(museum, .coreLocation)
    harness.begin(at: seconds, .restored(savedInside(at: 100)))
    harness.receive(RegionHarness.beacon(1), at: seconds + 1)
    #expect(harness.lines == ["\(Int(seconds) + 1) inside heard"])
  }

  @Test func `a saved state of another constraint is not restored`() {
    var other = museum
    other.constraint = .major(RegionHarness.uuid, 3)
    var harness = RegionHarness(other, .coreLocation)
    harness.begin(at: 101, .restored(savedInside(at: 100)))
    #expect(harness.machine.state == .unknown && harness.actions.isEmpty)
  }

  @Test func `implausible numbers in a file cannot keep a region inside forever`() {
    var saved = savedInside(at: 100)
    saved.remaining = TimeSpan(microseconds: .max)
    saved.reports = -5
    var harness = RegionHarness(museum, .coreLocation)
    harness.begin(at: 100, .restored(saved))
    harness.end(at: 130)
    #expect(harness.machine.state == .outside)
  }
}
