// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import CalibrateCommands
import BeaconCommandLine
import MuseumCommands
import SiteCommands

/// Command lines from any text, an argument a line: they are understood or refused in one line that names a place.
enum CommandLineFuzzing {
  private static let program = Program(
    adding: [
      (.beacons, CalibrateCommand.command), (.receivers, SiteCommand.command()),
      (.museum, MuseumCommand.command),
    ],
    constants: [MuseumCommand.constants]
  )

  static func consume(_ bytes: [UInt8]) {
    let arguments = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    do {
      let invocation = try program.parse(arguments)
      if case .run(_, let parsed) = invocation { precondition(parsed.commandNames.count > 1) }
    } catch {
      precondition(!error.message.isEmpty)
      precondition(!error.description.utf8.contains(0x0A), "more than a line: \(error.description)")
      let place = error.argument ?? 1
      precondition((1...max(1, arguments.count)).contains(place), "no argument \(place)")
    }
  }
}
