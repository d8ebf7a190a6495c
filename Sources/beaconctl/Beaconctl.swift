// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import DoctorCommands
import GatewayCommands
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
          MuseumCommand.command, HistoryCommand.command, WebCommand.command, GatewayCommand.command,
          RunCommand.command, AgentCommand.command, ServiceCommand.command,
          DoctorCommand.command(.ofMachine),
        ],
        constants: [MuseumCommand.constants, HistoryCommand.constants],
        sources: [.simulatedVisitor, .broker],
        participants: [.history],
        service: .ofMachine
      )
    )
  }
}
