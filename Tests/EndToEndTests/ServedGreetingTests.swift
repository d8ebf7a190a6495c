// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconService
import BeaconTestSupport
import DBus
import DBusTestSupport
import Foundation
import Testing

/// The talk's sample as a program of the service: the machine greets a visitor whose guide does not run.
///
/// Rows G23, C25, C26 and P16, with the built service, agent and guide, and a desktop that the test plays.
@Suite(
  .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(2)),
  .slow
)
struct ServedGreetingTests {
  private static let desktopName = "org.freedesktop.Notifications"
  private static let client = "user:\(CallerProbe.accountName(of: getuid()))/MuseumWalk"

  /// Starts a script and waits for its first byte.
  private static func start(_ bus: PrivateBus, _ script: String) throws -> DaemonProcess {
    let variables =
      "export DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)' DBUS_SESSION_BUS_ADDRESS='\(bus.address)'"
    return try DaemonProcess(
      "/bin/bash",
      ["-c", "\(variables) BEACONS_CONFIG=none; echo; \(script)"]
    )
  }

  private static func admin(
    _ program: BusProgram,
    _ member: String,
    _ arguments: [DBusValue] = []
  ) async throws -> [DBusValue] {
    let call = MethodCall(
      ServiceName.bus,
      ServiceName.path,
      ServiceName.admin,
      member,
      arguments
    )
    return try await program.thread.call(call, timeout: .seconds(30))
  }

  /// Whether the guide's region is monitored.
  private static func isMonitored(_ program: BusProgram) async throws -> Bool {
    let values = try await admin(program, "ListClients")
    guard case .array(_, let clients)? = values.first else { return false }
    return clients.contains { client in
      guard case .structure(let members) = client, members.first == .string(Self.client),
        case .dictionary(_, let entries)? = members.last
      else { return false }
      return entries.contains {
        $0.key.text == "Regions" && $0.value == .variant(.uint32(1))
      }
    }
  }

  @Test func `a guide that does not run is greeted for on the desktop, and opened there`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let capture = try MuseumWalkTests.arrival(in: folder)
    let bus = try PrivateBus()
    let (texts, continuation) = AsyncStream<[DBusValue]>.makeStream()
    let desktop = try BusProgram(bus, owning: Self.desktopName) { called in
      guard called.member == "Notify" else { return nil }
      continuation.yield(called.arguments)
      return .values([.uint32(7)])
    }
    _ = await desktop.next()
    let follower = try BusProgram(bus, following: [ServiceName.bus])
    let command = "exec '\(BuiltCommand.program.path)' service"
    let service = try Self.start(
      bus,
      "\(command) run --from '\(capture.path)' --speed 3x --state '\(folder.path)/state' >&2"
    )
    defer { service.stop() }
    _ = await follower.next { if case .owner(_, .some) = $0 { true } else { false } }
    _ = try await Self.admin(
      follower,
      "SetGrant",
      [.string(Self.client), .string("whenInUse"), .properties([:])]
    )
    // Its input never ends.
    let input = folder.appending(path: "input").path
    let agent = try Self.start(bus, "mkfifo '\(input)'; \(command) agent 0<>'\(input)' >&2")
    defer { agent.stop() }
    let guide = BuiltCommand.program.deletingLastPathComponent().appending(path: "MuseumWalk").path
    let first = try Self.start(bus, "exec '\(guide)' >&2")
    while try await !Self.isMonitored(follower) { try await Task.sleep(for: .milliseconds(50)) }
    first.stop()

    var shown = texts.makeAsyncIterator()
    let arguments = try #require(await shown.next())
    #expect(
      arguments[3]
        == .string("\(Self.client) (unverified): Welcome to the museum: Tap to open your guide.")
    )
    #expect(arguments[5] == .array(of: "s", [.string("default"), .string("Open")]))
    desktop.thread.post { loop in
      // A notification of another program, a text in place of a number, and the right one.
      for values: [DBusValue] in [
        [.uint32(8), .string("default")], [.string("7")], [.uint32(7), .string("default")],
      ] {
        loop.emit(
          "/org/freedesktop/Notifications",
          Self.desktopName,
          "ActionInvoked",
          values
        )
      }
    }
    let script = """
      exec 3< <(DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)' BEACONS_CONFIG=none timeout 60 stdbuf -oL '\(guide)')
      while read -r line <&3; do
        echo "$line"
        [[ $line != *painting* ]] || break
      done
      kill $!
      """
    let second = try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result { try BuiltCommand(script) }) }
    }
    #expect(second.output.contains("opened by 'Welcome to the museum'"), "\(second)")
    #expect(second.output.contains("welcome to the museum"), "\(second)")
    #expect(second.output.contains("room 1, painting"), "\(second)")
  }
}
