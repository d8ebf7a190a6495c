// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import CommandTestSupport
import Foundation
import Testing

@testable import BeaconCommands

@Suite struct MachineProbeTests {
  @Test func `a machine is read from what its kernel shows`() throws {
    let folder = try ScratchFolder()
    for (path, text) in [
      ("proc/sys/kernel/osrelease", "6.1.0-25-arm64\n"),
      ("proc/self/status", "Name:\tx\nCapEff:\t0000000000003000\n"),
      ("proc/812/cmdline", "/usr/libexec/bluetooth/bluetoothd\0--experimental\0"),
      ("usr/libexec/bluetooth/bluetoothd", "x"), ("run/.containerenv", "x"),
      ("sys/class/rfkill/rfkill0/type", "wlan\n"), ("sys/class/rfkill/rfkill0/soft", "1\n"),
      ("sys/class/rfkill/rfkill1/type", "bluetooth\n"),
      ("sys/class/rfkill/rfkill1/name", "hci0\n"), ("sys/class/rfkill/rfkill1/soft", "1\n"),
      ("sys/class/rfkill/rfkill1/hard", "0\n"), ("sys/class/bluetooth/hci0/x", ""),
      ("sys/class/bluetooth/hci0:11/x", ""),
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
    #expect(examination.clock > FindingsOf.earliestSensible)
    let arguments = ["/usr/libexec/bluetooth/bluetoothd", "--experimental"]
    #expect(probe.arguments(of: 812) == arguments)
    #expect(probe.arguments(of: 999_999_999) == [])
  }

  @Test func `a machine that shows nothing has nothing`() {
    var examination = Examination()
    MachineProbe(root: "/nowhere").look(&examination)
    #expect(examination.controllers.isEmpty && examination.switches.isEmpty)
    #expect(examination.daemon == nil && !examination.hasNetAdmin)
  }
}
