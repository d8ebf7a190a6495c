// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import DBus
import DBusTestSupport
import Foundation
import Testing

/// `monitor --exec` and `--notify`, on a replay.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(2))
)
struct HookTests {
  /// A region that is entered once and left once.
  private static let monitor =
    "beaconctl monitor --from Fixtures/captures/walk.btsnoop --drain --format none"
    + " --region third=\(StreamTests.gallery)/1/3 --set region.enter.rssiFloor=-65"

  @Test func `a command gets the facts as variables, and its failure ends nothing`() throws {
    let facts = "\"$BEACONS_EVENT|$BEACONS_REGION|$BEACONS_NAME|$BEACONS_TIME|$BEACONS_REASON\""
    let run = try BuiltCommand("\(Self.monitor) --exec 'echo \(facts); test $BEACONS_EVENT = exit'")
    #expect(run.code == 0 && run.output.isEmpty, "\(run.errors)")
    let lines = run.errors.split(separator: "\n").map(String.init)
    let entered = try #require(lines.first { $0.hasPrefix("enter|third||2026-") })
    #expect(entered.hasSuffix("Z|heard"))
    let left = try #require(lines.first { $0.hasPrefix("exit|third||2026-") })
    #expect(left.hasSuffix("Z|allSilent"))
    #expect(lines.contains("beaconctl: --exec for 'enter third' ended with exit code 1"))
    #expect(!lines.contains { $0.contains("'exit third'") })
  }

  @Test func `the events are the same with a command that hangs, and an interrupt ends both`()
    throws
  {
    let plain = try BuiltCommand(Self.monitor.replacing("--format none", with: "--format jsonl"))
    let script = """
      events=$(mktemp); started=$(mktemp -u)
      '\(BuiltCommand.program.path)' \(Self.monitor.dropFirst("beaconctl ".count)) \
        --output jsonl:"$events" --force --exec "test \\$BEACONS_EVENT = exit && touch $started && sleep 1000" & run=$!
      until [ -e "$started" ]; do kill -0 $run || exit 9; sleep 0.05; done
      kill -INT $run; wait $run; cat "$events"; rm -f "$events" "$started"
      """
    let run = try BuiltCommand(script)
    #expect(run.output == plain.output && !plain.output.isEmpty, "\(run.errors)")
  }

  @Test(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"))
  func `a desktop shows each crossing, as text on one line`() async throws {
    let bus = try PrivateBus()
    let (texts, continuation) = AsyncStream<String>.makeStream()
    let desktop = try BusProgram(bus, owning: "org.freedesktop.Notifications") { called in
      guard called.member == "Notify", called.arguments.count == 8,
        case .string(let summary) = called.arguments[3]
      else { return nil }
      continuation.yield(summary)
      return .values([.uint32(1)])
    }
    _ = await desktop.next()
    let script = "DBUS_SESSION_BUS_ADDRESS='\(bus.address)' \(Self.monitor) --notify"
    let run = try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result { try BuiltCommand(script) }) }
    }
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errors)")
    continuation.finish()
    var shown: [String] = []
    for await text in texts { shown.append(text) }
    #expect(shown.count == 2, "\(shown)")
    #expect(shown.first?.hasPrefix("entered third by 1/3 at ") == true)
    #expect(shown.last?.hasPrefix("left third, silent for ") == true)
  }

  @Test(.enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"))
  func `a desktop that shows nothing is reported with its answer`() async throws {
    let bus = try PrivateBus()
    let script = "DBUS_SESSION_BUS_ADDRESS='\(bus.address)' \(Self.monitor) --notify"
    let run = try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result { try BuiltCommand(script) }) }
    }
    #expect(run.code == 0)
    #expect(
      run.errors.hasPrefix(
        "beaconctl: --notify: 2 notifications were not shown: org.freedesktop.DBus.Error."
      )
    )
    let lost = try BuiltCommand(
      "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere/bus \(Self.monitor) --notify"
    )
    #expect(lost.errors.contains("2 notifications were not shown: Failed to connect"))
  }

  @Test func `without a desktop session a line reports it`() throws {
    let run = try BuiltCommand("unset DBUS_SESSION_BUS_ADDRESS; \(Self.monitor) --notify")
    #expect(run.code == 0)
    #expect(run.errors.contains("there is no desktop session here"))
  }
}
