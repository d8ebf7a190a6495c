// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import CalibrateCommands
import DoctorCommands

@testable import MuseumCommands
@testable import SiteCommands

extension Program {
  /// The program with the commands that museums use.
  static let withMuseum: Program = Program(
    adding: [
      (.watch, DemoCommand.command { await withMuseum.run($0, io: $1) }),
      (.beacons, CalibrateCommand.command), (.receivers, SiteCommand.command()),
      (.museum, MuseumCommand.command), (.machine, DoctorCommand.command(nil)),
    ],
    constants: [MuseumCommand.constants],
    sources: [.simulatedVisitor]
  )
}
