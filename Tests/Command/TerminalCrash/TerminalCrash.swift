// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconTerminal
import BeaconBlueZ
import BeaconCommands
import BeaconCore
import Dispatch
import Glibc
import Synchronization

/// Takes the terminal over and then overflows a stack, to test that the terminal is restored: `TerminalCrash main` on
/// the thread that draws, `TerminalCrash other` on another thread with a signal stack, `TerminalCrash bus ADDRESS` on
/// the thread of a bus.
@main
enum TerminalCrash {
  static func main() throws {
    guard let terminal = Terminal(output: STDOUT_FILENO) else { exit(64) }
    try terminal.enter()
    terminal.draw(Screen(columns: 80, rows: 24), hasColor: false)
    if CommandLine.arguments.dropFirst().first == "bus" {
      let bus = CommandLine.arguments.last
      // The main thread is busy sleeping.
      Task.detached {
        var options = BlueZScanOptions(bus: bus)
        // Read when the source starts, and then on the bus's thread.
        options.wallClock = WallClock {
          Timestamp(microseconds: isPrepared.load(ordering: .acquiring) ? Int64(usedUp(1)) : 0)
        }
        options.prepareThread = {
          SignalStack.provide()
          isPrepared.store(true, ordering: .releasing)
        }
        _ = try? await BlueZSource.start(options)
      }
      while true { sleep(1) }
    }
    if CommandLine.arguments.last == "other" {
      DispatchQueue.global().async {
        SignalStack.provide()
        exit(Int32(truncatingIfNeeded: usedUp(1)))
      }
      while true { sleep(1) }
    }
    exit(Int32(truncatingIfNeeded: usedUp(1)))
  }

  /// Whether the bus's thread has its signal stack.
  private static let isPrepared = Atomic(false)

  /// Calls itself until the stack overflows; the sum keeps each call's frame in use.
  @inline(never)
  private static func usedUp(_ depth: Int) -> Int {
    depth < 0 ? 0 : depth &* usedUp(depth + 1)
  }
}
