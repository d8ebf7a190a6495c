// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import CalibrateCommands
import DoctorCommands
import FleetCommands
import GatewayCommands
import HistoryCommands
import MuseumCommands
import ProxyCommands
import ServiceCommands
import SiteCommands

@main
struct Beaconctl {
  /// What `--from` can name other than captures.
  private static let networks: [AdditionalSource] = [.broker, .proxies, .service]

  /// The command with all of its parts.
  static let program: Program = Program(
    adding: [
      (.watch, WebCommand.command(networks, [.places], [.survey])),
      (.watch, DemoCommand.command { await program.run($0, io: $1) }),
      (.recordings, HistoryCommand.command),
      (.beacons, CalibrateCommand.command), (.museum, MuseumCommand.command),
      (.programs, ServiceCommand.command([.broker, .proxies])),
      (.receivers, SiteCommand.command(networks, adding: [FleetCommand.command])),
      (.receivers, GatewayCommand.command(networks)),
      (.receivers, ProxyCommand.command([.proxies])),
      (.machine, DoctorCommand.command(.ofMachine)),
    ],
    constants: [MuseumCommand.constants, HistoryCommand.constants],
    sources: [.simulatedVisitor] + networks,
    participants: [.history],
    conditions: [.place],
    service: .ofMachine
  )

  static func main() { CommandProcess.run(program) }
}
