// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore
import BeaconService
import BeaconTestSupport
import Beacons
import DBus
import DBusTestSupport
import Foundation
import Synchronization
import Testing

/// The built service on a private bus, with a fake daemon in place of BlueZ, with the built commands as its clients.
@Suite(
  .enabled(if: PrivateBus.isAvailable, "\(PrivateBus.absence)"),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: BuiltCommand.program.path),
    "beaconctl was not built with these tests"
  ),
  .timeLimit(.minutes(2)),
  .slow
)
struct ServiceTests {
  static let uuid = LiveTests.uuid
  static let capture = "Fixtures/captures/walk.btsnoop"

  /// A beacon of the fake daemon that sends until it is silenced.
  private final class SteadyBeacon: Sendable {
    private let isSilent = Mutex(false)
    private let isOver = Mutex(false)

    init(_ daemon: FakeBlueZ) {
      Thread.detachNewThread { [self] in
        while !isOver.withLock(\.self) {
          let scans = daemon.calls.contains("StartDiscovery")
          if scans, !isSilent.withLock(\.self) { daemon.report(1, -60) }
          usleep(50_000)
        }
      }
    }

    func silence() { isSilent.withLock { $0 = true } }
    func end() { isOver.withLock { $0 = true } }
  }

  /// The built service as a process.
  private final class Service: Sendable {
    private let process: DaemonProcess

    /// Starts it and waits until programs can call it.
    init(
      on bus: PrivateBus,
      state: String,
      _ options: String = "",
      after words: String = ""
    ) async throws {
      let follower = try BusProgram(bus, following: [ServiceName.bus])
      // The shell writes a byte, for which the start of a process waits; `exec` makes the service that process.
      let script =
        "export DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)' BEACONS_CONFIG=none; echo; \(words)"
        + "exec '\(BuiltCommand.program.path)' service run --state '\(state)' \(options) >&2"
      process = try DaemonProcess("/bin/bash", ["-c", script])
      _ = await follower.next { if case .owner(_, .some) = $0 { true } else { false } }
      await follower.thread.stop()
    }

    /// How many files it has open, and its limit.
    var openFiles: (count: Int, limit: Int) {
      get throws {
        let folder = "/proc/\(try #require(process.number))"
        let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8)
        let line = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        let limit = line?.dropFirst(14).split(separator: " ").first.flatMap { Int($0) }
        let open = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd")
        return (open.count, try #require(limit))
      }
    }

    /// Kills it with SIGKILL and waits for its end.
    func kill() { process.stop() }
  }

  private static func newFolder() -> String {
    let name = "beacons-service-\(UUID().uuidString.prefix(13))"
    return FileManager.default.temporaryDirectory.appending(path: name).path
  }

  /// Runs a script for which the bus is the system's, away from the tasks that play the daemon.
  private func run(_ script: String, on address: String, home: String) async throws -> BuiltCommand
  {
    let whole =
      "export DBUS_SYSTEM_BUS_ADDRESS='\(address)' XDG_STATE_HOME='\(home)'; \(script)"
    return try await withCheckedThrowingContinuation { waiter in
      Thread.detachNewThread { waiter.resume(with: Result { try BuiltCommand(whole) }) }
    }
  }

  @Test(arguments: ["", "--from \(capture)"])
  func `without a bus the service ends with 69 and one sentence`(_ source: String) async throws {
    let run = try await run(
      "beaconctl service run --state '\(Self.newFolder())' \(source)",
      on: "unix:path=/nowhere/bus",
      home: Self.newFolder()
    )
    #expect(run.code == 69)
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    #expect(run.errors.contains("bus"))
  }

