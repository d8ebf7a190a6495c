// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import DBusTestSupport
import DoctorCommands
import Synchronization
import Testing

/// A source whose daemon refuses to start discovery, with a clock that the test sets (row B25).
@Suite(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"), .timeLimit(.minutes(1)))
struct BlueZRetryTests {
  /// The waits before the second to the fifth try.
  private static let waits = [800, 1600, 3200, 6400].map { TimeSpan.milliseconds($0) }

  private static func starts(_ calls: [String]) -> Int { calls.count { $0 == "StartDiscovery" } }

  /// Begins to start a source whose time the clock gives.
  private static func starting(
    _ bus: PrivateBus,
    _ clock: ManualClock
  ) -> Task<BlueZSource, any Error> {
    var options = BlueZScanOptions(bus: bus.address)
    clock.drive(&options)
    return Task { [options] in try await BlueZSource.start(options) }
  }

  /// Waits for a number of tries, then lets the time pass until the next.
  private static func follow(
    _ daemon: FakeBlueZ,
    _ clock: ManualClock,
    from first: Int = 1,
    tries: Int = 5
  ) async throws {
    for (index, wait) in waits.prefix(tries - 1).enumerated() {
      let count = first + index
      try await daemon.wait { starts($0.calls) >= count }
      await daemon.settle()
      clock.pass(wait + .milliseconds(-1))
      await daemon.settle()
      #expect(starts(daemon.calls) == count)
      clock.pass(.milliseconds(1))
      await daemon.settle()
    }
    try await daemon.wait { starts($0.calls) >= first + tries - 1 }
    await daemon.settle()
  }

  @Test(arguments: ["Failed", "InProgress", "NotReady", "Busy", "UnknownObject"])
  func `a start that is refused is tried five times in 15 s, and fails with BlueZ's words`(
    name: String
  ) async throws {
    let failure = BlueZFailure.bluez(name, "Operation already in progress")
    let (bus, clock) = (try PrivateBus(), ManualClock())
    let daemon = try await FakeBlueZ.start(on: bus) {
      $0.startErrors = Array(repeating: "org.bluez.Error.\(name)", count: 99)
      $0.errorText = "Operation already in progress"
    }
    let starting = Self.starting(bus, clock)
    try await Self.follow(daemon, clock)
    clock.pass(.seconds(3))
    await daemon.settle()
    await #expect(throws: BlueZUnavailable.failed(failure)) { try await starting.value }
    #expect(Self.starts(daemon.calls) == 5)
  }

  @Test func `a refusal for a moment does not end the start, and is reported`() async throws {
    let (bus, clock) = (try PrivateBus(), ManualClock())
    let daemon = try await FakeBlueZ.start(on: bus) {
      $0.startErrors = ["org.bluez.Error.Failed", "org.bluez.Error.InProgress"]
    }
    let starting = Self.starting(bus, clock)
    try await Self.follow(daemon, clock, tries: 3)
    let source = try await starting.value
    #expect(Self.starts(daemon.calls) == 3)
    #expect(
      source.drainDiagnostics() == [
        .failed(adapter: "hci0", failure: .bluez("Failed")),
        .failed(adapter: "hci0", failure: .bluez("InProgress")),
      ]
    )
    await source.stop()
  }

  @Test func `in mid-run a refusal is tried again after the same waits`() async throws {
    let (bus, clock) = (try PrivateBus(), ManualClock())
    let daemon = try await FakeBlueZ.start(on: bus)
    let source = try await Self.starting(bus, clock).value
    daemon.state.withLock {
      $0.startErrors = Array(repeating: "org.bluez.Error.InProgress", count: 4)
    }
    daemon.power(false)
    daemon.power(true)
    try await Self.follow(daemon, clock, from: 2)
    var listener = Listener(source)
    await listener.listen { $0.radio.last == .listening && $0.radio.contains(.off) }
    #expect(Self.starts(daemon.calls) == 6)
    await source.stop()
  }

  @Test func `objects that BlueZ does not list at first are asked for again`() async throws {
    let (bus, clock) = (try PrivateBus(), ManualClock())
    let unknown = "org.freedesktop.DBus.Error.UnknownObject"
    let daemon = try await FakeBlueZ.start(on: bus) { $0.objectsError = unknown }
    let starting = Self.starting(bus, clock)
    for (count, wait) in Self.waits.enumerated() {
      try await daemon.wait { $0.calls.count > count }
      await daemon.settle()
      if count == 2 { daemon.state.withLock { $0.objectsError = nil } }
      clock.pass(wait)
      await daemon.settle()
      if count == 2 { break }
    }
    let source = try await starting.value
    #expect(daemon.calls.count { $0 == "GetManagedObjects" } == 4)
    await source.stop()
  }

  @Test func `an adapter that is switched off during the start is waited for`() async throws {
    let (bus, clock) = (try PrivateBus(), ManualClock())
    let daemon = try await FakeBlueZ.start(on: bus) {
      $0.startErrors = ["org.bluez.Error.NotReady"]
    }
    let starting = Self.starting(bus, clock)
    try await daemon.wait { Self.starts($0.calls) == 1 }
    daemon.power(false)
    let source = try await starting.value
    #expect(source.drainDiagnostics().contains(.switchedOff(adapter: "hci0")))
    await source.stop()
  }

  @Test func `an adapter that is plugged in during the start and is off is waited for`()
    async throws
  {
    let (bus, clock) = (try PrivateBus(), ManualClock())
    let daemon = try await FakeBlueZ.start(on: bus) {
      $0.startErrors = ["org.bluez.Error.NotReady"]
    }
    let starting = Self.starting(bus, clock)
    try await daemon.wait { Self.starts($0.calls) == 1 }
    daemon.unplug()
    daemon.plug(.init(number: 1, address: "AA:BB:CC:00:00:02", isPowered: false))
    let source = try await starting.value
    #expect(source.drainDiagnostics().contains(.switchedOff(adapter: "hci1")))
    await source.stop()
  }

  @Test func `a hostile text is cut where it is read`() async throws {
    let (bus, clock) = (try PrivateBus(), ManualClock())
    let mark = String(repeating: "\u{301}", count: 100_000)
    let daemon = try await FakeBlueZ.start(on: bus) {
      $0.startErrors = ["org.bluez.Error.NotSupported"]
      $0.errorText = "e" + mark
    }
    do {
      await (try Self.starting(bus, clock).value).stop()
      Issue.record("it started")
    } catch BlueZUnavailable.failed(.error(_, let text)) {
      #expect(text.unicodeScalars.count <= 200)
    }
    #expect(Self.starts(daemon.calls) == 1)
  }

  /// Row B26.
  @Test(arguments: ["AddMatch", "GetNameOwner"])
  func `a policy that denies a call of the bus is named, and scan and doctor agree`(
    _ member: String
  ) async throws {
    let bus = try PrivateBus(.withoutCall(member))
    let daemon = try await FakeBlueZ.start(on: bus)
    let error = await #expect(throws: BlueZUnavailable.self) {
      await (try BlueZSource.start(BlueZScanOptions(bus: bus.address))).stop()
    }
    guard case .notPermitted(let failure)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.isOfBusPolicy)
    let examination = await Examination.run(
      MachineProbe(root: "/nowhere"),
      bus: bus.address,
      listeningFor: .seconds(1)
    )
    let problem = Diagnosis(examination).findings.first { $0.level == .problem }
    #expect(problem?.text.contains("\(failure)") == true)
    _ = daemon
  }

  @Test func `a full bus is not reported as missing`() async throws {
    let bus = try PrivateBus(limits: ["max_completed_connections": 1])
    let daemon = try await FakeBlueZ.start(on: bus)
    let error = await #expect(throws: BlueZUnavailable.self) {
      await (try BlueZSource.start(BlueZScanOptions(bus: bus.address))).stop()
    }
    #expect(error?.label == "refused")
    let survey = await BlueZSurvey.run(bus: bus.address)
    for text in ["\(String(describing: error?.description))", "\(survey.reach)"] {
      #expect(text.contains("LimitsExceeded"))
    }
    _ = daemon
  }

  @Test func `a policy that denies BlueZ is named with the bus's words`() async throws {
    let bus = try PrivateBus(.withoutBlueZ)
    let daemon = try await FakeBlueZ.start(on: bus)
    do {
      await (try BlueZSource.start(BlueZScanOptions(bus: bus.address))).stop()
      Issue.record("it started")
    } catch {
      guard case .notPermitted(let failure) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(failure.isOfBusPolicy)
      #expect("\(failure)".hasPrefix(#"the bus answers AccessDenied ("Rejected send message, "#))
      #expect(!"\(failure)".contains("comm="))
    }
    switch await BlueZSurvey.run(bus: bus.address).reach {
    case .failed(let failure): #expect(failure.isOfBusPolicy)
    case let other: Issue.record("\(other)")
    }
    _ = daemon
  }
}
