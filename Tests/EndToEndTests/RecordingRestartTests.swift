// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import DBusTestSupport
import Foundation
import Testing

/// The documented service, started and killed again and again: the recorded inputs stay.
@Suite(
  .slow,
  .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(5))
)
struct RecordingRestartTests {
  /// Starts and ends the recording 50 times, by SIGKILL and SIGTERM in turn, each time after a few more reports, and writes
  /// how many reports there are when it does not run.
  private static let script = """
    cd "$(mktemp -d)" || exit 1
    trap 'rm -rf "$PWD"' EXIT
    reports() { cat air.jsonl* 2>/dev/null | grep -c '"type":"report"'; }
    for round in $(seq 50); do
      before=$(reports)
      echo "$before"
      '\(BuiltCommand.program.path)' record air.jsonl --rotate 4K --keep 1000 & recorder=$!
      until [ "$(reports)" -gt $((before + 5)) ]; do
        kill -0 $recorder || exit 2
        sleep 0.02
      done
      if [ $((round % 2)) = 0 ]; then kill -9 $recorder; else kill $recorder; fi
      wait $recorder
    done
    reports
    for file in air.jsonl*; do
      # One that was killed while it created the file had nothing in it yet.
      [ -s "$file" ] || continue
      head -c 23 "$file" | grep -q '"type":"capture"' || exit 3
      '\(BuiltCommand.program.path)' inspect --format json "$file" || exit 4
    done
    """

  @Test func `fifty restarts and kills lose nothing`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let reports = Task {
      while !Task.isCancelled {
        for device in 1...3 { daemon.report(UInt8(device), -60) }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    defer { reports.cancel() }
    let script = "export DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)'; \(Self.script)"
    let run = try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result { try BuiltCommand(script) }) }
    }
    #expect(run.code == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    let counts = lines.compactMap { Int($0) }
    #expect(counts.count == 51)
    // A count during a run may be too large: a file is counted twice when it gets its next name in that time.
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 >= $0 }, "\(counts)")
    #expect(counts.last ?? 0 >= 5 * 50 / 2, "\(counts)")
    let files = lines.filter { $0.hasPrefix("{") }
    #expect(files.count > 1)
    #expect(files.allSatisfy { $0.contains(#""damaged_at":null"#) && !$0.contains("left out") })
  }
}
