// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCommands
import CalibrateCommands

extension Program {
  /// The program with `calibrate`.
  static let withCalibrate = Program(adding: [(.beacons, CalibrateCommand.command)])
}
