// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import DBusTestSupport
import Foundation
import Testing

/// The program, which is in the folder of the tests.
private enum BuiltProgram {
  static let url = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "beaconctl")
}

/// The built command, live, on behalf of a client: a change by `auth` in another window takes effect at once.
@Suite(
  .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltProgram.url.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(1))
)
struct LiveClientTests {
  /// The UUID of the fake daemon's frames.
  static let uuid = "01020304-0506-0708-090A-0B0C0D0E0F10"

  /// A running command, and its output so far.
  final class Running {
    let process = Process()
    private let output: URL

    init(_ arguments: [String], in folder: URL, bus: String, writing name: String) throws {
      output = folder.appending(path: name)
      _ = FileManager.default.createFile(atPath: output.path, contents: nil)
      process.executableURL = BuiltProgram.url
      process.arguments = arguments
      // The other variables are inherited: without the sanitizer's options the command would report races of other
      // libraries and end with 66.
      process.environment = ProcessInfo.processInfo.environment
        .merging(["XDG_STATE_HOME": folder.path, "DBUS_SYSTEM_BUS_ADDRESS": bus]) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = process.standardOutput
      try process.run()
    }

    var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Waits until the output contains a text, while beacons are received.
    func wait(for text: String, _ receiving: () -> Void) async throws {
      while !self.text.contains(text) {
        try #require(process.isRunning, "\(self.text)")
        receiving()
        try await Task.sleep(for: .milliseconds(50))
      }
    }

    deinit { if process.isRunning { process.terminate() } }
  }

  @Test func `auth set is effective in a live run, and a replay of its recording is the same`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "beacons-live-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    func command(_ arguments: String, writing name: String) throws -> Running {
      let words = arguments.split(separator: " ").map(String.init)
      return try Running(words, in: folder, bus: bus.address, writing: name)
    }
    func auth(_ arguments: String) throws {
      let run = try command("auth \(arguments)", writing: "auth.txt")
      run.process.waitUntilExit()
      #expect(run.process.terminationStatus == 0, "\(run.text)")
    }
    let refused = try command("monitor -r all=\(Self.uuid) --client guide", writing: "refused.txt")
    refused.process.waitUntilExit()
    #expect(refused.process.terminationStatus == 77, "\(refused.text)")

    try auth("set whenInUse --client guide")
    let recording = folder.appending(path: "run.jsonl").path
    let asked = "monitor -r all=\(Self.uuid) --client guide --format jsonl"
    let run = try command("\(asked) --record \(recording)", writing: "run.txt")
    let report = { daemon.report(1, -60) }
    try await run.wait(for: "\"state\":\"inside\"", report)
    try auth("set denied --client guide")
    try await run.wait(for: "\"status\":\"denied\"", report)
    try await run.wait(for: "denied: beacons and regions are off for guide", report)
    try auth("set always --client guide")
    try await run.wait(for: "\"status\":\"authorizedAlways\"", report)
    try auth("services off")
    try await run.wait(for: "services off: beacons and regions are off", report)
    run.process.interrupt()
    run.process.waitUntilExit()
    #expect(run.process.terminationStatus == 0, "\(run.text)")

    let replay = try command("\(asked) --from \(recording)", writing: "replay.txt")
    replay.process.waitUntilExit()
    let events = { (text: String) in
      text.split(separator: "\n").filter { $0.hasPrefix("{") }
    }
    #expect(events(replay.text) == events(run.text))
  }
}