  /// Row P7.
  @Test func `too few descriptors are a sentence, and the service's files are not recordings`()
    throws
  {
    let state = Self.newFolder()
    func run(_ words: String, _ options: String) throws -> BuiltCommand {
      try BuiltCommand(
        "\(words); beaconctl service run --bus session --state \(state) --from \(Self.capture) \(options)"
      )
    }
    let few = try run("ulimit -n 200", "")
    #expect(few.code == 69 && few.errors.contains("(ulimit -n)"), "\(few.errors)")
    for name in ["machine.json", "clients/user%3Aanna%2Fa/grants.json", "lease"] {
      let own = try run("mkdir -p \(state)/clients/user%3Aanna%2Fa", "--record \(state)/\(name)")
      #expect(own.code == 64 && own.errors.contains("the run itself keeps"), "\(own.errors)")
    }
  }

  /// The capture is longer than what may wait for a recording, and the reader of the recording takes nothing at first.
  @Test func `a service replays as fast as it can if it is asked to, and records all of it`()
    async throws
  {
    let bus = try PrivateBus()
    let run = try await run(
      """
      d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; mkfifo $d/record
      '\(BuiltCommand.program.path)' convert \(Self.capture) - --to jsonl --include-addresses 2>/dev/null \
        | sed -n 1,2p > $d/start
      awk 'NR == 1 { print; next } { split($0, a, /2026-[^"]*/); for (i = 0; i < 70000; i++)
        printf "%s2026-05-02T10:%02d:%02d.%02d0000Z%s\\n", a[1], i / 6000, int(i / 100) % 60, i % 100, a[2] }' \
        $d/start > $d/air.jsonl
      (sleep 4; cat) < $d/record > $d/copy &
      timeout -k 5 60 '\(BuiltCommand.program.path)' service run --state $d/state --from $d/air.jsonl \
        --speed max --record $d/record
      echo $?; wait; grep -c '"report"' $d/copy; grep '"radio"' $d/copy
      """,
      on: bus.address,
      home: Self.newFolder()
    )
    #expect(run.output == "0\n70000\n", "\(run.output)\(run.errors)")
  }

