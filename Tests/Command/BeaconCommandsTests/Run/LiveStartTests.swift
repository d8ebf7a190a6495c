// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCommandLine
import BeaconCore
import Beacons
import CommandTestSupport
import Testing

@testable import BeaconCommands
@testable import CalibrateCommands

/// Every live command starts its source in the same way.
@Suite struct LiveStartTests {
  private static let beacon = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/1"

  private static let program = Program(adding: [(.beacons, CalibrateCommand.command)])

  @Test(arguments: [
    ["scan"], ["range", "-s", beacon], ["monitor", "-r", "a=\(beacon)"],
    ["calibrate", "-b", beacon],
    ["record", "/dev/null"],
  ])
  func `without the kernel's capability a command exits with 77`(_ arguments: [String]) {
    let run = CommandRun(
      of: Self.program,
      arguments + ["--via", "kernel"],
      openKernelChannel: { () throws(BlueZUnavailable) -> MonitorSocket in
        throw .kernelNotPermitted(program: "beaconctl")
      }
    )
    #expect(run.code == .notPermitted, "\(run.errors)")
  }

  @Test func `without Bluetooth in the kernel a command exits with 69`() {
    let run = CommandRun(
      ["scan", "--via", "kernel"],
      openKernelChannel: { () throws(BlueZUnavailable) -> MonitorSocket in
        throw .noKernelBluetooth
      }
    )
    #expect(run.code == .unavailable, "\(run.errors)")
  }

  @Test func `calibrate scans with the settings of deafness and the beacons it waits for`() throws {
    let program = Self.program
    let line = ["calibrate", "-b", Self.beacon, "--set", "deafness.powerCycles=true"]
    guard case .run(_, let arguments) = try program.parse(line) else {
      Issue.record("no command")
      return
    }
    let schema = ConfigurationSchema([.engine, .receivers, .authorization])
    let options = try CalibrateOptions(arguments, from: ConfigurationPlaces(schema))
    let scan = BlueZScanOptions(options.run, opening: MonitorSocket.open)
    #expect(scan.deafness.powerCycles)
    #expect(scan.uuids?.count == 1)
  }

  @Test func `what a live source dropped is counted by its reasons`() {
    var statistics = BlueZStatistics()
    statistics.dropped = 1
    statistics.kernelDropped = 2
    statistics.addressesEvicted = 3
    let drops = statistics.drops
    #expect(drops[.sourceOverflow] == 1 && drops[.kernelOverflow] == 2)
    #expect(drops[.addressEvicted] == 3)
  }
}
