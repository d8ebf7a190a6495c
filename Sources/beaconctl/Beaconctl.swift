// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import MuseumCommands
import ServiceCommands

@main
struct Beaconctl {
  static func main() {
    CommandProcess.run(
      Program(
        adding: [
          MuseumCommand.command, RunCommand.command, AgentCommand.command, ServiceCommand.command,
        ],
        constants: [MuseumCommand.constants],
        sources: [.simulatedVisitor]
      )
    )
  }
}
