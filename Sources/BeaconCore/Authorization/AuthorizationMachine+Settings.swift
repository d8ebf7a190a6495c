// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension AuthorizationMachine {
  /// The person changed the client's settings (rows A23, A24, Ab, Ac); what is `nil` is left alone.
  package mutating func settingsChanged(
    authorization: SettingsValue?,
    precise: Bool?,
    at time: Timestamp
  ) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    guard !isRestricted else {
      // The person cannot change what policy has fixed (row U6).
      effects.diagnostics.append(.authorizationRestricted)
      return effects
    }
    // Precision first: an event that Always sets free must not be told under reduced accuracy.
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

  /// Puts another grant in the place of the present one; an event that was held is set free by Always and dropped
  /// by everything else (rows A19, A20, A23).
  mutating func conclude(as next: Grant, _ effects: inout AuthorizationEffects) {
    if let held {
      if next == .always, standing == .provisionalAlways, accuracy == .full {
        effects.delivered = held.id
      } else {
        effects.dropped.append(held.id)
      }
    }
    grant = next
  }

  /// Location services of the whole machine were switched (row A25).
  package mutating func servicesSwitched(on: Bool) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    areServicesOn = on
    settle(&effects)
    return effects
  }

  /// A policy began or ceased to forbid location.
  package mutating func restrictionSwitched(on: Bool) -> AuthorizationEffects {
    var effects = AuthorizationEffects()
    isRestricted = on
    settle(&effects)
    return effects
  }
}
