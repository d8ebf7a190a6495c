// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import DBusTestSupport
import Foundation
import Synchronization
import Testing

/// `advertise`, `record` and bare `beaconctl` on a private bus, with a fake daemon in place of BlueZ.
@Suite(
  .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(2))
)
struct AdvertiseTests {
  private static let beacon = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/7"
  private static let advertise =
    "'\(BuiltCommand.program.path)' advertise \(beacon) --power -59"

  private func run(_ script: String, on bus: PrivateBus) async throws -> BuiltCommand {
    let whole = "export DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)'; \(script)"
    return try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result { try BuiltCommand(whole) }) }
    }
  }

  @Test(arguments: ["INT", "TERM"])
  func `it shows the obtained values, and stops on a signal`(_ signal: String) async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus) { $0.transmissionPower = 7 }
    let run = try await run(
      """
      errors=$(mktemp); \(Self.advertise) 2>"$errors" & sender=$!
      until grep -q ' sends ' "$errors"; do kill -0 $sender || exit 9; sleep 0.05; done
      kill -\(signal) $sender; wait $sender; echo "code $?"; cat "$errors"; rm "$errors"
      """,
      on: bus
    )
    #expect(run.output.hasPrefix("code 0\n"), "\(run.output) \(run.errors)")
    #expect(run.output.contains("hci0 sends \(Self.beacon), measured power -59 dBm, "))
    #expect(run.output.contains("transmission power 7 dBm, 1 of 5 advertisements in use"))
    #expect(run.output.hasSuffix("beaconctl: stopped\n"))
    #expect(daemon.calls.contains("UnregisterAdvertisement"))
  }

  @Test func `it ends after its time, and quietly on request`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let run = try await run("\(Self.advertise) --for 200ms --quiet", on: bus)
    #expect(run.code == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
    #expect(daemon.calls.contains("RegisterAdvertisement"))
  }

  @Test func `what keeps it from sending is one line and an exit code`() async throws {
    let bus = try PrivateBus()
    var unable = FakeBlueZ.Adapter(number: 0, address: "AA:BB:CC:00:00:01")
    unable.advertises = false
    let daemon = try await FakeBlueZ.start(on: bus, [unable])
    var run = try await run(Self.advertise, on: bus)
    #expect(run.code == 69)
    #expect(
      run.errors == "beaconctl: hci0 cannot send: BlueZ has no advertising manager for it\n"
    )
    daemon.state.withLock { $0.adapters[0].advertises = true }
    daemon.state.withLock { $0.advertisementErrors = ["org.freedesktop.DBus.Error.AccessDenied"] }
    run = try await self.run(Self.advertise, on: bus)
    #expect(run.code == 77)
    #expect(
      run.errors.hasPrefix(
        "beaconctl: this user may not use BlueZ, since the bus answers AccessDenied; "
      )
    )
    run = try await self.run("beaconctl advertise \(Self.beacon)", on: bus)
    #expect(run.code == 64 && run.errors.contains("needs --power DBM"))
    run = try await self.run("beaconctl advertise \(Self.beacon.dropLast(2)) --power -59", on: bus)
    #expect(run.code == 64 && run.errors.contains("UUID/MAJOR/MINOR"))
  }

  @Test func `a recording is summed up at its end`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let reports = Task {
      while !Task.isCancelled {
        for device in 1...3 { daemon.report(UInt8(device), -60) }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    defer { reports.cancel() }
    let record = "'\(BuiltCommand.program.path)' record air.jsonl"
    let script = """
      cd "$(mktemp -d)"; \(record) 2>errors & recorder=$!
      until [ "$(grep -cs '"type":"report"' air.jsonl)" -gt 30 ]; do sleep 0.05; done
      kill -INT $recorder; wait $recorder; echo "code $?"; cat errors; rm -r "$PWD"
      """
    let run = try await run(script, on: bus)
    #expect(run.output.hasPrefix("code 0\nbeaconctl: air.jsonl ("), "\(run.output)")
    #expect(run.output.contains(" reports of 3 beacons, 0 others, 0 dropped, "))
  }

  @Test(.enabled(if: Multiplexer.isAvailable, "tmux is not installed (Debian: apt install tmux)"))
  func `on a terminal everything nearby is shown by name, and record shows what it does`()
    async throws
  {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let reports = Task {
      while !Task.isCancelled {
        for device in 1...3 { daemon.report(UInt8(device), -60) }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    defer { reports.cancel() }
    try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        waiter.resume(with: Result { try Self.lookAtTerminal(bus.address) })
      }
    }
  }

  /// The input of a newcomer: nothing but the command, then a recording.
  private static func lookAtTerminal(_ address: String) throws {
    let terminal = try Multiplexer(columns: 80, rows: 24)
    let home = terminal.folder.path
    let configuration = """
      { beacons: { "01020304-0506-0708-090A-0B0C0D0E0F10/1/2": "Astrolabe" } }
      """
    try configuration.write(toFile: "\(home)/c.json5", atomically: true, encoding: .utf8)
    try terminal.type(
      "cd \(home); export XDG_STATE_HOME=\(home) DBUS_SYSTEM_BUS_ADDRESS='\(address)'"
        + " BEACONS_CONFIG=\(home)/c.json5\n"
    )
    try terminal.type("'\(BuiltCommand.program.path)'\n")
    let list = try terminal.wait { $0.contains("Astrolabe") && $0.contains("listening") }
    #expect(list.contains("everything nearby") && list.contains("3 beacons"))
    try terminal.press("q")
    try terminal.expectShell(code: 0)
    try terminal.type("clear; '\(BuiltCommand.program.path)' record air.jsonl\n")
    _ = try terminal.wait { $0.contains("air.jsonl (") && $0.contains("reports of 3 beacons") }
    try terminal.press("C-c")
    _ = try terminal.wait { $0.contains("beaconctl: air.jsonl (") }
    try terminal.expectShell(code: 0)
  }
}
