// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// What another process changed in a client's grants, as actions of the user.
package enum GrantChange {
  /// Returns the actions that lead from the one to the other, the machine's switch first.
  package static func inputs(
    from old: SavedAuthorization,
    to new: SavedAuthorization
  ) -> [UserAction] {
    var inputs: [UserAction] = []
    if new.servicesOn != old.servicesOn { inputs.append(.services(on: new.servicesOn)) }
    let authorization = new.grant == old.grant ? nil : setting(of: new.grant)
    let precise = new.accuracy == old.accuracy ? nil : new.accuracy == .full
    if authorization != nil || precise != nil {
      inputs.append(.settings(authorization: authorization, precise: precise))
    }
    return inputs
  }

  /// What Settings show for a grant; one that only a prompt can give counts as the most that is sure of it.
  private static func setting(of grant: SavedAuthorization.Grant) -> SettingsValue {
    switch grant {
    case .notDetermined: .askNextTime
    case .denied: .never
    case .whenInUse, .untilMorning, .provisionalAlways: .whileUsing
    case .always: .always
    }
  }
}
