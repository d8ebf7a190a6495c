// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AuthorizationMachine {
  /// Processes a change of the client's settings by the user (rows A23, A24, Ab, Ac); `nil` changes nothing.
  package mutating func settingsChanged(
    authorization: SettingsValue?,
    precise: Bool?,
    at time: Timestamp
  ) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard !isRestricted else {
      // The user cannot change a policy (row U6).
      effects.diagnostics.append(.authorizationRestricted)
      return effects
    }
    // Precision first: an event that Always releases must not be delivered under reduced accuracy.
    if let precise {
      if profile.hasAccuracyAxis {
        isPrecise = precise
        isTemporarilyFull = isTemporarilyFull && !precise
      } else if !precise {
        effects.diagnostics.append(.settingNotOffered)
      }
    }
    if let authorization {
      set(authorization, at: time, &effects)
    }
    settle(&effects)
    return effects
  }

  private mutating func set(
    _ value: SettingsValue,
    at time: Timestamp,
    _ effects: inout AuthorizationEffects
  ) {
    switch value {
    case .never:
      conclude(as: .denied, &effects)
    case .askNextTime:
      guard profile.hasTemporaryGrants else {
        effects.diagnostics.append(.settingNotOffered)
        return
      }
      conclude(as: .notDetermined, &effects)
    case .whileUsing:
      guard isAppClip else {
        conclude(as: .whenInUse, &effects)
        return
      }
      grant = .untilMorning(timing.nextMorning(after: time, utcOffset: utcOffset))
    case .always:
      guard !isAppClip else {
        effects.diagnostics.append(.settingNotOffered)
        return
      }
      conclude(as: .always, &effects)
    }
  }

  /// Replaces the current grant; Always releases a held event, every other grant drops it
  /// (rows A19, A20, A23).
  mutating func conclude(as next: Grant, _ effects: inout AuthorizationEffects) {
    if let held {
      if next == .always, effective == .provisionalAlways, accuracy == .full {
        effects.delivered = held.id
      } else {
        effects.dropped.append(held.id)
      }
    }
    grant = next
  }

  /// Processes a switch of the whole machine's location services (row A25).
  package mutating func servicesSwitched(on: Bool) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    areServicesOn = on
    settle(&effects)
    return effects
  }

  /// Processes a policy that starts or ends to forbid location.
  package mutating func restrictionSwitched(on: Bool) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    isRestricted = on
    settle(&effects)
    return effects
  }
}
