// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CommandTestSupport
import Foundation
import Glibc
import Testing

@testable import DoctorCommands

@Suite struct MachineProbeTests {
  @Test func `a machine is read from what its kernel shows`() throws {
    let folder = try ScratchFolder()
    for (path, text) in [
      ("proc/sys/kernel/osrelease", "6.1.0-25-arm64\n"),
      ("proc/self/status", "Name:\tx\nUid:\t1000\t0\t0\t0\nCapEff:\t0000000000003000\n"),
      ("proc/812/cmdline", "/usr/libexec/bluetooth/bluetoothd\0--experimental\0"),
      ("usr/libexec/bluetooth/bluetoothd", "x"), ("run/.containerenv", "x"),
      ("sys/class/rfkill/rfkill0/type", "wlan\n"), ("sys/class/rfkill/rfkill0/soft", "1\n"),
      ("sys/class/rfkill/rfkill1/type", "bluetooth\n"),
      ("sys/class/rfkill/rfkill1/name", "hci0\n"), ("sys/class/rfkill/rfkill1/soft", "1\n"),
      ("sys/class/rfkill/rfkill1/hard", "0\n"), ("sys/class/bluetooth/hci0/x", ""),
      ("sys/class/bluetooth/hci0:11/x", ""),
      ("sys/class/bluetooth/hci0/device/modalias", "usb:v0A12p0001d8891\n"),
      ("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0"),
      ("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
      ("proc/meminfo", "MemTotal:        8245828 kB\nMemFree:         100 kB\n"),
    ] {
      let file = folder.url.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: file)
    }
    var examination = Examination()
    let probe = MachineProbe(root: folder.url.path)
    probe.look(&examination)
    #expect(examination.kernel == "6.1.0-25-arm64")
    #expect(examination.controllers == ["hci0"])
    #expect(
      examination.switches == [
        Examination.RadioSwitch(name: "hci0", isSoftBlocked: true, isHardBlocked: false)
      ]
    )
    #expect(examination.daemon == "/usr/libexec/bluetooth/bluetoothd")
    #expect(examination.hasNetAdmin && examination.hasNetRaw && examination.isContained)
    #expect(examination.account == 1000 && examination.kernelHasBluetooth)
    #expect(examination.clock > FindingsOf.earliestSensible)
    let arguments = ["/usr/libexec/bluetooth/bluetoothd", "--experimental"]
    #expect(probe.arguments(of: 812) == arguments)
    #expect(probe.arguments(of: 999_999_999) == [])
    let facts = probe.description.filter { $0.name != "built for" }
    #expect(
      facts.map { "\($0.name): \($0.text)" } == [
        "system: Debian GNU/Linux 12 (bookworm)", "machine: Raspberry Pi 5 Model B Rev 1.0",
        "kernel: 6.1.0-25-arm64", "memory: 8245828 kB",
        "bluetoothd: /usr/libexec/bluetooth/bluetoothd", "hci0: usb:v0A12p0001d8891",
      ]
    )
  }

  @Test(arguments: [
    ("hci0 is 00:1a:7D:DA:71:13.", "hci0 is address-1."),
    (
      "/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF AA:BB:CC:DD:EE:FF",
      "/org/bluez/hci0/dev_address-1 address-1"
    ),
    ("00:1A:7D:DA:71:13 00:1A:7D:DA:71:14", "address-1 address-2"),
    (
      "F7826DA6-4FA2-4E98-8024-BC5B71E0893E 10:20:30:40:50",
      "F7826DA6-4FA2-4E98-8024-BC5B71E0893E 10:20:30:40:50"
    ),
    ("AA:BB_CC:DD:EE:FF", "AA:BB_CC:DD:EE:FF"), ("", ""),
  ])
  func `a report has no address`(_ text: String, _ expected: String) {
    let result = DoctorReport.withoutAddresses(Array(text.utf8))
    #expect(String(decoding: result, as: UTF8.self) == expected)
  }

  @Test func `a report is one text with the machine, the findings and their JSON`() {
    let report = DoctorReport.text(Examination(), machine: [("machine", "a board")])
    let text = String(decoding: report, as: UTF8.self)
    #expect(text.contains("machine     a board\n"))
    #expect(text.contains("WRONG bluetoothd  is not installed\n      sudo apt install bluez\n"))
    #expect(text.contains("no Bluetooth was found: "))
    #expect(text.contains("\"type\":\"doctor\""))
  }

  @Test func `a machine that shows nothing has nothing`() {
    var examination = Examination()
    MachineProbe(root: "/nowhere").look(&examination)
    #expect(examination.controllers.isEmpty && examination.switches.isEmpty)
    #expect(examination.daemon == nil && !examination.hasNetAdmin)
    #expect(examination.account == nil && !examination.kernelHasBluetooth)
  }

  @Test(arguments: [
    (EAFNOSUPPORT, Examination.Sockets.unsupported), (EPROTONOSUPPORT, .unsupported),
    (EPERM, .forbidden), (EACCES, .forbidden),
  ])
  func `a refused socket is of a filter, not of the kernel`(
    error: Int32,
    sockets: Examination.Sockets
  ) {
    #expect(MachineProbe.sockets(after: error) == sockets)
  }
}
