// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import Foundation
import Testing

/// The built program on behalf of a client: exit codes, a terminal, files that other commands change.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(1))
)
final class GrantTests {
  private let folder: URL
  private static let gallery = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
  private static let range =
    "range --from Fixtures/captures/walk.btsnoop -s \(gallery) --client guide --format jsonl"

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "beacons-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("{ whenInUse: 'To guide you.' }".utf8).write(to: folder.appending(path: "m.json5"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func run(_ script: String) throws -> BuiltCommand {
    try BuiltCommand(
      "export XDG_STATE_HOME='\(folder.path)'; manifest='\(folder.path)/m.json5'; \(script)"
    )
  }

  @Test func `without a grant and a terminal it ends with 77`() throws {
    let run = try run("beaconctl \(Self.range) --manifest $manifest")
    #expect(run.code == 77)
    #expect(run.output.isEmpty && run.errors.contains("auth set whenInUse --client guide"))
    let granted = try self.run(
      "beaconctl auth set whenInUse --client guide >/dev/null && beaconctl \(Self.range)"
    )
    #expect(granted.code == 0 && granted.output.contains("\"ranged\""))
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"),
      "script is not installed (Debian: apt install bsdutils)"
    ),
    arguments: [("w", "authorizedWhenInUse", true), ("d", "denied", false)]
  )
  func `a key at a terminal answers`(_ key: String, _ status: String, _ isDelivered: Bool) throws {
    // The terminal is script's; the output goes to a file, so that it is the prompt that is on the terminal.
    let out = folder.appending(path: "out.jsonl").path
    let run = try run(
      """
      command="'\(BuiltCommand.program.path)' \(Self.range) --manifest $manifest >'\(out)'"
      (sleep 0.5; printf \(key); sleep 2) | script -qefc "$command" /dev/null
      """
    )
    #expect(run.code == 0)
    #expect(run.output.contains("To guide you.") && run.output.contains("[w] allow while using"))
    let output = try String(contentsOfFile: out, encoding: .utf8)
    #expect(output.contains("\"status\":\"\(status)\""))
    #expect(output.contains("\"ranged\"") == isDelivered)
    // A user's answers on a replay change nothing in the account's store.
    #expect(try self.run("beaconctl auth status --client guide").output.contains("notDetermined"))
  }

  @Test func `a replay does not look at what another command changes`() throws {
    let run = try run(
      """
      beaconctl auth set always --client guide >/dev/null
      beaconctl \(Self.range) >'\(folder.path)/max.jsonl'
      beaconctl \(Self.range) --speed 10x >'\(folder.path)/paced.jsonl' & sleep 1
      beaconctl auth set denied --client guide >/dev/null
      wait %1 && cmp '\(folder.path)/max.jsonl' '\(folder.path)/paced.jsonl' || exit
      beaconctl auth status --client guide --format json
      """
    )
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("\"status\":\"denied\""))
  }

  @Test(arguments: ["-u HOME", "HOME=", "HOME=.", "HOME=rel", "HOME='~'"])
  func `without a path in HOME every command uses the account's own folder`(_ home: String) throws {
    let run = try run(
      """
      account=$(getent passwd $(id -u) | cut -d: -f6); cd '\(folder.path)'
      env -u XDG_CONFIG_HOME \(home) '\(BuiltCommand.program.path)' config path | sed "s|^$account|ACCOUNT|"
      # It only reads.
      env -u XDG_STATE_HOME \(home) '\(BuiltCommand.program.path)' auth >/dev/null
      ls
      """
    )
    #expect(run.output.hasPrefix("ACCOUNT/.config/beacons/config.json5\n"), "\(run.errors)")
    #expect(run.output.hasSuffix("\nm.json5\n"), "\(run.output)")
  }
}
