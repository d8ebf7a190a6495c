// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTestSupport
import DBusTestSupport
import Foundation
import Synchronization
import Testing

/// The built program on a private bus, with a fake daemon in place of BlueZ: its endings, and its messages when it
/// cannot listen.
@Suite(
  .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(2))
)
struct LiveTests {
  static let uuid = "01020304-0506-0708-090A-0B0C0D0E0F10"
  static let range = "beaconctl range --satisfying \(uuid) --format jsonl"

  /// Runs a script for which the bus is the system's, away from the tasks that play the daemon.
  private func run(_ script: String, on address: String) async throws -> BuiltCommand {
    let whole = "export DBUS_SYSTEM_BUS_ADDRESS='\(address)'; \(script)"
    return try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result { try BuiltCommand(whole) }) }
    }
  }

  // MARK: What keeps it from listening

  @Test func `without a bus it reports that`() async throws {
    let run = try await run(Self.range, on: "unix:path=/nowhere/bus")
    #expect(run.code == 69)
    #expect(run.errors.hasPrefix("beaconctl: there is no D-Bus system bus to reach BlueZ by ("))
    #expect(run.errors.split(separator: "\n").count == 1 && run.output.isEmpty)
  }

  @Test func `without a daemon, an adapter or permission it reports the missing parts`()
    async throws
  {
    let bus = try PrivateBus()
    var run = try await run(Self.range, on: bus.address)
    #expect(run.code == 69)
    #expect(
      run.errors == "beaconctl: the Bluetooth service is not running; start it with:"
        + " systemctl start bluetooth\n"
    )
    let daemon = try await FakeBlueZ.start(on: bus, [])
    run = try await self.run(Self.range, on: bus.address)
    #expect(run.code == 69)
    #expect(
      run.errors == "beaconctl: BlueZ knows no Bluetooth adapter on this machine; plug one in, or"
        + " see: rfkill list\n"
    )
    daemon.plug(.init(number: 1, address: "AA:BB:CC:00:00:01"))
    run = try await self.run("\(Self.range) --adapter hci7", on: bus.address)
    #expect(run.code == 69)
    #expect(run.errors == "beaconctl: there is no adapter hci7; the nearest is hci1\n")
    daemon.state.withLock { $0.startErrors = ["org.bluez.Error.NotAuthorized"] }
    run = try await self.run(Self.range, on: bus.address)
    #expect(run.code == 77)
    #expect(run.errors.contains("beaconctl: this user may not use BlueZ, since BlueZ answers "))
  }

  /// Whether the machine has a controller decides about the last line and the exit code, but not about the findings.
  @Test(arguments: ["table", "json"])
  func `doctor prints its findings also without a bus`(format: String) async throws {
    let run = try await run("beaconctl doctor --format \(format)", on: "unix:path=/nowhere/bus")
    #expect(run.code == 69 || run.code == 2)
    #expect(run.errors.isEmpty)
    #expect(run.output.contains("there is no D-Bus system bus ("))
    #expect(run.output.contains("no Bluetooth was found: ") == (run.code == 69))
  }

  @Test(arguments: ["table", "json"])
  func `doctor names the policy of the bus that denies BlueZ`(format: String) async throws {
    let bus = try PrivateBus(.withoutBlueZ)
    let daemon = try await FakeBlueZ.start(on: bus)
    let file = Self.newFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let run = try await run(
      "beaconctl doctor --format \(format) --report \(file)",
      on: bus.address
    )
    #expect(run.code == 2)
    for text in [run.output, try String(contentsOfFile: file, encoding: .utf8)] {
      #expect(text.contains("the bus policy does not let this user use BlueZ; the bus answers "))
      #expect(!text.contains("no Bluetooth was found") && !text.contains("adapter on this machine"))
    }
    _ = daemon
  }

  // MARK: A survey

  @Test func `places are learned with the adapters while the beacon is carried`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let sending = Task {
      while !Task.isCancelled {
        daemon.report(1, -60)
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    defer { sending.cancel() }
    let file = Self.newFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let words = "site survey --live --stay 4 --beacon \(Self.uuid) --write \(file)"
    let run = try await run("printf 'hall\\n\\n' | beaconctl \(words)", on: bus.address)
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors.contains("learned 1 place at 1 receiver from"), "\(run.errors)")
    let model = try String(contentsOfFile: file, encoding: .utf8)
    #expect(model.contains(#""receivers":["hci"#) && model.contains(#""name":"hall""#), "\(model)")
    let fuse =
      "timeout --foreground -s INT 5 '\(BuiltCommand.program.path)' site fuse --model \(file) --format jsonl"
    let fused = try await self.run(fuse, on: bus.address)
    #expect(fused.output.contains(#""place":"hall""#), "\(fused.output) \(fused.errors)")
  }

  // MARK: Waits

  // `timeout` signals its whole group, and so its child twice, unless it is in the foreground.

  @Test func `an adapter that is off is waited for, with a message`() async throws {
    let bus = try PrivateBus()
    let adapter = FakeBlueZ.Adapter(number: 0, address: "AA:BB:CC:00:00:01", isPowered: false)
    let daemon = try await FakeBlueZ.start(on: bus, [adapter])
    let switching = Task {
      try await daemon.wait { $0.calls.contains("GetManagedObjects") }
      daemon.power(true)
      try await daemon.wait { $0.calls.contains("StartDiscovery") }
      for _ in 0..<40 {
        daemon.report(1, -60)
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    defer { switching.cancel() }
    let run = try await run(
      "timeout --foreground -s INT --preserve-status 3 \(Self.built)",
      on: bus.address
    )
    #expect(run.code == 0)
    #expect(
      run.errors.hasPrefix(
        "beaconctl: hci0: switched off; switch it on with: bluetoothctl power on\n"
      )
    )
    #expect(run.output.contains("\"minor\":1"))
  }

  /// As the program's path, for what starts it by itself.
  static let built = "'\(BuiltCommand.program.path)' range --satisfying \(uuid) --format jsonl"

  @Test func `losing the adapter or daemon does not end a run, and its replay is the same`()
    async throws
  {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let life = Task {
      try await daemon.wait { $0.calls.contains("StartDiscovery") }
      for _ in 0..<5 { try await Self.receive(daemon) }
      daemon.unplug()
      try await Task.sleep(for: .milliseconds(100))
      daemon.plug(.init(number: 1, address: "AA:BB:CC:00:00:01"))
      try await daemon.wait { $0.calls.count(where: { $0 == "StartDiscovery" }) == 2 }
      for _ in 0..<5 { try await Self.receive(daemon, adapter: 1) }
      await daemon.die()
      try await daemon.appear()
      try await daemon.wait { $0.calls.count(where: { $0 == "StartDiscovery" }) == 3 }
      while !Task.isCancelled { try await Self.receive(daemon, adapter: 1) }
    }
    defer { life.cancel() }
    let file = Self.newFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let live = try await run(
      "timeout --foreground -s TERM --preserve-status 4 \(Self.built) --record \(file)",
      on: bus.address
    )
    #expect(live.code == 0)
    #expect(live.errors.contains("the Bluetooth service ended; waiting for it\n"))
    #expect(live.output.contains("\"rssi\":-60"))
    let replay = try await run("\(Self.range) --from \(file)", on: bus.address)
    #expect(replay.output == live.output)
    let recording = try String(contentsOfFile: file, encoding: .utf8)
    #expect(recording.contains("\"state\":\"gone\""))
    #expect(recording.split(separator: "\n").last?.contains("\"type\":\"end\"") == true)
  }

  private static func receive(_ daemon: FakeBlueZ, adapter: Int = 0) async throws {
    daemon.report(1, -60, adapter: adapter)
    try await Task.sleep(for: .milliseconds(50))
  }

  // MARK: What stands still

  /// A beacon on the air from a separate thread, which no test that waits holds up, until this goes.
  private final class SteadyScan: Sendable {
    private let isOver = Atomic(false)

    init(_ daemon: FakeBlueZ) {
      Thread.detachNewThread { [weak self] in
        while let self, !isOver.load(ordering: .relaxed) {
          if daemon.calls.contains("StartDiscovery") { daemon.report(1, -60) }
          usleep(50_000)
        }
      }
    }

    func end() { isOver.store(true, ordering: .relaxed) }
  }

  @Test(arguments: [false, true])
  func `a process stopped for longer than an exit time delivers no exit, nor does its replay`(
    isGap: Bool
  ) async throws {
    let bus = try PrivateBus()
    let scan = SteadyScan(try await FakeBlueZ.start(on: bus))
    defer { scan.end() }
    let file = Self.newFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let command =
      "monitor --region hall=\(Self.uuid) --format jsonl --set region.exit=3"
      + " --set timing.gap=\(isGap ? 4 : 60)"
    let live = try await run(
      "'\(BuiltCommand.program.path)' \(command) --record \(file) & "
        + "until grep -qs listening \(file); do sleep 0.05; done; sleep 2; "
        + "kill -STOP $!; sleep 5; kill -CONT $!; sleep 4; kill -INT $!; wait $!",
      on: bus.address
    )
    #expect(live.code == 0)
    #expect(!live.output.contains("\"region.exit\""), "\(live.output)")
    // A stall longer than the engine's gap is known to the engine, and regions keep their states in it.
    #expect(live.errors.contains("this program was stalled for ") == !isGap, "\(live.errors)")
    #expect(live.output.contains("\"reason\":\"radioDeaf\"") == !isGap, "\(live.output)")
    let states = live.output.split(separator: "\n").filter { $0.contains("\"region.state\"") }
    #expect(states.last?.contains("\"state\":\"inside\"") == true, "\(states)")
    let replay = try await run("beaconctl \(command) --from \(file)", on: bus.address)
    #expect(replay.output == live.output)
  }

  // MARK: How it ends

  @Test(arguments: ["INT", "TERM"])
  func `a signal undoes every request to the daemon and ends the recording`(
    _ signal: String
  ) async throws {
    let bus = try PrivateBus()
    let adapter = FakeBlueZ.Adapter(address: "AA:BB:CC:00:00:01", acceptsMonitors: true)
    let daemon = try await FakeBlueZ.start(on: bus, [adapter])
    let file = Self.newFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let run = try await run("\(Self.started(file)); kill -\(signal) $!; wait $!", on: bus.address)
    #expect(run.code == 0 && run.errors.isEmpty)
    #expect(daemon.calls.suffix(2) == ["StopDiscovery", "UnregisterMonitor"])
    let recording = try String(contentsOfFile: file, encoding: .utf8)
    #expect(recording.split(separator: "\n").last?.contains("\"type\":\"end\"") == true)
  }

  @Test func `a daemon that hangs does not keep it, nor does it keep a second signal`() async throws
  {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let file = Self.newFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    let noting = Task {
      try await daemon.wait { $0.calls.contains("StartDiscovery") }
      daemon.state.withLock { $0.isHanging = true }
      try await daemon.wait { $0.calls.contains("StopDiscovery") }
      _ = FileManager.default.createFile(atPath: "\(file).stopping", contents: nil)
    }
    defer {
      noting.cancel()
      try? FileManager.default.removeItem(atPath: "\(file).stopping")
    }
    let run = try await run(
      "\(Self.started(file)); kill -INT $!; until [ -e \(file).stopping ]; do sleep 0.05; done;"
        + " kill -INT $!; wait $!",
      on: bus.address
    )
    // 128 and the signal's number: the second one was not caught.
    #expect(run.code == 130)
  }

  private static func newFile() -> String {
    FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl").path
  }

  /// Starts to range and record, and waits until an adapter listens.
  private static func started(_ recording: String) -> String {
    "\(built) --record \(recording) & until grep -qs listening \(recording); do sleep 0.05; done"
  }

  // MARK: Full disks

  @Test func `a disk that fills up is one sentence, and the written bytes stay readable`()
    async throws
  {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(on: bus)
    let reports = Task {
      try await daemon.wait { $0.calls.contains("StartDiscovery") }
      while !Task.isCancelled {
        for device in 1...50 { daemon.report(UInt8(device), -60) }
        // No faster: under a sanitizer the daemon would get behind, and not answer.
        try await Task.sleep(for: .milliseconds(200))
      }
    }
    defer { reports.cancel() }
    let file = Self.newFile()
    defer { try? FileManager.default.removeItem(atPath: file) }
    // The shell's limit of 64 KiB a file in place of a small disk, which only root could make.
    let live = try await run(
      "trap '' XFSZ; ulimit -f 64; beaconctl record \(file)",
      on: bus.address
    )
    #expect(live.code == 1)
    #expect(live.errors.hasSuffix("beaconctl: cannot write \(file): File too large\n"))
    #expect(daemon.calls.last == "StopDiscovery")
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
    #expect(size == 65536)
    let scan = try await run("beaconctl scan --from \(file) --summary", on: bus.address)
    #expect(scan.code == 0)
    #expect(scan.output.split(separator: "\n").count > 100)
    let full = try await run("beaconctl record /dev/full", on: bus.address)
    #expect(full.code == 1)
    #expect(full.errors == "beaconctl: cannot write /dev/full: No space left on device\n")
  }

  @Test(arguments: ["full", "small", "folder", "pipe"])
  func `a live run continues without a recording that cannot be written`(_ cause: String)
    async throws
  {
    let bus = try PrivateBus()
    let scan = SteadyScan(try await FakeBlueZ.start(on: bus))
    defer { scan.end() }
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try await run(
      """
      cd \(folder.path); trap '' XFSZ; file=air; output=output
      case \(cause) in full) file=/dev/full ;; small) ulimit -f 4; output=/dev/null ;; esac
      \(Self.built) --record $file --quiet 2>errors >$output &
      case \(cause) in folder | pipe) until grep -qs listening air; do sleep 0.05; done ;; esac
      case \(cause) in
        folder) until mkdir air 2>/dev/null; do mv -f air before; done ;;
        pipe) mkfifo pipe; mv -f pipe air; head -1 <air >/dev/null & ;;
      esac
      until grep -qs 'nothing more is recorded' errors; do sleep 0.05; done
      if [ \(cause) != small ]; then size=$(stat -c %s output); until [ $(stat -c %s output) -gt $size ]; do sleep 0.05; done; fi
      kill -INT %1; wait %1; echo "code $?"; cat errors >&2
      """,
      on: bus.address
    )
    #expect(run.output == "code 0\n")
    let start = "beaconctl: the run continues, but nothing more is recorded to "
    #expect(
      run.errors.split(separator: "\n").map { $0.hasPrefix(start) } == [true],
      "\(run.errors)"
    )
  }
}
