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

/// The programs in other languages on the pages use the service as they are printed there.
@Suite(
  .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
  .timeLimit(.minutes(2)),
  .slow
)
struct ExampleTests {
  /// Whether there is Python with dbus-fast.
  static let isAvailable: Bool = {
    let child = try? ChildProcess("/usr/bin/python3", ["python3", "-c", "import dbus_fast"])
    return child?.wait() == .exited(0)
  }()

  /// Returns the last program in a language on a page.
  private static func program(in language: String, on page: String) throws -> String {
    let text = try String(contentsOf: ProjectFiles.root.appending(path: page), encoding: .utf8)
    let blocks = text.components(separatedBy: "```\(language)\n").dropFirst()
    return try #require(blocks.last?.components(separatedBy: "```").first)
  }

  /// Runs a shell's line beside a service, until the program shows a beacon that the service receives.
  ///
  /// - Parameters:
  ///   - line: The line; the folder's path is `$D`.
  ///   - label: The label of the program's session.
  ///   - source: The program's file and text.
  private func run(_ line: String, label: String, source: (name: String, text: String)) async throws
  {
    let bus = try PrivateBus()
    let folder = try ServiceFixture.makeFolder()
    let service = try await ServiceFixture(on: bus, in: folder.appending(path: "state"))
    let admin = try await ServiceProgram(bus)
    try await admin.grant("user:anna/\(label)", "whenInUse")
    let output = folder.appending(path: "out")
    try source.text.write(
      to: folder.appending(path: source.name),
      atomically: true,
      encoding: .utf8
    )
    let setting = "D='\(folder.path)'; export DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)'"
    let child = try ChildProcess(
      "/bin/sh",
      ["sh", "-c", "\(setting); { \(line); } > '\(output.path)' 2>&1"]
    )
    let constraint = try IdentityConstraint(parsing: "f7826da6-4fa2-4e98-8024-bc5b71e0893e/1/2")
    let identity = BeaconIdentity(uuid: constraint.uuid, major: 1, minor: 2)
    var (second, shown) = (1.0, "")
    // The beacon is received until the program has said so.
    while !shown.contains("\"minor\":2") {
      var timeline = Timeline()
      timeline.received(identity, at: second)
      try await service.push(timeline)
      second += 0.5
      _ = try await admin.program.thread.call(.bus("GetId"), timeout: .seconds(30))
      shown = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
      if shown.contains("Traceback") || shown.contains("error:") { break }
    }
    try await service.stop()
    let ending = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: child.wait()) }
    }
    #expect(ending == .exited(0), "\(shown)")
    #expect(shown.contains("\"client\":\"user:anna/\(label)\""))
  }

  @Test(.enabled(if: isAvailable, "python3-dbus-fast is not installed"))
  func `the program in Python ranges through the service`() async throws {
    let text = try Self.program(in: "python", on: "docs/service.md")
    try await run(
      "exec /usr/bin/python3 -u \"$D/page.py\"",
      label: "python",
      source: ("page.py", text)
    )
  }

  @Test func `the program in C ranges through the service`() async throws {
    let text = try Self.program(in: "c", on: "docs/other-languages.md")
    let build =
      "gcc -Wall -Wextra -Werror $(pkg-config --cflags dbus-1) -o \"$D/page\" \"$D/page.c\" -ldbus-1"
    try await run("\(build) && exec \"$D/page\"", label: "c", source: ("page.c", text))
  }
}
