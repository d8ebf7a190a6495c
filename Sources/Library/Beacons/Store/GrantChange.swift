// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Turns changes that another process made in a client's grants into user actions.
package enum GrantChange {
  /// Returns the actions that lead from the old grants to the new ones, the machine's switch first.
  package static func inputs(
    from old: SavedAuthorization,
    to new: SavedAuthorization
  ) -> [UserAction] {
    var inputs: [UserAction] = []
    if new.servicesOn != old.servicesOn { inputs.append(.services(on: new.servicesOn)) }
    // Under a policy the settings cannot be changed, so it ends before them and begins after them.
    if old.isRestricted, !new.isRestricted { inputs.append(.restriction(on: false)) }
    let authorization = new.grant == old.grant ? nil : new.grant.setting
    let precise = new.accuracy == old.accuracy ? nil : new.accuracy == .full
    if authorization != nil || precise != nil {
      inputs.append(.settings(authorization: authorization, precise: precise))
    }
    if new.isRestricted, !old.isRestricted { inputs.append(.restriction(on: true)) }
    return inputs
  }
}
