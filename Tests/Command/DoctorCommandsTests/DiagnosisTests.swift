// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCore
import BeaconFormats
import BeaconTestSupport
import Testing

@testable import DoctorCommands

@Suite struct DiagnosisTests {
  /// A machine on which all is well, changed by the subject of a test.
  static func examination(_ change: (inout Examination) -> Void = { _ in }) -> Examination {
    var adapter = BlueZSurvey.Adapter(name: "hci0")
    adapter.address = "AA:BB:CC:00:00:01"
    adapter.isPowered = true
    adapter.isCentral = true
    adapter.acceptsMonitors = true
    adapter.filterKeys = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Pattern"]
    var survey = BlueZSurvey(.answered)
    survey.adapters = [adapter]
    survey.version = "5.66"
    var examination = Examination()
    examination.kernel = "6.1.0-25-arm64"
    examination.sockets = .available
    examination.kernelHasBluetooth = true
    examination.controllers = ["hci0"]
    examination.switches = [
      Examination.RadioSwitch(name: "hci0", isSoftBlocked: false, isHardBlocked: false)
    ]
    examination.daemon = "/usr/libexec/bluetooth/bluetoothd"
    examination.clock = TestScan.start + .seconds(86_400 * 700)
    examination.survey = survey
    examination.scan = ReceptionMeasurementTests.gallery()
    change(&examination)
    return examination
  }

