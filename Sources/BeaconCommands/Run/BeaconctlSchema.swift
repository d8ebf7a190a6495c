// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore
internal import BeaconMuseum
internal import Beacons

extension ConfigurationSchema {
  /// Every constant that `beaconctl` knows, in the order in which `config list` writes them.
  ///
  /// The one place where the modules' schemas are composed. A file that sets a constant of any of them is valid for every
  /// command, also for one that does not use it.
  package static let beaconctl = ConfigurationSchema([.engine, .receivers, .authorization, .guide])
}
