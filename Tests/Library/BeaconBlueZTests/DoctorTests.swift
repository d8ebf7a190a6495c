// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCommands
import BeaconCore
import DBus
import DBusTestSupport
import DoctorCommands
import Testing

/// `doctor` with a daemon that behaves like the real one, on a private bus.
@Suite(
  .enabled(if: PrivateBus.isAvailable, Comment(rawValue: PrivateBus.absence)),
  .timeLimit(.minutes(1))
)
struct DoctorTests {
  private static func examine(_ bus: PrivateBus, wanted: String? = nil) async -> Examination {
    await Examination.run(
      MachineProbe(root: "/nowhere"),
      wanted: wanted,
      bus: bus.address,
      listeningFor: .seconds(1)
    )
  }

  private static func problems(_ examination: Examination) -> [String] {
    Diagnosis(examination).findings.filter { $0.level == .problem }.map(\.subject)
  }

  @Test func `a missing bus or a missing daemon is reported`() async throws {
    let absent = await BlueZSurvey.run(bus: "unix:path=/nowhere/bus")
    guard case .noBus(let words) = absent.reach else {
      Issue.record("\(absent.reach)")
      return
    }
    #expect(!words.isEmpty)
    let bus = try PrivateBus()
    #expect(await BlueZSurvey.run(bus: bus.address).reach == .noService)
  }

  @Test func `a daemon describes its adapters, filters and monitors`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(
      on: bus,
      [
        .init(number: 0, address: "AA:BB:CC:00:00:01", acceptsMonitors: true),
        .init(number: 1, address: "AA:BB:CC:00:00:02", isPowered: false, isDiscovering: true),
      ]
    )
    let survey = await BlueZSurvey.run(bus: bus.address)
    #expect(survey.reach == .answered)
    #expect(survey.process != nil)
    #expect(survey.adapters.map(\.name) == ["hci0", "hci1"])
    #expect(survey.adapters.map(\.isPowered) == [true, false])
    #expect(survey.adapters.map(\.isDiscovering) == [false, true])
    #expect(survey.adapters.map(\.acceptsMonitors) == [true, false])
    #expect(survey.adapters.map(\.isCentral) == [true, true])
    #expect(BlueZSurvey.missingKeys(survey.adapters.first?.filterKeys ?? []) == [])
    _ = daemon
  }

  @Test func `reception is measured, and ranging is recommended`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(
      on: bus,
      [.init(number: 0, address: "AA:BB:CC:00:00:01", acceptsMonitors: true)]
    )
    let talking = Task {
      var strength: Int16 = -60
      while !Task.isCancelled {
        // Several at a time: on a loaded host the examination's second may have few of these turns.
        for _ in 0..<6 {
          daemon.report(1, strength)
          strength = strength == -60 ? -61 : -60
        }
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    let examination = await Self.examine(bus)
    talking.cancel()
    let scan = try #require(examination.scan)
    #expect(scan.beaconCount == 1)
    #expect(scan.reports > 5)
    #expect(scan.smallestStep == 1)
    #expect(scan.duplicates == .passed)
    let diagnosis = Diagnosis(examination)
    #expect(Self.problems(examination) == [])
    #expect(
      diagnosis.sentence.hasPrefix("You can range now: beaconctl range --beacon 01020304-")
    )
    // Everything is undone.
    #expect(daemon.calls.contains { $0.contains("StopDiscovery") })
  }

  @Test func `an adapter that is off, absent or missing is reported`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus, [.init(isPowered: false)])
    #expect(Self.problems(await Self.examine(bus)) == ["hci0"])
    #expect(Self.problems(await Self.examine(bus, wanted: "hci9")) == ["adapter"])
    _ = daemon
    let empty = try PrivateBus()
    let bare = try await FakeBlueZ.start(on: empty, [])
    #expect(Diagnosis(await Self.examine(empty)).isWithoutBluetooth)
    _ = bare
  }

  @Test func `a daemon that refuses access or knows few filters is reported`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus) {
      $0.objectsError = "org.freedesktop.DBus.Error.AccessDenied"
    }
    let survey = await BlueZSurvey.run(bus: bus.address)
    let denied = BlueZFailure.error(name: "org.freedesktop.DBus.Error.AccessDenied", text: "")
    #expect(survey.reach == .failed(denied))
    _ = daemon
    let other = try PrivateBus()
    let old = try await FakeBlueZ.start(on: other) {
      $0.filterKeys = ["UUIDs", "RSSI", "Transport"]
    }
    #expect(Self.problems(await Self.examine(other)).contains("filter"))
    _ = old
  }
}
