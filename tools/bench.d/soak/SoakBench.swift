// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconBlueZ
import BeaconCommands
import Glibc

/// The command, which finds the kernel's monitor channel in a descriptor that it was started with:
/// `SoakBench DESCRIPTOR COMMAND…`.
///
/// Everything else is the command's own: the socket's options, the filter, reading, decoding, the window, the engine.
/// So a program can simulate the kernel if the kernel has no Bluetooth, and faster than a radio.
@main
enum SoakBench {
  static func main() {
    let words = CommandLine.arguments
    guard words.count > 2, let descriptor = Int32(words[1]) else {
      print("usage: SoakBench DESCRIPTOR COMMAND…")
      exit(64)
    }
    CommandProcess.run(Program(), Array(words.dropFirst(2))) { MonitorSocket(adopting: descriptor) }
  }
}
