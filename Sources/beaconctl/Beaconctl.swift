// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import DoctorCommands
import HistoryCommands
import MuseumCommands
import ServiceCommands
import SiteCommands

@main
struct Beaconctl {
  static func main() {
    CommandProcess.run(
      Program(
        adding: SiteCommand.commands + [
          MuseumCommand.command, HistoryCommand.command, WebCommand.command, RunCommand.command,
          AgentCommand.command, ServiceCommand.command, DoctorCommand.command,
        ],
        constants: [MuseumCommand.constants, HistoryCommand.constants],
        sources: [.simulatedVisitor],
        participants: [.history]
      )
    )
  }
}
