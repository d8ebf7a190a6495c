// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCommands
import BeaconCore
import BeaconTestSupport
import DBus
import DBusTestSupport
import DoctorCommands
import Foundation
import Synchronization
import Testing

/// The findings of `doctor` for provoked faults: of a daemon on a private bus, and of a machine whose files are in a
/// folder.
@Suite(
  .enabled(if: PrivateBus.isAvailable, Comment(rawValue: PrivateBus.absence)),
  .timeLimit(.minutes(1))
)
struct DoctorFindingTests {
  /// A daemon, its signals during the measurement, the machine around it, and the findings.
  struct Fault: Sendable, CustomTestStringConvertible {
    let subject: String
    let words: String
    var remedy: String?
    var level = Finding.Level.problem
    var files: [String: String] = [:]
    var adapter: @Sendable (inout FakeBlueZ.Adapter) -> Void = { _ in }
    var daemon: @Sendable (inout FakeBlueZ.State) -> Void = { _ in }
    /// Returns what is sent at a number of hundredths of a second; `nil` for a beacon at 50 Hz.
    var scan: (@Sendable (FakeBlueZ, Int) -> Void)?
    var testDescription: String { "\(subject): \(words)" }
  }

  /// A machine with a controller and a daemon.
  private static let usual = [
    "usr/libexec/bluetooth/bluetoothd": "x", "sys/class/bluetooth/hci0/x": "",
  ]

  private static func radioSwitch(soft: Int, hard: Int) -> [String: String] {
    let folder = "sys/class/rfkill/rfkill0"
    return [
      "\(folder)/type": "bluetooth\n", "\(folder)/name": "hci0\n",
      "\(folder)/soft": "\(soft)\n", "\(folder)/hard": "\(hard)\n",
    ]
  }

  @Sendable private static func beacon(_ daemon: FakeBlueZ, _ step: Int) {
    if step % 2 == 0 { daemon.report(1, step % 4 == 0 ? -60 : -61) }
  }

  private static let restart = "sudo systemctl restart bluetooth"

  static let faults: [Fault] = [
    Fault(
      subject: "bluetoothd",
      words: "does not list its objects; BlueZ answers UnknownObject",
      remedy: restart,
      daemon: { $0.objectsError = "org.freedesktop.DBus.Error.UnknownObject" }
    ),
    Fault(
      subject: "D-Bus",
      words: "policy does not let",
      remedy: "sudo adduser $USER bluetooth",
      daemon: { $0.objectsError = "org.freedesktop.DBus.Error.AccessDenied" }
    ),
    Fault(
      subject: "bluetoothd",
      words: "does not answer",
      remedy: restart,
      daemon: { ($0.isHanging, $0.hangingTime) = (true, 6) }
    ),
    Fault(
      subject: "bluetoothd",
      words: "BlueZ does not answer",
      remedy: restart,
      daemon: { ($0.objectAnswers, $0.hangingTime) = (1, 20) }
    ),
    Fault(
      subject: "bluetoothd",
      words: "no adapter scans, since BlueZ answers NotSupported (\"Operation is not supported\")",
      remedy: restart,
      daemon: {
        $0.startErrors = ["org.bluez.Error.NotSupported"]
        $0.errorText = "Operation is not supported"
      }
    ),
    Fault(
      subject: "bluetoothd",
      words: "does not let this user use BlueZ; BlueZ answers NotAuthorized",
      remedy: "sudo adduser $USER bluetooth",
      daemon: { $0.startErrors = Array(repeating: "org.bluez.Error.NotAuthorized", count: 9) }
    ),
    Fault(
      subject: "rfkill",
      words: "of hci0 is blocked",
      remedy: "sudo rfkill unblock bluetooth",
      daemon: { $0.startErrors = Array(repeating: "org.bluez.Error.Blocked", count: 9) }
    ),
    Fault(
      subject: "rfkill",
      words: "hci0 is blocked by software",
      remedy: "sudo rfkill unblock bluetooth",
      files: radioSwitch(soft: 1, hard: 0)
    ),
    Fault(
      subject: "rfkill",
      words: "by a button, the firmware or flight mode",
      remedy: "rfkill list bluetooth",
      files: radioSwitch(soft: 0, hard: 1)
    ),
    Fault(
      subject: "adapter",
      words: "BlueZ has no adapter, the kernel has",
      remedy: restart,
      daemon: { $0.adapters = [] }
    ),
    Fault(
      subject: "hci0",
      words: "cannot scan for Low Energy",
      remedy: "bluetoothctl list",
      adapter: { $0.roles = ["peripheral"] }
    ),
    Fault(
      subject: "filter",
      words: "does not know DuplicateData",
      remedy: "sudo apt install --only-upgrade bluez",
      daemon: { $0.filterKeys = ["UUIDs", "RSSI", "Pathloss", "Transport", "Pattern"] }
    ),
    Fault(
      subject: "duplicates",
      words: "the controller filters duplicates",
      remedy: restart,
      scan: { daemon, step in if step < 5 { daemon.report(UInt8(step + 1), -60) } }
    ),
    Fault(
      subject: "monitors",
      words: "accepts no advertisement monitor for hci0",
      remedy: "bluetoothd --experimental",
      adapter: { $0.acceptsMonitors = false },
      scan: { daemon, step in if step < 5 { daemon.report(UInt8(step + 1), -60) } }
    ),
    Fault(
      subject: "RSSI",
      words: "no step below 9 dB",
      remedy: restart,
      scan: { daemon, step in if step % 2 == 0 { daemon.report(1, step % 4 == 0 ? -60 : -69) }
      }
    ),
    Fault(
      subject: "discovery",
      words: "another program discovers with hci0",
      level: .note,
      adapter: { $0.isDiscovering = true }
    ),
    Fault(
      subject: "bluetoothd",
      words: "5.50 runs",
      level: .note,
      adapter: { $0.modalias = "usb:v1D6Bp0246d0532" }
    ),
    Fault(
      subject: "filter",
      words: "may hide beacons",
      level: .note,
      daemon: { $0.filterKeys.removeAll { $0 == "Pattern" } }
    ),
    Fault(
      subject: "filter",
      words: "does not list",
      level: .note,
      daemon: { $0.knowsFilterKeys = false }
    ),
    Fault(
      subject: "monitors",
      words: "accepts no advertisement monitor",
      remedy: "bluetoothd --experimental",
      level: .note,
      adapter: { $0.acceptsMonitors = false }
    ),
    Fault(
      subject: "air",
      words: "nothing was received",
      remedy: "bluetoothctl power off && bluetoothctl power on",
      level: .note,
      scan: { _, _ in }
    ),
    Fault(
      subject: "air",
      words: "no iBeacon among them",
      level: .note,
      scan: { daemon, step in
        guard step % 2 == 0 else { return }
        daemon.changed(
          FakeBlueZ.devicePath(1),
          "org.bluez.Device1",
          .properties([
            "RSSI": .int16(step % 4 == 0 ? -60 : -61),
            "ManufacturerData": FakeBlueZ.manufacturerData([1, 2, 3], company: 0x0006),
          ])
        )
      }
    ),
  ]

