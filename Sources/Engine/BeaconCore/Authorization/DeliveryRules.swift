// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// What may be delivered to a client in its current state: the delivery rows D1 to D9 and E16 to E18 as one pure
/// function.
package struct DeliveryRules: Sendable, Hashable {
  /// The rule for an event.
  package enum Verdict: Sendable, Hashable {
    /// Deliver it.
    case deliver
    /// Do not deliver it: it is dropped, never queued.
    case drop
    /// Hold it as the client's one held event until the user decides.
    case hold
    /// Deliver this failure once, when the client makes a request or when the state changes to this one.
    case fail(LocationErrorCode)
    /// Deliver nothing; registrations are kept.
    case silent
  }

  /// The answer to a request for a region's state.
  package enum StateAnswer: Sendable, Hashable {
    /// The state as last determined.
    case cached
    /// Unknown, for a reason.
    case unknown(Withholding)
  }

  /// Why nothing is delivered to a client; the raw values are the reasons in outputs.
  package enum Withholding: String, Sendable, CaseIterable {
    /// Its status does not grant it.
    case authorization
    /// Its accuracy is reduced.
    case accuracy
    /// Its manifest demands an explicit service session.
    case serviceSession
    /// It is not in use.
    case notInUse
  }

  /// Ranging ticks; empty ones count as ticks (row U21).
  package let ranging: Verdict
  /// Enter and exit, and the region states delivered with them and at the start.
  package let crossing: Verdict
  /// A notification of a region, which the machine shows without a delivery to the client.
  package let notification: Verdict
  /// A request for a region's state.
  package let stateRequest: StateAnswer
  /// The failure of a request to range; `nil` when it is accepted, even if nothing will be delivered.
  package let rangingStartFailure: LocationErrorCode?
  /// The failure of a request to monitor; `nil` when it is accepted, even if nothing will be delivered.
  package let monitoringStartFailure: LocationErrorCode?
  /// Why ticks are withheld; `nil` when they are delivered.
  package let rangingWithheld: Withholding?
  /// Why region events are withheld; `nil` when they are delivered; `notInUse` for a held event.
  package let crossingWithheld: Withholding?

  /// Looks up the rules.
  ///
  /// - Parameters:
  ///   - profile: The rules of authorization.
  ///   - effective: The authorization that delivery depends on.
  ///   - accuracy: The accuracy that the client reads, temporary full accuracy included.
  ///   - isInUse: Whether the client is in use.
  ///   - lacksSession: Whether its manifest demands an explicit service session that it does not have.
  ///   - isAwake: Whether a region event woke the client a moment ago; only iOS 12 uses it.
  package init(
    profile: AuthorizationProfile,
    authorization effective: EffectiveAuthorization,
    accuracy: AccuracyAuthorization,
    isInUse: Bool,
    lacksSession: Bool = false,
    isAwake: Bool = false
  ) {
    let grants = Grants(profile: profile, authorization: effective)
    let limit: Withholding? =
      accuracy == .reduced ? .accuracy : lacksSession ? .serviceSession : nil

    rangingStartFailure = grants.rangingFailure
    monitoringStartFailure = grants.monitoringFailure
    notification = effective.isAuthorized && limit == nil ? .deliver : .silent

    let rangingOutOfUse = grants.ranging == .always || (grants.ranging == .whileAwake && isAwake)
    (ranging, rangingWithheld) =
      switch (grants.ranging, limit) {
      case (.never, _):
        (isInUse ? grants.rangingFailure.map(Verdict.fail) ?? .silent : .silent, .authorization)
      case (_, let limit?): (.silent, limit)
      case (_, nil) where isInUse || rangingOutOfUse: (.deliver, nil)
      case (_, nil): (.drop, .notInUse)
      }

    switch (grants.regions, limit) {
    case (.never, _):
      (crossing, crossingWithheld) = (.silent, .authorization)
      stateRequest = .unknown(.authorization)
    case (_, let limit?):
      (crossing, crossingWithheld) = (.silent, limit)
      stateRequest = .unknown(limit)
    case (let regions, nil) where isInUse || regions == .always:
      (crossing, crossingWithheld) = (.deliver, nil)
      stateRequest = .cached
    case (_, nil):
      (crossing, crossingWithheld) = (effective == .provisionalAlways ? .hold : .drop, .notInUse)
      stateRequest = .unknown(.notInUse)
    }
  }

  /// When an authorization allows ranging and regions under a profile, before use and accuracy are considered.
  private struct Grants {
    enum Availability {
      case never
      case inUse
      case whileAwake
      case always
    }

    let ranging: Availability
    let regions: Availability
    let rangingFailure: LocationErrorCode?
    let monitoringFailure: LocationErrorCode?

    init(profile: AuthorizationProfile, authorization: EffectiveAuthorization) {
      switch authorization {
      case .notDetermined, .restricted:
        // No failure is documented for these: nothing is delivered, and the registration is kept.
        (ranging, regions) = (.never, .never)
        (rangingFailure, monitoringFailure) = (nil, nil)
      case .denied:
        (ranging, regions) = (.never, .never)
        (rangingFailure, monitoringFailure) = (.denied, .regionMonitoringDenied)
      case .servicesOff:
        // Row R16 names disabled location services for code 16; monitoring has no such code.
        (ranging, regions) = (.never, .never)
        (rangingFailure, monitoringFailure) = (.rangingUnavailable, .regionMonitoringDenied)
      case .whenInUse:
        let hasRegions = profile != .iOS12
        (ranging, regions) = (.inUse, hasRegions ? .inUse : .never)
        (rangingFailure, monitoringFailure) = (nil, hasRegions ? nil : .regionMonitoringDenied)
      case .provisionalAlways:
        (ranging, regions) = (.inUse, .inUse)
        (rangingFailure, monitoringFailure) = (nil, nil)
      case .always:
        (ranging, regions) = (profile == .iOS12 ? .whileAwake : .always, .always)
        (rangingFailure, monitoringFailure) = (nil, nil)
      }
    }
  }
}