  /// Row P17. Neither a lease nor a journal of each client stays open.
  @Test func `a client costs no descriptor, and the limit is raised`() async throws {
    let bus = try PrivateBus()
    let service = try await Service(
      on: bus,
      state: Self.newFolder(),
      "--from \(Self.capture) --speed 0.1x",
      after: "ulimit -Sn 300; "
    )
    defer { service.kill() }
    let program = try BusProgram(bus, following: [ServiceName.bus], takesDescriptors: true)
    _ = await program.next { if case .owner(_, .some) = $0 { true } else { false } }
    func call(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue])
      async throws -> [DBusValue]
    {
      let call = MethodCall(ServiceName.bus, path, interface, member, arguments)
      return try await program.thread.call(call, timeout: .seconds(30))
    }
    func visit(_ label: String) async throws {
      let options = DBusValue.properties(["label": .string(label)])
      let made = try await call(ServiceName.path, ServiceName.manager, "CreateSession", [options])
      let session = try #require(made.first?.text)
      let uuid = DBusValue.properties(["uuid": .string(Self.uuid)])
      let monitor = [.string("hall"), uuid, .properties([:])]
      _ = try await call(session, ServiceName.session, "StartMonitoring", monitor)
      _ = try await call(session, ServiceName.session, "Close", [])
    }
    try await visit("first")
    let before = try service.openFiles
    #expect(before.limit >= 1536)
    for number in 0..<20 { try await visit("c\(number)") }
    #expect(try service.openFiles.count < before.count + 10)
    await program.thread.stop()
  }

  @Test func `killed in the midst of a stay it tells no exit and continues counting`() async throws
  {
    let bus = try PrivateBus()
    let beacon = SteadyBeacon(try await FakeBlueZ.start(on: bus))
    defer { beacon.end() }
    let state = Self.newFolder()
    let options = "--set region.exit=3"
    let first = try await Service(on: bus, state: state, options)
    let session = try await BeaconSession(service: .address(bus.address))
    let constraint = try IdentityConstraint(parsing: Self.uuid)
    let admin = try await BusProgram.connected(to: bus)
    let grant = MethodCall(
      ServiceName.bus,
      ServiceName.path,
      ServiceName.admin,
      "SetGrant",
      [
        .string("user:\(CallerProbe.accountName(of: getuid()))/guide"), .string("always"),
        .properties([:]),
      ]
    )
    _ = try await admin.thread.call(grant, timeout: .seconds(30))
    var seen: [Event] = []
    try await session.run {
      let client = try await session.connect(
        Manifest(whenInUse: "a", alwaysAndWhenInUse: "b"),
        named: "guide"
      )
      var deliveries = client.deliveries.makeAsyncIterator()
      await client.startMonitoring(Region("hall", constraint), assuming: .outside)
      while let delivery = await deliveries.next() {
        if case .regionEntered = delivery.event { break }
      }
      first.kill()
      let second = try await Service(on: bus, state: state, options)
      // The answer comes from the new service, which knows the region and its state.
      await client.requestState(for: "hall")
      while let delivery = await deliveries.next() {
        seen.append(delivery.event)
        if case .regionState("hall", .inside, _, .requested) = delivery.event { break }
      }
      beacon.silence()
      while let delivery = await deliveries.next() {
        seen.append(delivery.event)
        if case .regionExited = delivery.event { break }
      }
      second.kill()
    }
    let crossings = seen.filter { event in
      switch event {
      case .regionEntered, .regionExited: true
      default: false
      }
    }
    #expect(crossings.count == 1, "\(seen)")
    let path = ClientStore(directory: state).folder(
      of: "user:\(CallerProbe.accountName(of: getuid()))/guide"
    )
    let journal = try String(contentsOfFile: path + "/crossings.jsonl", encoding: .utf8)
    let lines = journal.split(separator: "\n").filter { $0.contains("\"type\":\"region.") }
    #expect(lines.count == 2, "\(journal)")
    #expect(lines.first?.contains("region.enter") == true)
    #expect(lines.first?.contains("\"sequence\":1}") == true)
    #expect(lines.last?.contains("region.exit") == true)
    #expect(lines.last?.contains("\"sequence\":2}") == true)
  }

  /// Row P11.
  @Test func `a client's command uses the service, whose grants are its own`() async throws {
    let bus = try PrivateBus()
    let beacon = SteadyBeacon(try await FakeBlueZ.start(on: bus))
    defer { beacon.end() }
    let home = Self.newFolder()
    let service = try await Service(on: bus, state: Self.newFolder())
    defer { service.kill() }
    let range =
      "'\(BuiltCommand.program.path)' range --client guide --satisfying \(Self.uuid) --format jsonl"
    let set = try await run(
      "beaconctl auth set always --client guide --format json",
      on: bus.address,
      home: home
    )
    #expect(set.code == 0)
    #expect(set.errors.contains("the grants of the service on the system bus"))
    #expect(set.output.contains("\"status\":\"authorizedAlways\""))
    // The grants in the service do not apply here: an agent is missing, and no adapter is used.
    let direct = try await run("\(range) --direct", on: bus.address, home: home)
    #expect(direct.code == 77, "\(direct.errors)")
    let own = try await run("beaconctl auth --account --format json", on: bus.address, home: home)
    #expect(own.output.contains("\"clients\":[]"), "\(own.output)")
    let served = try await run(
      "timeout --foreground -s INT --preserve-status 4 \(range)",
      on: bus.address,
      home: home
    )
    #expect(served.errors.contains("the service on the system bus serves user:"))
    #expect(served.errors.contains("/guide; --direct receives without it"))
    #expect(served.output.contains("\"minor\":1"), "\(served.output) \(served.errors)")
    let denied = try await run(
      "beaconctl auth set denied --client guide; "
        + "timeout --foreground -s INT --preserve-status 3 \(range)",
      on: bus.address,
      home: home
    )
    #expect(denied.errors.contains("denied: beacons and regions are off for user:"))
    #expect(!denied.output.contains("\"minor\""))
    let monitored = try await run(
      "beaconctl auth set always --client guide; timeout --foreground -s INT --preserve-status 4 "
        + "'\(BuiltCommand.program.path)' monitor --client guide --region hall=\(Self.uuid) --format jsonl; "
        + "beaconctl auth --client guide",
      on: bus.address,
      home: home
    )
    #expect(monitored.output.contains("\"state\":\"inside\""), "\(monitored.output)")
  }

  @Test func `SIGHUP reads the configuration again, and one with a fault changes nothing`()
    async throws
  {
    let bus = try PrivateBus()
    let beacon = SteadyBeacon(try await FakeBlueZ.start(on: bus))
    defer { beacon.end() }
    let home = Self.newFolder()
    let script = """
      mkdir -p '\(home)'; echo '{ set: { "region.exit": 3 } }' > '\(home)/c.json5'
      wait_for() { until grep -q "$1" '\(home)/log'; do kill -0 $! || exit 1; sleep 0.05; done; }
      '\(BuiltCommand.program.path)' service run --state '\(home)/state' --config '\(home)/c.json5' 2> '\(home)/log' &
      wait_for serving
      echo '{ set: { "region.exit": "soon" } }' > '\(home)/c.json5'; kill -HUP $!; wait_for 'as before'
      echo '{ set: { "region.exit": 4 } }' > '\(home)/c.json5'; kill -HUP $!; wait_for 'was read again'
      kill -TERM $!; wait $!; echo "code $?"; cat '\(home)/log'
      """
    let run = try await run(script, on: bus.address, home: home)
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "code 0", "\(run.output)")
    #expect(run.output.contains("the configuration is as before, since it cannot be read again: "))
    #expect(run.output.contains("the configuration was read again"))
  }

  /// Row P13.
  @Test func `the service's reports are a source, which finds a service that is started again`()
    async throws
  {
    let bus = try PrivateBus()
    let beacon = SteadyBeacon(try await FakeBlueZ.start(on: bus))
    defer { beacon.end() }
    let home = Self.newFolder()
    let script = """
      mkdir -p '\(home)'; cd '\(home)'
      wait_for() { until grep -q "$1" "$2"; do kill -0 $run || exit 1; sleep 0.05; done; }
      serve() { '\(BuiltCommand.program.path)' service run --state '\(home)/state' 2> log & run=$!; wait_for serving log; }
      serve
      '\(BuiltCommand.program.path)' range --from service: -s \(Self.uuid) --format jsonl > out 2> err & range=$!
      '\(BuiltCommand.program.path)' web --from service: -s \(Self.uuid)/1/1 --port 0 > page 2>&1 & web=$!
      wait_for '"minor":1' out; wait_for metrics page
      metrics() { curl -s "$(sed -n 's/^metrics *//p' page)" > metrics; }
      until metrics; grep -q '^beacons_rssi_dbm{' metrics; do kill -0 $run || exit 1; sleep 0.1; done
      kill -KILL $run; run=$range; wait_for 'has ended; connecting again' err
      serve; wait_for 'connected to the service again' err
      : > out; wait_for '"minor":1' out
      kill -INT $range; wait $range; echo "range $?"; kill -INT $web; wait $web; echo "web $?"; cat err
      kill $run; wait $run
      '\(BuiltCommand.program.path)' range --from service: 2>&1; echo "none $?"
      """
    let run = try await run(script, on: bus.address, home: home)
    #expect(run.output.contains("range 0\nweb 0\n"), "\(run.output) \(run.errors)")
    #expect(
      run.output.contains("no service runs on the system bus; 'beaconctl service run' starts one")
    )
    #expect(run.output.hasSuffix("none 69\n"), "\(run.output)")
  }

  /// Ten minutes of a beacon, as a radio receives it.
  private static var recording: String {
    var lines = [
      #"{"v":1,"type":"radio","t":"2026-05-02T10:00:00.000000Z","receiver":"hci0","state":"listening"}"#
    ]
    for second in 0..<600 {
      let (minutes, seconds) = (second / 60, second % 60)
      let time = "2026-05-02T10:0\(minutes):\(seconds < 10 ? "0" : "")\(seconds).500000Z"
      lines.append(
        #"{"v":1,"type":"report","t":"\#(time)","receiver":"hci0","address":"02:00:00:00:00:01","#
          + #""address_type":"random","event":"ADV_NONCONN_IND","rssi":-60,"#
          + #""ad":"0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5"}"#
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Row M16.
  @Test func `the service receives by a Bluetooth proxy, and a run by both`() async throws {
    let bus = try PrivateBus()
    let home = Self.newFolder()
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    try Data(Self.recording.utf8).write(to: URL(fileURLWithPath: "\(home)/recording.jsonl"))
    let script = """
      cd '\(home)'
      wait_for() { until grep -q "$1" "$2"; do kill -0 $proxy || exit 1; sleep 0.05; done; }
      place=127.0.0.1:$((20000 + RANDOM)); address=esphome://$place
      '\(BuiltCommand.program.path)' proxy --from recording.jsonl --speed 1x --insecure --listen $place 2> greeting & proxy=$!
      wait_for 'listens on' greeting
      '\(BuiltCommand.program.path)' service run --from $address --state state 2> log & service=$!
      wait_for serving log; wait_for 'sends its advertisements here' log
      '\(BuiltCommand.program.path)' scan --from service: --from $address --format jsonl > out 2> err & scan=$!
      wait_for '"receiver":"esphome:' out; wait_for '"receiver":"127' out
      kill -INT $scan; wait $scan; echo "scan $?"; kill $service; wait $service; echo "service $?"; kill $proxy
      grep -o '"receiver":"[^"]*"' out | sed "s|$address|PROXY|; s|$place|HOST|" | sort -u
      # The service's stream has no addresses, which a proxy sends.
      '\(BuiltCommand.program.path)' proxy --from service: --insecure; echo "proxy $?"
      """
    let run = try await run(script, on: bus.address, home: home)
    #expect(
      run.output.hasPrefix(
        "scan 0\nservice 0\n\"receiver\":\"HOST\"\n\"receiver\":\"PROXY:HOST\"\n"
      ),
      "\(run.output) \(run.errors)"
    )
    #expect(run.output.hasSuffix("proxy 64\n"), "\(run.output)")
    #expect(run.errors.contains("without --from a proxy receives by itself"), "\(run.errors)")
  }

  @Test func `a program that is written for an iPhone is one of the service's`() async throws {
    let bus = try PrivateBus()
    let home = Self.newFolder()
    let account = CallerProbe.accountName(of: getuid())
    let walk = BuiltCommand.program.deletingLastPathComponent().appending(path: "MuseumWalk").path
    let run = try await run(
      """
      mkdir -p '\(home)/grants'
      echo "{ client: 'user:\(account)/MuseumWalk', authorization: 'whenInUse' }" > '\(home)/grants/walk.json5'
      '\(BuiltCommand.program.path)' service run --from \(Self.capture) --state '\(home)/state' \
        --grants '\(home)/grants' 2> '\(home)/log' &
      until grep -q serving '\(home)/log'; do sleep 0.05; done
      export BEACONS_MANIFEST=Sources/iPhone/MuseumWalk/MuseumWalk-Info.plist
      timeout --foreground -s KILL 8 stdbuf -oL '\(walk)'; kill -TERM %1; wait
      """,
      on: bus.address,
      home: home
    )
    #expect(run.output.hasPrefix("welcome to the museum\nroom 1, painting "), "\(run.output)")
    #expect(run.errors.contains("the service of this machine receives for MuseumWalk"))
  }
}