  // Each test scans for a second.
  @Test(.slow, .serialized, arguments: faults)
  func `each fault of a daemon is found`(_ fault: Fault) async throws {
    let bus = try PrivateBus()
    var adapter = FakeBlueZ.Adapter(number: 0, address: "AA:BB:CC:00:00:01", acceptsMonitors: true)
    fault.adapter(&adapter)
    let daemon = try await FakeBlueZ.start(on: bus, [adapter], fault.daemon)
    let scan = fault.scan ?? Self.beacon
    let talking = Task {
      var step = 0
      while !Task.isCancelled {
        // Nothing is received before the scan starts.
        if daemon.state.withLock({ $0.adapters.first?.hasSession ?? false }) {
          scan(daemon, step)
          step += 1
        }
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    defer { talking.cancel() }
    let machine = try Machine(Self.usual.merging(fault.files) { $1 })
    let diagnosis = Diagnosis(await Self.examine(bus.address, machine))
    let finding = try #require(
      diagnosis.findings.first { $0.subject == fault.subject && $0.text.contains(fault.words) },
      "\(diagnosis.findings.filter { $0.level != .good })"
    )
    #expect(finding.level == fault.level)
    if let remedy = fault.remedy { #expect(finding.remedy?.contains(remedy) == true) }
    if fault.level == .problem {
      #expect(diagnosis.next != nil)
      #expect(diagnosis.sentence.hasPrefix("Run next: "))
    }
  }

  @Test func `a bus without a daemon is found, with bluetoothd installed or not`() async throws {
    let bus = try PrivateBus()
    let stopped = Diagnosis(await Self.examine(bus.address, try Machine(Self.usual)))
    #expect(stopped.findings.contains { $0.remedy == "sudo systemctl enable --now bluetooth" })
    let files = Self.usual.filter { $0.key != "usr/libexec/bluetooth/bluetoothd" }
    let absent = Diagnosis(await Self.examine(bus.address, try Machine(files)))
    #expect(absent.findings.contains { $0.remedy == "sudo apt install bluez" })
  }

  @Test func `a missing bus is found, on a machine and in a container`() async throws {
    let address = "unix:path=/nowhere/bus"
    let machine = Diagnosis(await Self.examine(address, try Machine(Self.usual)))
    #expect(machine.findings.contains { $0.remedy == "sudo systemctl start dbus" })
    let files = Self.usual.merging(["run/.containerenv": "x"]) { $1 }
    let container = Diagnosis(await Self.examine(address, try Machine(files)))
    #expect(
      container.findings.contains { $0.remedy == "docker run --volume /run/dbus:/run/dbus …" }
    )
  }

  @Test func `the command that ranges has the options that were given`() async throws {
    let bus = try PrivateBus()
    let daemon = try await FakeBlueZ.start(
      on: bus,
      [.init(number: 0, address: "AA:BB:CC:00:00:01", acceptsMonitors: true)]
    )
    let machine = try Machine(Self.usual)
    let diagnosis = Diagnosis(
      await Self.examine(bus.address, machine, wanted: "hci0", via: .dbus)
    )
    #expect(diagnosis.range?.hasSuffix(" --adapter hci0 --via dbus") == true)
    _ = daemon
  }

  private static func examine(
    _ bus: String,
    _ machine: Machine,
    wanted: String? = nil,
    via path: ReportPath = .automatic
  ) async -> Examination {
    await Examination.run(
      MachineProbe(root: machine.folder.path),
      wanted: wanted,
      via: path,
      bus: bus,
      listeningFor: .seconds(1)
    )
  }
}

/// A machine's files, in a folder that is removed with it.
private final class Machine: Sendable {
  let folder: URL

  init(_ files: [String: String]) throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "beacons-machine-\(UUID().uuidString.prefix(13))")
    for (path, text) in files {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: file)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
