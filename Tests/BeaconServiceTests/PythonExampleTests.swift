// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTestSupport
import BeaconTesting
import DBus
import DBusTestSupport
import Foundation
import SystemKit
import Testing

/// The program in Python on the page of the service runs as it is printed there.
@Suite(
  .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
  .timeLimit(.minutes(2)),
  .slow
)
struct PythonExampleTests {
  /// Whether there is Python with its binding to libdbus.
  static let isAvailable: Bool = {
    let child = try? ChildProcess("/usr/bin/python3", ["-c", "import dbus"])
    return child?.wait() == .exited(0)
  }()

  private static func program() throws -> String {
    let page = try String(
      contentsOf: ProjectFiles.root.appending(path: "docs/service.md"),
      encoding: .utf8
    )
    let rest = try #require(page.components(separatedBy: "```python\n").dropFirst().first)
    return try #require(rest.components(separatedBy: "```").first)
  }

  @Test(.enabled(if: isAvailable, "python3-dbus is not installed"))
  func `the program on the page ranges through the service`() async throws {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let service = try await ServiceFixture(on: bus, in: folder.appending(path: "state"))
    let admin = try await ServiceProgram(bus)
    try await admin.grant("user:anna/python", "whenInUse")
    let (script, output) = (folder.appending(path: "page.py"), folder.appending(path: "out"))
    try Self.program().write(to: script, atomically: true, encoding: .utf8)
    let line =
      "DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)' exec /usr/bin/python3 -u '\(script.path)'"
      + " > '\(output.path)' 2>&1"
    let child = try ChildProcess("/bin/sh", ["-c", line])
    let constraint = try IdentityConstraint(parsing: "f7826da6-4fa2-4e98-8024-bc5b71e0893e/1/2")
    let identity = BeaconIdentity(uuid: constraint.uuid, major: 1, minor: 2)
    var (second, shown) = (1.0, "")
    // The beacon is received until the program has said so.
    while !shown.contains("\"minor\":2") {
      var timeline = Timeline()
      timeline.received(identity, at: second)
      service.source.push(timeline)
      second += 0.5
      _ = try await admin.program.thread.call(.bus("GetId"), timeout: .seconds(30))
      shown = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      if shown.contains("Traceback") { break }
    }
    try await service.stop()
    let ending = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: child.wait()) }
    }
    #expect(ending == .exited(0), "\(shown)")
    #expect(shown.contains("\"client\":\"user:anna/python\""))
  }
}