  @Test func `on a machine where all is well the last line ranges`() {
    let diagnosis = Diagnosis(Self.examination())
    let subjects = diagnosis.findings.filter { $0.level != .good }.map(\.subject)
    #expect(subjects == [])
    #expect(diagnosis.next == nil)
    #expect(
      diagnosis.sentence
        == "You can range now: beaconctl range --beacon \(UUIDText.string(TestScan.museum))"
    )
  }

  @Test(arguments: [
    (0, nil), (1, "1 is configured; it sends to its latest subscriber only"),
    (2, "2 are configured; each sends to its latest subscriber only"),
  ])
  func `the one subscriber of a proxy is named where proxies are configured`(
    count: Int,
    text: String?
  ) {
    let diagnosis = Diagnosis(Self.examination { $0.proxies = count })
    let found = diagnosis.findings.first { $0.subject == "proxies" }
    #expect(found?.text.prefix(text?.count ?? 0) == text.map { $0[...] })
    #expect(diagnosis.next == nil)
  }

  /// Row B27.
  @Test(arguments: [
    ("6.18.34+rpt-rpi-2712", "5.82", true), ("6.12.93-v8", "5.66", true),
    ("6.18.37+rpt-rpi-2712", "5.82", false), ("6.18.34", "5.87", false),
    ("6.1.0-25", "5.66", false),
  ])
  func `a kernel that refuses to advertise is named`(kernel: String, version: String, isOne: Bool) {
    for hasRight in [false, true] {
      let note = Diagnosis(
        Self.examination {
          $0.kernel = kernel
          $0.survey.version = version
          $0.hasNetAdmin = hasRight
        }
      ).findings.first { $0.subject == "advertise" }
      #expect((note != nil) == isOne)
      guard let note else { continue }
      #expect(note.text.contains("bluetoothd \(version)") && note.level == .note)
      #expect(note.text.contains("BlueZ 5.87") == !hasRight)
    }
  }

  @Test func `a region whose beacon needs a longer exit time is noted with what to set`() {
    var intervals = ArrivalIntervals()
    // About every second packet is received.
    for _ in 0..<400 {
      for seconds in [10.24, 20.48, 10.24, 40.96, 10.24, 20.48] {
        intervals.received(after: TimeSpan(seconds: seconds), .standard)
      }
    }
    let beacon = BeaconIdentity(uuid: TestScan.museum, major: 1, minor: 1)
    let region = SavedRegion(
      Region("hall", .uuid(TestScan.museum)),
      state: .inside,
      savedAt: TestScan.start,
      intervals: [intervals.saved(of: beacon)]
    )
    let diagnosis = Diagnosis(Self.examination { $0.look(at: [region]) })
    let note = diagnosis.findings.first { $0.subject == "regions" }
    #expect(note?.level == .note)
    #expect(
      note?.text
        == "a beacon of hall sends every 10.2 s, is received half of the time, "
        + "and comes back after up to 40.9 s: if it never left, "
        + "allow 95 s with --set region.exit=95"
    )
  }

  /// The fault, what finding tells so, and the command that fixes it.
  struct Fault: Sendable, CustomTestStringConvertible {
    let subject: String
    let remedy: String
    let change: @Sendable (inout Examination) -> Void
    var testDescription: String { "\(subject): \(remedy)" }

    init(
      _ subject: String,
      _ remedy: String,
      _ change: @escaping @Sendable (inout Examination) -> Void
    ) {
      self.subject = subject
      self.remedy = remedy
      self.change = change
    }
  }

  /// Leaves a container's view: no socket, no controller, no switch.
  private static func contain(_ examination: inout Examination) {
    examination.isContained = true
    examination.account = 1000
    examination.sockets = .unsupported
    examination.kernelHasBluetooth = false
    examination.controllers = []
    examination.switches = []
  }

  private static func denied(
    _ text: String = "Rejected send message, 1 matched rules; type=\"method_call\""
  ) -> BlueZSurvey {
    let name = "org.freedesktop.DBus.Error.AccessDenied"
    return BlueZSurvey(.failed(.error(name: name, text: text)))
  }

  static let faults: [Fault] = [
    Fault("kernel", "sudo modprobe bluetooth btusb") {
      $0.sockets = .unsupported
      $0.kernelHasBluetooth = false
      $0.controllers = []
      $0.survey = BlueZSurvey(.answered)
    },
    Fault("kernel", "sudo dmesg | grep -i bluetooth") {
      $0.controllers = []
      $0.survey = BlueZSurvey(.answered)
    },
    Fault("rfkill", "sudo rfkill unblock bluetooth") { $0.switches[0].isSoftBlocked = true },
    Fault("rfkill", "rfkill list bluetooth") { $0.switches[0].isHardBlocked = true },
    Fault("rfkill", "sudo rfkill unblock bluetooth") {
      $0.switches = []
      $0.scan = ReceptionMeasurement()
      $0.diagnostics = [.blocked(adapter: "hci0")]
    },
    Fault(
      "kernel",
      "sudo chgrp bluetooth /usr/bin/beaconctl && sudo chmod 750 /usr/bin/beaconctl"
        + " && sudo setcap cap_net_raw+ep /usr/bin/beaconctl"
    ) {
      $0.listening = .kernelNotPermitted(program: "/usr/bin/beaconctl")
    },
    Fault("D-Bus", "sudo systemctl start dbus") { $0.survey = BlueZSurvey(.noBus("no such file")) },
    Fault("D-Bus", "docker run --volume /run/dbus:/run/dbus …") {
      $0.survey = BlueZSurvey(.noBus("no such file"))
      $0.isContained = true
    },
    // A container that may not connect, whose machine may have Bluetooth.
    Fault("D-Bus", "ls -l /run/dbus/system_bus_socket; sudo dmesg | grep -i denied") {
      contain(&$0)
      $0.survey = BlueZSurvey(.busForbidden("Permission denied"))
    },
    Fault("D-Bus", "busctl list") {
      let name = "org.freedesktop.DBus.Error.LimitsExceeded"
      $0.survey = BlueZSurvey(.failed(.error(name: name, text: "")))
    },
    Fault("D-Bus", "sudo adduser $USER bluetooth") { $0.survey = denied() },
    // A container without sockets and controllers: the machine may have both.
    Fault("D-Bus", "sudo adduser $(id -un 1000) bluetooth") {
      contain(&$0)
      $0.survey = denied()
    },
    // No group helps root.
    Fault("D-Bus", "grep -rn -F org.bluez /etc/dbus-1/system.d /usr/share/dbus-1/system.d") {
      $0.account = 0
      $0.survey = denied()
    },
    Fault("D-Bus", "sudo dmesg | grep -i denied") {
      contain(&$0)
      $0.survey = denied("An AppArmor policy prevents this sender from sending this message")
    },
    Fault("bluetoothd", "sudo adduser $USER bluetooth") {
      $0.listening = .notPermitted(
        .error(name: "org.bluez.Error.NotAuthorized", text: "Operation Not Authorized")
      )
    },
    Fault("bluetoothd", "sudo systemctl restart bluetooth") {
      contain(&$0)
      $0.survey = BlueZSurvey(.failed(.noAnswer))
    },
    Fault("bluetoothd", "sudo apt install bluez") {
      $0.survey = BlueZSurvey(.noService)
      $0.daemon = nil
    },
    Fault("bluetoothd", "sudo systemctl enable --now bluetooth") {
      $0.survey = BlueZSurvey(.noService)
    },
    Fault("bluetoothd", "sudo systemctl restart bluetooth") {
      $0.survey = BlueZSurvey(.failed(.noAnswer))
    },
    Fault("bluetoothd", "sudo systemctl restart bluetooth") {
      $0.survey = BlueZSurvey(.failed(.unexpectedAnswer))
    },
    Fault("bluetoothd", "sudo systemctl restart bluetooth") {
      $0.listening = .failed(.error(name: "org.bluez.Error.Failed", text: "x"))
    },
    Fault("bluetoothd", "sudo systemctl restart bluetooth") {
      $0.listening = .failed(.noAnswer)
    },
    Fault("adapter", "sudo systemctl restart bluetooth") { $0.survey.adapters = [] },
    Fault("adapter", "beaconctl doctor --adapter hci0") { $0.wanted = "hci7" },
    Fault("adapter", "beaconctl doctor --adapter hci1 --via dbus") {
      $0.survey.adapters.append($0.survey.adapters[0])
      $0.survey.adapters[1].name = "hci1"
      $0.survey.adapters[0].isPowered = false
      $0.wanted = "hci7"
      $0.path = .dbus
    },
    // Without any other, BlueZ looks again.
    Fault("adapter", "sudo systemctl restart bluetooth") {
      $0.survey.adapters = []
      $0.wanted = "hci7"
    },
    Fault("hci0", "bluetoothctl power on") { $0.survey.adapters[0].isPowered = false },
    Fault("hci0", "bluetoothctl list") { $0.survey.adapters[0].isCentral = false },
    Fault("filter", "sudo apt install --only-upgrade bluez") {
      $0.survey.adapters[0].filterKeys = ["RSSI", "Transport"]
    },
    Fault("clock", "sudo timedatectl set-ntp true") { $0.clock = .earliest },
    Fault("duplicates", "sudo systemctl restart bluetooth") {
      $0.scan = ReceptionMeasurementTests.filtered()
    },
    Fault("RSSI", "sudo systemctl restart bluetooth") {
      $0.scan = ReceptionMeasurementTests.coarse()
    },
  ]

  @Test(arguments: faults)
  func `each fault is found and has the command that fixes it`(_ fault: Fault) throws {
    let diagnosis = Diagnosis(Self.examination(fault.change))
    let finding = try #require(diagnosis.findings.first { $0.level == .problem })
    #expect(finding.subject == fault.subject)
    #expect(finding.remedy == fault.remedy)
    #expect(diagnosis.next == fault.remedy)
    #expect(diagnosis.sentence == "Run next: \(fault.remedy)")
    #expect(diagnosis.range == nil)
  }

  @Test func `a controller that filters needs the drop-in, and it is one command`() throws {
    let stock = { (examination: inout Examination) in
      examination.survey.adapters[0].acceptsMonitors = false
    }
    let unmeasured = Diagnosis(Self.examination(stock))
    #expect(unmeasured.next == nil)
    let note = try #require(unmeasured.findings.first { $0.subject == "monitors" })
    #expect(note.level == .note)
    let measured = Diagnosis(
      Self.examination {
        stock(&$0)
        $0.scan = ReceptionMeasurementTests.filtered()
      }
    )
    #expect(measured.next == note.remedy)
    let command = try #require(measured.next)
    #expect(
      command.contains("ExecStart=\\nExecStart=/usr/libexec/bluetooth/bluetoothd --experimental")
    )
    #expect(command.contains("/etc/systemd/system/bluetooth.service.d/"))
    let own = Diagnosis(
      Self.examination {
        stock(&$0)
        $0.hasNetAdmin = true
      }
    )
    #expect(own.findings.first { $0.subject == "monitors" }?.level == .good)
    // In a container the capability is of no use without a socket.
    let contained = Diagnosis(
      Self.examination {
        stock(&$0)
        $0.hasNetAdmin = true
        $0.sockets = .unsupported
      }
    )
    #expect(contained.findings.first { $0.subject == "monitors" }?.level == .note)
    let rights = contained.findings.first { $0.subject == "rights" }
    #expect(rights?.text.hasSuffix("; of no use without Bluetooth sockets") == true)
  }

  /// The findings, in part of their words, and their subjects.
  static let notes: [Fault] = [
    Fault("discovery", "another program discovers") { $0.survey.adapters[0].isDiscovering = true },
    Fault("monitors", "without an owner") {
      $0.diagnostics = [.leftoverMonitors(adapter: "hci0", count: 2)]
    },
    Fault("bluetoothd", "came with 5.56") { $0.survey.version = "5.50" },
    Fault("filter", "may hide beacons") { $0.survey.adapters[0].filterKeys?.removeLast() },
    Fault("filter", "does not list") { $0.survey.adapters[0].filterKeys = nil },
    Fault("filter", "it knows; BlueZ does not answer") {
      $0.survey.adapters[0].filterKeys = nil
      $0.survey.adapters[0].filterFailure = .noAnswer
    },
    Fault("kernel", "in a network namespace of its own") { $0.sockets = .unsupported },
    Fault("kernel", "D-Bus alone") {
      $0.sockets = .unsupported
      $0.kernelHasBluetooth = false
    },
    Fault("kernel", "seccomp") { $0.sockets = .forbidden },
    Fault("air", "the radio is deaf") { $0.scan = ReceptionMeasurement() },
    Fault("air", "no iBeacon") { $0.scan = ReceptionMeasurementTests.strangers() },
  ]

  @Test(arguments: notes)
  func `what does not prevent ranging is a note`(_ note: Fault) throws {
    let diagnosis = Diagnosis(Self.examination(note.change))
    let finding = try #require(diagnosis.findings.first { $0.level == .note })
    #expect(finding.subject == note.subject)
    #expect(finding.text.contains(note.remedy))
    #expect(diagnosis.next == nil)
    #expect(diagnosis.sentence.hasPrefix("You can range now: "))
  }

  /// The facts without any Bluetooth, and the sentence, which claims no more than that.
  static let absences: [(String, [String], @Sendable (inout Examination) -> Void)] = [
    (
      "no Bluetooth was found: kernel 6.1.0-25-arm64 makes no Bluetooth sockets here, and there is"
        + " no D-Bus system bus; a container needs the host's /run/dbus",
      ["D-Bus"],
      { $0.survey = BlueZSurvey(.noBus("No such file or directory")) }
    ),
    (
      "no Bluetooth was found: kernel 6.1.0-25-arm64 makes no Bluetooth sockets here, and BlueZ does"
        + " not run on the bus; a container needs the host's /run/dbus",
      ["bluetoothd"],
      { $0.survey = BlueZSurvey(.noService) }
    ),
    (
      "no Bluetooth was found: Bluetooth sockets are forbidden here, and BlueZ has no adapter",
      ["adapter"],
      {
        $0.sockets = .forbidden
        $0.survey = BlueZSurvey(.answered)
      }
    ),
    (
      "there is no Bluetooth adapter on this machine; plug one in, then run: beaconctl doctor",
      ["kernel", "adapter"],
      {
        $0.sockets = .available
        $0.survey = BlueZSurvey(.answered)
      }
    ),
  ]

  @Test(arguments: absences)
  func `without any Bluetooth the findings come before the sentence`(
    _ sentence: String,
    _ problems: [String],
    _ change: @Sendable (inout Examination) -> Void
  ) {
    let diagnosis = Diagnosis(
      Self.examination {
        Self.contain(&$0)
        change(&$0)
      }
    )
    #expect(diagnosis.isWithoutBluetooth && diagnosis.next == nil)
    #expect(diagnosis.sentence == sentence)
    let found = diagnosis.findings.filter { $0.level == .problem }
    #expect(found.map(\.subject) == problems)
    let table = DiagnosisText.table(diagnosis, style: TextStyle(hasColor: false))
    let lines = String(decoding: table, as: UTF8.self).split(separator: "\n")
    #expect(lines.last.map { String($0) } == sentence)
    for finding in found {
      #expect(lines.contains { $0.hasSuffix(finding.text) })
      #expect(lines.contains { $0.trimmingPrefix("      ") == finding.remedy ?? "" })
    }
  }

  @Test func `in a container the bus that is missing or has ended is named`() throws {
    for (reason, words) in [
      (
        "Failed to connect: No such file or directory",
        "none is mounted; mount the host's /run/dbus"
      ),
      ("Failed to connect: Connection refused", "it has ended; mount the host's /run/dbus"),
    ] {
      let diagnosis = Diagnosis(
        Self.examination {
          Self.contain(&$0)
          $0.survey = BlueZSurvey(.noBus(reason))
        }
      )
      let finding = try #require(diagnosis.findings.first { $0.subject == "D-Bus" })
      #expect(finding.text.contains(words))
    }
  }
}
